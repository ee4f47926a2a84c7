import { draws, faultAt, type FaultName, latencyAt } from "./faults.ts";
import {
  type Answer,
  bare,
  insufficientCredits,
  internalError,
  json,
  refusal,
  type Reply,
  senderNotAuthorized,
  tooManyRequests,
  unauthorized,
} from "./reply.ts";
import type { FaultSetup } from "./setup.ts";

/** What becomes of a valid send on purpose: refused, or taken and its answer spoilt. */
type Fault =
  | { readonly kind: "refuse"; readonly reply: Reply }
  | { readonly kind: "spoil"; readonly spoil: (answer: Answer) => Reply };

/** What becomes of a valid send: taken and answered as such, or a fault and its name. */
type Behaviour = { readonly kind: "accept" } | (Fault & { readonly name: string });

/** What goes wrong on purpose in a sandbox. */
export interface Behaviours {
  readonly setup: () => FaultSetup;
  /** What becomes of the next valid send to that number. */
  readonly next: (to: string) => Behaviour;
  /** How long the next answer to a send to that number takes, in milliseconds. */
  readonly latency: (to: string) => number;
  /** Begins anew with other faults, or another seed. */
  readonly change: (told: Partial<FaultSetup>) => void;
  /** Begins anew as it was opened. */
  readonly reset: () => void;
}

const accept: Behaviour = { kind: "accept" };
const notJson = { ...json(200, ""), body: "<!doctype html><title>OK</title>" };

const badRequest = refuse(refusal(400, "INVALID_REQUEST", "Invalid parameters"));
const tooMany = refuse(tooManyRequests(1));
const cutAfter = spoil(() => ({ kind: "cut" }));
const hang = spoil(() => ({ kind: "hang" }));
const garbage = spoil(() => notJson);

/** By the last six digits of the recipient. */
const endings: ReadonlyMap<string, Fault> = new Map([
  ["000400", badRequest],
  ["000401", refuse(unauthorized())],
  ["000402", refuse(insufficientCredits())],
  ["000403", refuse(senderNotAuthorized())],
  ["000429", tooMany],
  ["000500", refuse(internalError())],
  ["000503", refuse(bare(503))],
  ["000598", cutAfter],
  ["000599", hang],
  ["000200", garbage],
]);

const faults: Readonly<Record<FaultName, Fault>> = {
  "400": badRequest,
  "401": refuse(unauthorized()),
  "402": refuse(insufficientCredits()),
  "403": refuse(senderNotAuthorized()),
  "429": tooMany,
  "500": refuse(internalError()),
  "502": refuse(bare(502)),
  "503": refuse(bare(503)),
  "reset-before": refuse({ kind: "cut" }),
  "reset-after": cutAfter,
  hang,
  garbage,
  "cut-body": spoil((answer) => ({ kind: "half", answer })),
};

/** A magic ending goes before the faults. What is drawn, and which endings were met once, is forgotten with each change. */
export function openBehaviours(opened: FaultSetup): Behaviours {
  let setup = opened;
  let draw = draws(setup.seed);
  let refusedOnce = new Set<string>();
  const become = (next: FaultSetup) => {
    setup = next;
    draw = draws(next.seed);
    refusedOnce = new Set();
  };
  return {
    setup: () => setup,
    next: (to) => {
      const ending = to.slice(-6);
      const fault = endings.get(ending);
      if (fault !== undefined && !(fault === tooMany && refusedOnce.has(to))) {
        if (fault === tooMany) refusedOnce.add(to);
        return { ...fault, name: ending };
      }
      if (setup.faults.shares.length === 0) return accept;
      const name = faultAt(setup.faults, draw(to));
      return name === undefined ? accept : { ...faults[name], name };
    },
    latency: (to) => {
      const [least, most] = setup.faults.latency;
      return least === most ? least : latencyAt(setup.faults, draw(`latency ${to}`));
    },
    change: (told) => become({ ...setup, ...told }),
    reset: () => become(opened),
  };
}

function refuse(reply: Reply): Fault {
  return { kind: "refuse", reply };
}

function spoil(spoilt: (answer: Answer) => Reply): Fault {
  return { kind: "spoil", spoil: spoilt };
}
