import { sendPath } from "../core/address.ts";
import type { Failure } from "../core/outcome.ts";
import { judge } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { type Service, wireRequest, type WireRequest } from "./request.ts";

/** What the service says of credentials, asked by a send that cannot be delivered. */
export type Verdict =
  /** It took them; this is the path at which it did. */
  | { readonly kind: "taken"; readonly path: string }
  /** It refused them, by 401 or 403, or said neither. */
  | { readonly kind: "refused" | "unknown"; readonly failure: Failure };

/** The two forms of the path that the service's documents show, the reference's first. */
const paths = [sendPath, "/v1/sms/send"] as const;

/**
 * Asks the service whether it takes these credentials, by a send request with an empty JSON object, which no service can
 * deliver: 401 and 403 refuse them, any other refusal of the request itself takes them. Where the first path answers 404
 * and the second does not, the second is the service's. `ask` makes one attempt; `now` is in milliseconds.
 */
export async function verify(
  service: Omit<Service, "path">,
  userAgent: string,
  ask: (request: WireRequest) => Promise<Exchange>,
  now: number,
): Promise<Verdict> {
  const verdictAt = async (path: string): Promise<Verdict> =>
    judgeCheck(await ask(wireRequest({ ...service, path }, {}, userAgent)), path, now);
  const [first, second] = paths;
  const verdict = await verdictAt(first);
  if (!isNotFound(verdict)) return verdict;
  const other = await verdictAt(second);
  return isNotFound(other) ? verdict : other;
}

function judgeCheck(exchange: Exchange, path: string, now: number): Verdict {
  // No answer can be a receipt for nobody, so this is never `accepted`.
  const outcome = judge(exchange, "", now);
  if (outcome.kind === "accepted") return { kind: "taken", path };
  const { failure } = outcome;
  const isRefused = failure.kind === "unauthorized" || failure.kind === "forbidden";
  if (isRefused) return { kind: "refused", failure };
  return outcome.kind === "rejected" ? { kind: "taken", path } : { kind: "unknown", failure };
}

function isNotFound(verdict: Verdict): boolean {
  return verdict.kind !== "taken" && verdict.failure.httpStatus === 404;
}
