import { sendPath } from "../message/address.ts";
import type { Failure } from "../message/outcome.ts";
import { judge } from "./answer.ts";
import type { Break, Exchange } from "./exchange.ts";
import { type Service, wireRequest, type WireRequest } from "./request.ts";

/** The result of a check of credentials. */
export type Verdict =
  /** The service accepts them, at this path. */
  | { readonly kind: "valid"; readonly path: string }
  /** The service refuses them, by 401 or 403; or the answer does not tell. */
  | { readonly kind: "refused" | "unknown"; readonly failure: Failure; readonly hint?: string };

/** The two paths in the service's documents, that of its reference first. */
const paths = [sendPath, "/v1/sms/send"] as const;

/**
 * Checks credentials by a send request with an empty JSON object, which no service can deliver: 401 and 403 refuse them, any
 * other refusal of the request accepts them. If the first path answers 404 and the second does not, the second one counts.
 * With `path` it asks there alone. `ask` makes one attempt; `now` is in milliseconds since 1970.
 */
export async function verify(
  { path: only, ...service }: Omit<Service, "path"> & { readonly path?: string },
  userAgent: string,
  ask: (request: WireRequest) => Promise<Exchange>,
  now: number,
): Promise<Verdict> {
  const verdictAt = async (path: string): Promise<Verdict> =>
    judgeCheck(await ask(wireRequest({ ...service, path }, {}, userAgent)), path, now);
  if (only !== undefined) return verdictAt(only);
  const [first, second] = paths;
  const verdict = await verdictAt(first);
  if (!isNotFound(verdict)) return verdict;
  const other = await verdictAt(second);
  return isNotFound(other) ? verdict : other;
}

function judgeCheck(exchange: Exchange, path: string, now: number): Verdict {
  // Never `accepted`, since no receipt is for an empty number.
  const outcome = judge(exchange, "", now);
  if (outcome.kind === "accepted") return { kind: "valid", path };
  const { failure } = outcome;
  const isRefused = failure.kind === "unauthorized" || failure.kind === "forbidden";
  if (isRefused) return { kind: "refused", failure };
  if (outcome.kind === "rejected") return { kind: "valid", path };
  const hint = outcome.kind === "unsent" ? outcome.hint : undefined;
  return { kind: "unknown", failure, ...(hint !== undefined && { hint }) };
}

function isNotFound(verdict: Verdict): boolean {
  return verdict.kind !== "valid" && verdict.failure.httpStatus === 404;
}

/** Whether TLS failed, after a connection was made. */
export function isTlsFault(why: Break): boolean {
  return why.kind === "network" && /CERT|^UNABLE_TO_|^ERR_(SSL|TLS)_|^EPROTO$/.test(why.code);
}
