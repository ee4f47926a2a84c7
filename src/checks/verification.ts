// checks: the service's answer about credentials, and the settings of the next send.

import { learnCredentials, learnProfile } from "../profiles/secrets.ts";
import { type Address, certificateWarning, requireSafeFor, sendPath } from "../service/address.ts";
import type { Credentials } from "../service/credentials.ts";
import { interruption, SmsError } from "../errors.ts";
import { sendHint } from "../terminal/text.ts";
import { loadStore } from "../profiles/resolve.ts";
import { openDispatcher } from "../service/connection.ts";
import { exchange, type Exchange } from "../service/exchange.ts";
import { type Service, type WireRequest, wireRequest } from "../service/request.ts";
import { userAgent } from "../version.ts";
import { type Context } from "../terminal/context.ts";
import { allowedProxy } from "../sending/destination.ts";
import type { Failure } from "../message/outcome.ts";
import { isDocumentedRefusal, judge } from "../service/answer.ts";

const timeoutMs = 30_000;

/** Throws if the service refuses the credentials or gives no clear answer. */
export async function verifyCredentials(
  service: { readonly address: Address; readonly credentials: Credentials },
  source: string,
  context: Context,
  wayOn?: "--no-verify",
): Promise<string> {
  const { host, presenter } = context;
  const { address, credentials } = service;
  requireSafeFor(credentials, address, host.environment);
  const warning = certificateWarning(address, host.environment);
  if (warning !== undefined) presenter.warn(warning);
  const { verdict } = await askService(service, context);
  if (verdict.kind === "valid") return verdict.path;
  const { kind, error, errorCode, httpStatus } = verdict.failure;
  const skip = verdict.kind === "unknown" && wayOn !== undefined ? `; ${wayOn} stores it without asking` : "";
  throw new SmsError(kind, error, {
    errorCode,
    hint: (verdict.hint ?? sendHint(kind, source, "") ?? "try again") + skip,
    outcome: "none",
    details: ["Nothing was stored."],
    httpStatus,
  });
}

export interface VerificationAnswer {
  readonly verdict: Verdict;
  readonly exchange: Exchange;
  readonly began: number;
}

/** If there is a `path`, only that is asked. Throws only on a signal. */
export async function askService(
  service: { readonly address: Address; readonly credentials: Credentials; readonly path?: string },
  { host, redactor, presenter }: Context,
): Promise<VerificationAnswer> {
  const { address, credentials } = service;
  learnCredentials(redactor, credentials);
  for (const profile of Object.values(loadStore(host).profiles)) learnProfile(redactor, profile);
  host.limitLookups(timeoutMs);
  const proxy = await allowedProxy(service, host.environment);
  const dispatcher = await openDispatcher(address.origin, proxy);
  const { stop, leave } = host.interruption();
  const either = AbortSignal.any([stop, leave]);
  const deadline = AbortSignal.timeout(timeoutMs);
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

type Verdict =
  | { readonly kind: "valid"; readonly path: string }
  /** A 401 refuses the credentials, a 403 this IP address. */
  | { readonly kind: "refused" | "unknown"; readonly failure: Failure; readonly hint?: string };

const paths = [sendPath, "/v1/sms/send"] as const;

/** No service delivers an empty JSON object. If only the first path answers 404, the second counts. */
export async function verify(
  { path: only, ...service }: Omit<Service, "path"> & { readonly path?: string },
  ask: (request: WireRequest) => Promise<Exchange>,
  now: number,
): Promise<Verdict> {
  const verdictAt = async (path: string): Promise<Verdict> => {
    const answer = await ask(wireRequest({ ...service, path }, {}, userAgent));
    return isDocumentedRefusal(answer) ? { kind: "valid", path } : judgeRefusal(answer, service.address, now);
  };
  if (only !== undefined) return verdictAt(only);
  const [first, second] = paths;
  const verdict = await verdictAt(first);
  if (!isNotFound(verdict)) return verdict;
  const other = await verdictAt(second);
  return isNotFound(other) ? verdict : other;
}

function judgeRefusal(answer: Exchange, address: Address, now: number): Verdict {
  const outcome = judge(answer, { to: "", now });
  // No receipt is for an empty number.
  if (outcome.kind === "accepted") throw new Error("a check of credentials was accepted as a message");
  const { failure } = outcome;
  const hint = outcome.kind === "uncertain" ? undefined : outcome.hint;
  switch (failure.kind) {
    case "unauthorized":
      return { kind: "refused", failure, hint };
    case "forbidden": {
      // No message names a sender here.
      const limited = "the key may be limited to other IP addresses: see the dashboard (Settings, API Keys)";
      return { kind: "refused", failure: { ...failure, kind: "unauthorized" }, hint: hint ?? limited };
    }
    case "unreachable": {
      const way = "check the network, the proxy and the base URL; --verbose shows the connection";
      return { kind: "unknown", failure, hint: hint ?? way };
    }
    default:
      return { kind: "unknown", failure: undocumented(failure), hint: wayOut(failure, address) };
  }
}

/** The check delivers nothing, so that asking again is always safe. */
function undocumented({ kind, error, httpStatus }: Failure): Failure {
  const seen = httpStatus === undefined ? error : `HTTP ${httpStatus}`;
  const other = kind === "not-the-service" ? error : `the service did not answer as documented: ${seen}`;
  return { kind: "not-the-service", error: other, errorCode: "NOT_THE_SERVICE", httpStatus };
}

function wayOut({ kind, httpStatus = 500 }: Failure, { origin }: Address): string {
  if (kind === "rate-limited" || httpStatus >= 500) return "try again in a minute, or check the base URL";
  const scheme = origin.startsWith("http:") && httpStatus === 400 ? "; a port for https needs https://" : "";
  return `check the base URL: another server, or a gateway before the service, answered${scheme}`;
}

function isNotFound(verdict: Verdict): boolean {
  return verdict.kind !== "valid" && verdict.failure.httpStatus === 404;
}
