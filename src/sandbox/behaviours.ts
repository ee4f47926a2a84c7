import type { Reply } from "./reply.ts";
import {
  insufficientCredits,
  json,
  refusal,
  senderNotAuthorized,
  tooManyRequests,
  unauthorized,
} from "./reply.ts";

/** What becomes of a valid send: taken and answered as such, refused, or taken with the answer spoilt. */
export type Behaviour =
  | { readonly kind: "accept" }
  | { readonly kind: "refuse"; readonly fault: string; readonly reply: Reply }
  | { readonly kind: "spoil"; readonly fault: string; readonly reply: Reply };

interface Ending {
  readonly kind: "refuse" | "spoil";
  readonly reply: Reply;
  readonly once?: true;
}

const accept: Behaviour = { kind: "accept" };

/** By the last six digits of the recipient. */
const endings: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ["000400", refuse(refusal(400, "INVALID_REQUEST", "Invalid parameters"))],
  ["000401", refuse(unauthorized())],
  ["000402", refuse(insufficientCredits())],
  ["000403", refuse(senderNotAuthorized())],
  ["000429", { ...refuse(tooManyRequests(1)), once: true }],
  ["000500", refuse(refusal(500, "INTERNAL_ERROR", "Internal server error"))],
  ["000503", refuse({ kind: "answer", status: 503, headers: {}, body: "" })],
  ["000598", spoil({ kind: "cut" })],
  ["000599", spoil({ kind: "hang" })],
  ["000200", spoil({ ...json(200, ""), body: "<!doctype html><title>OK</title>" })],
]);

/** What a sandbox does for each recipient; it remembers which it has refused for once. */
export function magicEndings(): (to: string) => Behaviour {
  const refusedOnce = new Set<string>();
  return (to) => {
    const fault = to.slice(-6);
    const ending = endings.get(fault);
    if (ending === undefined || (ending.once && refusedOnce.has(to))) return accept;
    if (ending.once) refusedOnce.add(to);
    return { kind: ending.kind, fault, reply: ending.reply };
  };
}

function refuse(reply: Reply): Ending {
  return { kind: "refuse", reply };
}

function spoil(reply: Reply): Ending {
  return { kind: "spoil", reply };
}
