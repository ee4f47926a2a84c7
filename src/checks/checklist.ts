import { certificateWarning } from "../service/address.ts";
import { type ErrorKind, SmsError } from "../errors.ts";
import { errorCode as codeOf } from "../files/file-system.ts";
import { roomIn } from "../files/durable.ts";
import { countText } from "../words/count.ts";
import { balanceText, sendHint } from "../terminal/text.ts";
import { stateFolder } from "../profiles/folders.ts";
import { profileInUse, type ProfileInUse, credentialsSource, resolve, type Resolved } from "../profiles/resolve.ts";
import type { Host } from "../host.ts";
import type { Break } from "../service/exchange.ts";
import type { Context } from "../terminal/context.ts";
import { allowedProxy } from "../sending/destination.ts";
import { openRecord, sharedRecord } from "../profiles/record.ts";
import { readStatus, type Status } from "./status.ts";
import { type VerificationAnswer, askService } from "./verification.ts";

interface Check {
  /** Null means that nothing was checked, or that the check does not apply. */
  readonly ok: boolean | null;
  readonly text: string;
  readonly fix?: string;
  readonly failure?: { readonly kind: ErrorKind; readonly errorCode: string };
}

export interface NamedCheck extends Check {
  readonly check: string;
  readonly label: string;
}

function passed(text: string, fix?: string): Check {
  return { ok: true, text, fix };
}

function notChecked(why: string): Check {
  return { ok: null, text: `not checked: ${why}` };
}

function failed({ kind, errorCode, message, hint }: Pick<SmsError, "kind" | "errorCode" | "message" | "hint">): Check {
  return { ok: false, text: message, fix: hint, failure: { kind, errorCode } };
}

export async function checkAll(name: string | undefined, context: Context) {
  const { host, presenter } = context;
  const profile = profileInUse(host, name);
  const service = await resolve(host, profile, presenter);
  const status = await readStatus(profile, host, service);
  const { reach, tls, credentials, clock } = await checkService(service, context);
  const balance = checkBalance(status.facts);
  const checks: readonly NamedCheck[] = [
    { check: "reach", label: "Reach", ...reach },
    { check: "tls", label: "TLS", ...tls },
    { check: "credentials", label: "Credentials", ...credentials },
    ...(balance === undefined ? [] : [{ check: "balance", label: "Balance", ...balance }]),
    { check: "room", label: "Room to record", ...(await checkRoom(profile, host)) },
    { check: "clock", label: "Clock", ...clock },
  ];
  return { status, checks };
}

/** Throws only on a signal. */
async function attempt<T>(work: () => Promise<T>): Promise<T | SmsError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SmsError && error.errorCode !== "INTERRUPTED") return error;
    throw error;
  }
}

/** A run of some 30,000 messages needs this. */
const leastRoomBytes = 10_000_000;

async function checkRoom(profile: ProfileInUse, host: Host): Promise<Check> {
  if (sharedRecord(host, profile) === undefined) {
    const folder = stateFolder(host);
    return folder === undefined ? { ok: null, text: "there is no folder to record in" } : checkFolder(folder.path);
  }
  const error = await attempt(async () => (await openRecord(host, profile))?.requireWritable());
  return error instanceof SmsError ? failed(error) : passed("the record of your team can be written");
}

function checkFolder(path: string): Check {
  const lacks = (message: string, fix: string) => {
    const hint = `${fix}, or set SMS_STATE_DIR to another folder`;
    return failed({ kind: "usage", errorCode: "NOT_RECORDABLE", message, hint });
  };
  try {
    const room = roomIn(path);
    const text = `${countText(Math.floor(room / 1_000_000))} MB free for ${path}`;
    return room < leastRoomBytes ? lacks(text, "make room there") : passed(text);
  } catch (error) {
    return lacks(`nothing can be written in ${path} (${codeOf(error)})`, "check that you may write there");
  }
}

async function checkService(service: Resolved, context: Context) {
  const answer = await attempt(() => askService(service, context));
  if (answer instanceof SmsError) {
    const notAsked = notChecked("the service was not asked");
    return { reach: failed(answer), tls: notAsked, credentials: notAsked, clock: notAsked };
  }
  const { exchange, verdict, began } = answer;
  const { environment, now } = context.host;
  const isUnreached = exchange.kind === "unreached";
  const isTls = isUnreached && isTlsFault(exchange.why);
  const notReached = notChecked("the service was not reached");
  const outcome = checkVerdict(service, verdict);
  const date = exchange.kind === "unreached" ? undefined : exchange.answer?.headers["date"];
  return {
    reach: isUnreached && !isTls ? outcome : await wayTo(service, environment),
    tls: isTls ? outcome : isUnreached ? notReached : checkTls(service, environment),
    credentials: isUnreached ? notReached : outcome,
    clock: checkClock(date, began, now()),
  };
}

/** Only receipts tell the balance. */
function checkBalance({ balance, lowBalance }: Status["facts"]): Check | undefined {
  if (lowBalance === undefined) return undefined;
  if (balance === null) return notChecked("the balance is not known yet");
  const message = balanceText(balance.credits, lowBalance);
  if (balance.credits >= lowBalance) return passed(message);
  return failed({ kind: "no-credits", errorCode: "LOW_BALANCE", message, hint: "top the account up" });
}

async function wayTo(service: Resolved, environment: Host["environment"]): Promise<Check> {
  const proxy = await allowedProxy(service, environment);
  const way = proxy === undefined ? "directly" : `through the proxy ${proxy.host}`;
  return passed(`${service.address.origin} was reached ${way}`);
}

function checkTls({ address }: Resolved, environment: Host["environment"]): Check {
  if (!address.origin.startsWith("https:")) {
    return address.isLoopback
      ? { ok: null, text: "not used: http stays on this machine" }
      : passed("not used: others can read test messages on the way", "write the base URL with https");
  }
  return certificateWarning(address, environment) === undefined
    ? passed("the certificate is trusted")
    : passed("NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off", "unset it");
}

function checkVerdict(service: Resolved, verdict: VerificationAnswer["verdict"]): Check {
  const source = credentialsSource(service);
  if (verdict.kind === "valid") return passed(`valid (${source})`);
  const { failure, hint = sendHint(failure.kind, source, service.sources.baseUrl) } = verdict;
  const refused = `refused: ${failure.error} (HTTP ${failure.httpStatus})`;
  return failed({ ...failure, message: verdict.kind === "refused" ? refused : failure.error, hint });
}

const mostSkewMs = 60_000;

function checkClock(header: unknown, began: number, end: number): Check {
  const date = Date.parse(String(header));
  if (Number.isNaN(date)) return notChecked("no answer of the service has a date");
  // The date is in whole seconds, and of some time between question and answer.
  if (Math.max(began - date - 1000, date - end) <= mostSkewMs)
    return passed("agrees with the service's within a minute");
  const [here, there] = [began, date].map((at) => new Date(at).toISOString().slice(0, 19));
  const message = `says ${here}Z, and the service's ${there}Z`;
  return failed({ kind: "usage", errorCode: "CLOCK_SKEW", message, hint: "set the clock of this machine" });
}

function isTlsFault(why: Break): boolean {
  return why.kind === "network" && /CERT|^UNABLE_TO_|^ERR_(SSL|TLS)_|^EPROTO$/.test(why.code);
}
