// checks: the service's answer about credentials, and the settings of the next send.

import { learnCredentials, learnProfile } from "../profiles/secrets.ts";
import { type Address, certificateWarning, otherPath, requireSafeFor, sendPath } from "../service/address.ts";
import { interruptionError, SmsError } from "../errors.ts";
import { sendHint } from "../terminal/text.ts";
import { loadStore } from "../profiles/resolve.ts";
import { openDispatcher } from "../service/connection.ts";
import { exchange, type Exchange } from "../service/exchange.ts";
import { type Service, wireRequest } from "../service/request.ts";
import { userAgent } from "../version.ts";
import type { Context } from "../terminal/context.ts";
import { allowedProxy } from "../sending/destination.ts";
import type { Failure } from "../message/outcome.ts";
import { isDocumentedRefusal, judge } from "../service/answer.ts";

const timeoutMs = 30_000;

/** Returns the path that a send uses. Throws if the service refuses the credentials or gives no clear answer. */
export async function verifyCredentials(
  service: NewService,
  source: string,
  context: Context,
  wayOn?: "--no-verify",
): Promise<string> {
  const { environment } = context.host;
  requireSafeFor(service.credentials, service.address, environment);
  const warning = certificateWarning(service.address, environment);
  if (warning !== undefined) context.presenter.warn(warning);
  const { verdict } = await askService(service, context);
  if (verdict.kind === "valid") return verdict.path;
  const { kind, error, errorCode, httpStatus } = verdict.failure;
  const skip = verdict.kind === "unknown" && wayOn !== undefined ? `; ${wayOn} stores it without asking` : "";
  const hint = (verdict.hint ?? sendHint(kind, source, "") ?? "try again") + skip;
  throw new SmsError(kind, errorCode, error, { hint, outcome: "none", details: ["Nothing was stored."], httpStatus });
}

/** If there is a `path`, sms asks at no other. */
type NewService = Omit<Service, "path"> & Partial<Pick<Service, "path">>;

export interface VerificationAnswer {
  readonly verdict: Verdict;
  readonly exchange: Exchange;
  readonly began: number;
}

/** No service delivers an empty JSON object. If only the first path answers 404, the second counts. Throws only on a signal. */
export async function askService(
  service: NewService,
  { host, redactor, presenter }: Context,
): Promise<VerificationAnswer> {
  const { address, credentials } = service;
  learnCredentials(redactor, credentials);
  for (const profile of Object.values(loadStore(host).profiles)) learnProfile(redactor, profile);
  host.limitLookups(timeoutMs);
  const proxy = await allowedProxy(service, host.environment);
  const dispatcher = await openDispatcher(address.origin, proxy);
  // This request cannot deliver a message, so the first signal aborts it.
  const { stop } = host.interruption();
  const signals = { deadline: AbortSignal.timeout(timeoutMs), stop };
  const log = presenter.wireLog?.();
  const askAt = async (path: string): Promise<VerificationAnswer> => {
    const request = wireRequest({ ...service, path }, {}, userAgent);
    log?.({ kind: "request", request });
    const began = host.now();
    const answer = await exchange(dispatcher, request, signals);
    log?.({ kind: "exchange", exchange: answer });
    const verdict = isDocumentedRefusal(answer)
      ? ({ kind: "valid", path } as const)
      : judgeRefusal(answer, address, began, redactor.redactForeign);
    return { verdict, exchange: answer, began };
  };
  const ask = async () => {
    const only = service.path ?? address.path;
    const first = await askAt(only ?? sendPath);
    if (only !== undefined || !isNotFound(first)) return first;
    const second = await askAt(otherPath(sendPath));
    return isNotFound(second) ? atNeither(first, second) : second;
  };
  const what = credentials.kind === "key" ? "the key" : "the password";
  try {
    const answer = await presenter.waitFor(`Checking ${what} at ${address.origin}`, ask);
    if (stop.aborted) throw interruptionError(stop, "none");
    return answer;
  } finally {
    await dispatcher.destroy();
  }
}

type Verdict =
  | { readonly kind: "valid"; readonly path: string }
  /** A 401 refuses the credentials, a 403 this IP address. */
  | { readonly kind: "refused" | "unknown"; readonly failure: Failure; readonly hint?: string };

function judgeRefusal(answer: Exchange, address: Address, now: number, redact: (text: string) => string): Verdict {
  const outcome = judge(answer, { to: "", now, redact });
  // No receipt is for an empty number.
  if (outcome.kind === "accepted") throw new Error("a check of credentials was accepted as a message");
  const { failure } = outcome;
  const hint = outcome.kind === "uncertain" ? undefined : outcome.hint;
  switch (failure.kind) {
    case "unauthorized":
      return { kind: "refused", failure, hint };
    case "forbidden":
      // No message names a sender here.
      return {
        kind: "refused",
        failure: { ...failure, kind: "unauthorized" },
        hint: hint ?? "the key may be limited to other IP addresses: see the dashboard (Settings, API Keys)",
      };
    case "unreachable":
      return {
        kind: "unknown",
        failure,
        hint: hint ?? "check the network, the proxy and the base URL; --verbose shows the connection",
      };
    default:
      return { kind: "unknown", failure: undocumented(failure), hint: hint ?? wayOut(failure, address) };
  }
}

/** The check delivers nothing, so that asking again is always safe. */
function undocumented({ kind, error, httpStatus }: Failure): Failure {
  const answer = httpStatus === undefined ? error : `HTTP ${httpStatus}`;
  const reason = kind === "not-the-service" ? error : `the service did not answer as documented: ${answer}`;
  return { kind: "not-the-service", error: reason, errorCode: "NOT_THE_SERVICE", httpStatus };
}

function wayOut({ kind, httpStatus = 500 }: Failure, { origin }: Address): string {
  if (kind === "rate-limited" || httpStatus >= 500) return "try again in a minute, or check the base URL";
  const scheme = origin.startsWith("http:") && httpStatus === 400 ? "; a port for https needs https://" : "";
  return `check the base URL: another server, or a gateway before the service, answered${scheme}`;
}

/** The hint of one 404 would name the path that was asked as well. */
function atNeither(first: VerificationAnswer, second: VerificationAnswer): VerificationAnswer {
  if (first.verdict.kind === "valid" || second.verdict.kind === "valid") return first;
  const { failure } = first.verdict;
  const error = `${failure.error}; ${second.verdict.failure.error}`;
  return { ...first, verdict: { ...first.verdict, failure: { ...failure, error }, hint: "check the base URL" } };
}

function isNotFound({ verdict }: VerificationAnswer): boolean {
  return verdict.kind !== "valid" && verdict.failure.httpStatus === 404;
}
