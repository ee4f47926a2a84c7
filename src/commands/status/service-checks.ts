import { certificateWarning } from "../../core/address.ts";
import { rotationCommand, rotationReminder } from "../../core/key.ts";
import { SmsError } from "../../errors.ts";
import { type Check, failed } from "../../output/checks.ts";
import type { Status } from "../../output/status.ts";
import { plural, sendHint } from "../../output/text.ts";
import { credentialsSource, type Resolved } from "../../profiles/resolve.ts";
import type { Exchange } from "../../service/exchange.ts";
import { isTlsFault } from "../../service/verify.ts";
import type { Context } from "../shared/context.ts";
import { allowedProxy } from "../shared/destination.ts";
import { type Asked, askService } from "../shared/verification.ts";
import { attempt } from "./attempt.ts";

/** How far the clocks may differ. Milliseconds. */
const mostSkew = 60_000;

/** What one request to the service shows. */
interface ServiceChecks {
  /** The way to it and the credentials. */
  readonly service: readonly Check[];
  readonly clock: Check;
}

/** Asks the service once, and checks everything that the answer shows. */
export async function checkService(resolved: Resolved | undefined, context: Context): Promise<ServiceChecks> {
  const notAsked = (check: Check["check"]) => notChecked(check, "the service was not asked");
  const without = (reach: Check) => ({
    service: [reach, notAsked("tls"), notAsked("credentials")],
    clock: notAsked("clock"),
  });
  if (resolved === undefined) return without(notAsked("reach"));
  const asked = await attempt(() => askService(resolved, context));
  if (asked instanceof SmsError) return without(failed("reach", asked));
  const { exchange } = asked;
  const isTls = exchange.kind === "unreached" && isTlsFault(exchange.why);
  const isReached = exchange.kind !== "unreached" || isTls;
  const notReached = "the service was not reached";
  const service = [
    checkReach(resolved, asked, isReached, context),
    isReached ? checkTls(resolved, asked, isTls, context) : notChecked("tls", notReached),
    exchange.kind === "unreached" ? notChecked("credentials", notReached) : checkCredentials(resolved, asked),
  ];
  return { service, clock: checkClock(asked, context.host.now()) };
}

/** Checks whether a key is due for rotation, which is a reminder and no failure. */
export function checkRotation(credentials: Status["credentials"] | undefined, profile: string | undefined): Check {
  const check = "rotation";
  if (credentials?.kind !== "key" || credentials.name === null || credentials.ageDays === null) {
    return notChecked(check, "only keys in a profile have a known age");
  }
  const { name, ageDays } = credentials;
  const reminder = rotationReminder(name, ageDays);
  return reminder === undefined
    ? { check, ok: true, text: `key ${JSON.stringify(name)} is ${plural(ageDays, "day")} old` }
    : { check, ok: true, text: reminder, fix: rotationCommand(name, profile) };
}

function checkReach(resolved: Resolved, { verdict }: Asked, isReached: boolean, { host }: Context): Check {
  const check = "reach";
  const refusal = verdict.kind === "valid" ? undefined : verdict;
  const isOther = refusal?.failure.kind === "not-the-service";
  if (refusal !== undefined && (isOther || !isReached)) {
    const { failure, hint = sendHint(failure.kind, "", resolved.sources.baseUrl) } = refusal;
    const message = isOther ? `another server answers there: HTTP ${failure.httpStatus}` : failure.error;
    return failed(check, { ...failure, message, hint });
  }
  const proxy = allowedProxy(resolved, host.environment);
  const way = proxy === undefined ? "directly" : `through the proxy ${proxy.host}`;
  return { check, ok: true, text: `${resolved.address.origin} was reached ${way}` };
}

function checkTls({ address, sources }: Resolved, { verdict }: Asked, isFault: boolean, { host }: Context): Check {
  const check = "tls";
  if (isFault && verdict.kind !== "valid") {
    const { failure } = verdict;
    const hint = verdict.hint ?? `check the base URL, which came from ${sources.baseUrl}`;
    return failed(check, { ...failure, message: failure.error, hint });
  }
  if (!address.origin.startsWith("https:")) {
    return address.isLoopback
      ? { check, ok: null, text: "not used: http stays on this machine" }
      : {
          check,
          ok: true,
          text: "not used: others can read test messages on the way",
          fix: "write the base URL with https",
        };
  }
  return certificateWarning(address, host.environment) === undefined
    ? { check, ok: true, text: "the certificate is trusted" }
    : { check, ok: true, text: "NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off", fix: "unset it" };
}

function checkCredentials(resolved: Resolved, { verdict }: Asked): Check {
  const check = "credentials";
  const source = credentialsSource(resolved);
  if (verdict.kind === "valid") return { check, ok: true, text: `valid (${source})` };
  const { failure } = verdict;
  if (failure.kind === "not-the-service") return notChecked(check, "another server answers there");
  const isRefused = verdict.kind === "refused";
  const kind = isRefused ? "unauthorized" : failure.kind;
  const hint = verdict.hint ?? (isRefused ? sendHint(kind, source, "") : "try again: nothing was sent");
  const message = isRefused ? `refused: ${failure.error} (HTTP ${failure.httpStatus})` : failure.error;
  return failed(check, { kind, errorCode: failure.errorCode, message, hint });
}

function checkClock({ exchange, began }: Asked, ended: number): Check {
  const check = "clock";
  const date = dateOf(exchange);
  if (date === undefined) return notChecked(check, "no answer of the service has a date");
  // The date is in whole seconds, from some time between question and answer.
  const ahead = Math.max(0, began - date - 1000);
  const behind = Math.max(0, date - ended);
  const skew = Math.max(ahead, behind);
  if (skew <= mostSkew) return { check, ok: true, text: "agrees with the service's within a minute" };
  return failed(check, {
    kind: "usage",
    errorCode: "CLOCK_SKEW",
    message: `is ${durationText(skew)} ${ahead > 0 ? "ahead of" : "behind"} the service's`,
    hint: "set the clock of this machine",
  });
}

/** The `Date` of an answer, in milliseconds since 1970. */
function dateOf(exchange: Exchange): number | undefined {
  const answer = exchange.kind === "unreached" ? undefined : exchange.answer;
  const date = Date.parse(String(answer?.headers["date"]));
  return Number.isNaN(date) ? undefined : date;
}

function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return plural(minutes, "minute");
  const hours = Math.round(minutes / 60);
  return hours < 48 ? plural(hours, "hour") : plural(Math.round(hours / 24), "day");
}

function notChecked(check: Check["check"], why: string): Check {
  return { check, ok: null, text: `not checked: ${why}` };
}
