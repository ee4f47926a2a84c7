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

/** A fault refuses a valid send, or accepts it and breaks the answer. */
type Fault =
  | { readonly kind: "refuse"; readonly reply: Reply }
  | { readonly kind: "break"; readonly break: (answer: Answer) => Reply };

type Behaviour = { readonly kind: "accept" } | (Fault & { readonly name: string });

/** The fault injection of a sandbox. */
export interface Behaviours {
  readonly setup: () => FaultSetup;
  /** The behaviour for the next valid send to that number. */
  readonly next: (to: string) => Behaviour;
  /** Milliseconds before the next answer to a send to that number. */
  readonly latency: (to: string) => number;
  /** Changes faults or seed, and restarts the random draws. */
  readonly change: (change: Partial<FaultSetup>) => void;
  /** Restores the original setup, and restarts the random draws. */
  readonly reset: () => void;
}

const accept: Behaviour = { kind: "accept" };
const notJson = { ...json(200, ""), body: "<!doctype html><title>OK</title>" };

const badRequest = refuse(refusal(400, "INVALID_REQUEST", "Invalid parameters"));
const tooMany = refuse(tooManyRequests(1));
const cutAfter = breakAnswer(() => ({ kind: "cut" }));
const hang = breakAnswer(() => ({ kind: "hang" }));
const garbage = breakAnswer(() => notJson);

/** Faults by the last six digits of the recipient (docs/sandbox.md). */
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
  "cut-body": breakAnswer((answer) => ({ kind: "half", answer })),
};

/** Opens the fault injection. Number endings take precedence over random faults. */
export function openBehaviours(opened: FaultSetup): Behaviours {
  let setup = opened;
  let draw = draws(setup.seed);
  let refusedOnce = new Set<string>();
  const apply = (next: FaultSetup) => {
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
    change: (change) => apply({ ...setup, ...change }),
    reset: () => apply(opened),
  };
}

function refuse(reply: Reply): Fault {
  return { kind: "refuse", reply };
}

function breakAnswer(toReply: (answer: Answer) => Reply): Fault {
  return { kind: "break", break: toReply };
}
