import { draws, faultAt, type FaultName, latencyAt } from "./faults.ts";
import { type Listen, publisher } from "./publisher.ts";
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
  readonly listen: Listen<{ readonly name: "faults"; readonly data: ShownFaults }>;
}

/** The faults as `--fault` takes them, and their seed. */
interface ShownFaults {
  readonly faults: string;
  readonly seed: number;
}

export function shownFaults({ faults, seed }: FaultSetup): ShownFaults {
  return { faults: faults.text, seed };
}

const accept: Behaviour = { kind: "accept" };
const notJson = { ...json(200, ""), body: "<!doctype html><title>OK</title>" };

const faults: Readonly<Record<FaultName, Fault>> = {
  "400": refuse(refusal(400, "INVALID_REQUEST", "Invalid parameters")),
  "401": refuse(unauthorized),
  "402": refuse(insufficientCredits),
  "403": refuse(senderNotAuthorized),
  "429": refuse(tooManyRequests(1)),
  "500": refuse(internalError),
  "502": refuse(bare(502)),
  "503": refuse(bare(503)),
  "reset-before": refuse({ kind: "cut" }),
  "reset-after": breakAnswer(() => ({ kind: "cut" })),
  hang: breakAnswer(() => ({ kind: "hang" })),
  garbage: breakAnswer(() => notJson),
  "cut-body": breakAnswer((answer) => ({ kind: "half", answer })),
};

/** Faults by the last six digits of the recipient (docs/sandbox.md). */
const endings: ReadonlyMap<string, FaultName> = new Map([
  ["000400", "400"],
  ["000401", "401"],
  ["000402", "402"],
  ["000403", "403"],
  ["000429", "429"],
  ["000500", "500"],
  ["000503", "503"],
  ["000598", "reset-after"],
  ["000599", "hang"],
  ["000200", "garbage"],
]);

/** Opens the fault injection. Number endings take precedence over random faults. */
export function openBehaviours(opened: FaultSetup): Behaviours {
  const { publish, listen } = publisher<{ readonly name: "faults"; readonly data: ShownFaults }>();
  let setup = opened;
  let draw = draws(setup.seed);
  let refusedOnce = new Set<string>();
  const apply = (next: FaultSetup) => {
    setup = next;
    draw = draws(next.seed);
    refusedOnce = new Set();
    publish({ name: "faults", data: shownFaults(next) });
  };
  return {
    setup: () => setup,
    next: (to) => {
      const ending = to.slice(-6);
      const fault = endings.get(ending);
      if (fault !== undefined && !(fault === "429" && refusedOnce.has(to))) {
        if (fault === "429") refusedOnce.add(to);
        return { ...faults[fault], name: ending };
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
    listen,
  };
}

function refuse(reply: Reply): Fault {
  return { kind: "refuse", reply };
}

function breakAnswer(toReply: (answer: Answer) => Reply): Fault {
  return { kind: "break", break: toReply };
}
