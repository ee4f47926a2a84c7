import { learnCredentials, learnProfile } from "../profiles/secrets.ts";
import { type Address, certificateWarning, requireSafeFor, sendPath } from "../service/address.ts";
import type { Credentials } from "../service/credentials.ts";
import { type ErrorKind, interruption, SmsError } from "../errors.ts";
import { sendHint } from "../terminal/text.ts";
import { loadStore } from "../profiles/resolve.ts";
import { openDispatcher } from "../service/connection.ts";
import { exchange, type Exchange } from "../service/exchange.ts";
import { type Service, type WireRequest, wireRequest } from "../service/request.ts";
import { userAgent } from "../version.ts";
import { type Context } from "../terminal/context.ts";
import { allowedProxy } from "./destination.ts";
import type { Failure } from "../message/outcome.ts";
import { judge } from "../service/answer.ts";

const timeout = 30_000;

/** Returns the path at which the service accepts these credentials. Throws if it refuses or does not say. */
export async function verifyCredentials(
  { address, credentials }: { readonly address: Address; readonly credentials: Credentials },
  source: string,
  context: Context,
): Promise<string> {
  const { host, presenter } = context;
  requireSafeFor(credentials, address, host.environment);
  const warning = certificateWarning(address, host.environment);
  if (warning !== undefined) presenter.warn(warning);
  const { verdict } = await askService({ address, credentials }, context);
  if (verdict.kind === "valid") return verdict.path;
  const { kind, error, errorCode, httpStatus } = verdict.failure;
  const step = steps[kind] ?? (verdict.kind === "refused" ? sendHint(kind, source, "") : undefined);
  throw new SmsError(kind, error, {
    errorCode,
    hint: verdict.hint ?? step ?? "try again",
    outcome: "none",
    details: ["Nothing was stored."],
    ...(httpStatus !== undefined && { httpStatus }),
  });
}

/** The verdict on credentials, the exchange that it is from, and when that began, in milliseconds since 1970. */
export interface Asked {
  readonly verdict: Verdict;
  readonly exchange: Exchange;
  readonly began: number;
}

/** Asks the service whether these credentials are valid, only at `path` if there is one. Throws only on a signal. */
export async function askService(
  service: { readonly address: Address; readonly credentials: Credentials; readonly path?: string },
  { host, redactor, presenter }: Context,
): Promise<Asked> {
  const { address, credentials } = service;
  learnCredentials(redactor, credentials);
  for (const profile of Object.values(loadStore(host).profiles)) learnProfile(redactor, profile);
  host.limitLookups(timeout);
  const dispatcher = await openDispatcher(address.origin, allowedProxy({ address, credentials }, host.environment));
  const { stop, leave } = host.interruption();
  const either = AbortSignal.any([stop, leave]);
  const deadline = AbortSignal.timeout(timeout);
  const log = presenter.wireLog?.();
  let began = host.now();
  let last: Exchange = { kind: "unreached", why: { kind: "stopped" } };
  try {
    // This request cannot deliver a message, so the first signal aborts it.
    const send = async (request: WireRequest) => {
      log?.({ kind: "request", request });
      began = host.now();
      last = await exchange(dispatcher, request, { deadline, stop, leave: either });
      log?.({ kind: "exchange", exchange: last });
      return last;
    };
    const what = credentials.kind === "key" ? "the key" : "the password";
    const verdict = await presenter.waitFor(`Checking ${what} at ${address.origin}`, () =>
      verify(service, send, host.now()),
    );
    if (stop.aborted) throw interruption(stop, "none");
    return { verdict, exchange: last, began };
  } finally {
    await dispatcher.destroy();
  }
}

/** The next step. The check cannot have delivered anything, so trying again is safe. */
const steps: Partial<Record<ErrorKind, string>> = {
  unreachable: "check the network, the proxy and the base URL; --verbose shows the connection",
  "not-the-service": "check the base URL",
  // No message names a sender here.
  forbidden: "the key may be limited to other IP addresses: see the dashboard (Settings, API Keys)",
};

type Verdict =
  /** The service accepts them, at this path. */
  | { readonly kind: "valid"; readonly path: string }
  /** The service refuses them, by 401, or from this IP address, by 403; or the answer does not tell. */
  | { readonly kind: "refused" | "unknown"; readonly failure: Failure; readonly hint?: string };

/** The two paths in the service's documents; the path in its reference comes first. */
const paths = [sendPath, "/v1/sms/send"] as const;

/**
 * Checks credentials by a send request with an empty JSON object, which no service can deliver: 401 and 403 refuse them, any
 * other refusal of the request accepts them. If the first path answers 404 and the second does not, the second one counts.
 * With `path` it asks there alone. `ask` makes one attempt; `now` is in milliseconds since 1970.
 */
export async function verify(
  { path: only, ...service }: Omit<Service, "path"> & { readonly path?: string },
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

function judgeCheck(answer: Exchange, path: string, now: number): Verdict {
  // Never `accepted`, since no receipt is for an empty number.
  const outcome = judge(answer, { to: "", now });
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
