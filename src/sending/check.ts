import { existsSync } from "node:fs";
import { certificateWarning } from "../service/address.ts";
import { rotationCommand, rotationReminder } from "../key.ts";
import { type ErrorKind, SmsError } from "../errors.ts";
import { errorCode as codeOf } from "../files/open-file.ts";
import { requirePrivateFolder } from "../files/privacy.ts";
import { roomIn } from "../files/durable.ts";
import { requirePrivateState } from "../files/state-folder.ts";
import type { Host } from "../host.ts";
import { countText, plural } from "../words/count.ts";
import { balanceText, sendHint } from "../terminal/text.ts";
import { configFolder, stateFolder } from "../profiles/folders.ts";
import {
  chooseProfile,
  type ChosenProfile,
  credentialsSource,
  loadStore,
  resolve,
  type Resolved,
} from "../profiles/resolve.ts";
import { statusOf } from "../profiles/keys.ts";
import { credentialsPurpose } from "../profiles/read.ts";
import type { Break } from "../service/exchange.ts";
import type { Context } from "../terminal/context.ts";
import { allowedProxy, announceKeyCommand } from "./destination.ts";
import { machineRecord, notedOf, sharedRecord } from "../profiles/record.ts";
import { type Asked, askService } from "./verification.ts";

/** A check by its name in JSON, and as a person reads it. */
export interface NamedCheck extends Check {
  readonly check: string;
  readonly label: string;
}

interface Check {
  /** Null if it could not be checked, or does not apply. */
  readonly ok: boolean | null;
  readonly text: string;
  /** What to do about it; with `ok`, soon. */
  readonly fix?: string;
  /** How the command ends if this is the first that failed. */
  readonly failure?: { readonly kind: ErrorKind; readonly errorCode: string };
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

/** Checks what the next send would use; the status is undefined if there is none. */
export async function checkAll(profile: string | undefined, context: Context) {
  const { host, presenter } = context;
  const credentialsFolder = await checkFolder(configFolder(host), "SMS_CONFIG_DIR", async (folder) => {
    requirePrivateFolder(folder, host.uid, credentialsPurpose);
    loadStore(host);
  });
  const state = stateFolder(host);
  const isReadable = credentialsFolder.ok !== false;
  const { value: chosen, error } = await attempt(async () => (isReadable ? chooseProfile(host, profile) : undefined));
  const announce = (source: string) => announceKeyCommand(source, presenter);
  const resolved = await attempt(async () => chosen && resolve(host, chosen, announce));
  const { value: status } = await attempt(
    async () =>
      chosen && statusOf(chosen, host, { noted: (payer) => notedOf(payer, host, chosen), known: resolved.value }),
  );
  const service = await checkService(resolved.value, context);
  const all: readonly (readonly [check: string, label: string, found: Check | undefined])[] = [
    ["configuration", "Configuration", checkConfiguration(error ?? resolved.error, chosen)],
    ["reach", "Reach", service.reach],
    ["tls", "TLS", service.tls],
    ["credentials", "Credentials", service.credentials],
    ["rotation", "Rotation", checkRotation(status, profile)],
    ["balance", "Balance", status && checkBalance(status)],
    ["credentials-folder", "Credentials folder", credentialsFolder],
    [
      "state-folder",
      "State folder",
      await checkFolder(state?.path, "SMS_STATE_DIR", async () => {
        if (state === undefined) return;
        for (const name of ["runs", "once", "history", "spending"]) requirePrivateState(state, name);
        await (await machineRecord(host)?.optOuts())?.numbers();
      }),
    ],
    ["record", "Record", error === undefined ? await checkRecord(chosen, host) : undefined],
    ["room", "Room to record", checkRoom(state?.path)],
    ["clock", "Clock", service.clock],
  ];
  const checks = all.flatMap(([check, label, found]): readonly NamedCheck[] =>
    found === undefined ? [] : [{ check, label, ...found }],
  );
  return { status, chosen, checks };
}

/** Returns what the work returns, or the error that it throws, unless that is a signal. */
async function attempt<T>(
  work: () => Promise<T>,
): Promise<{ readonly value?: T | undefined; readonly error?: SmsError | undefined }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof SmsError && error.errorCode !== "INTERRUPTED") return { error };
    throw error;
  }
}

/** Checks that the record of a team can be used; undefined if this machine keeps its own. */
async function checkRecord(chosen: ChosenProfile | undefined, host: Host): Promise<Check | undefined> {
  const { value, error } = await attempt(async () => {
    const shared = sharedRecord(host, chosen);
    return shared && inspectShared(shared.url, host);
  });
  return error === undefined ? value : failed(error);
}

async function inspectShared(url: string, host: Host): Promise<Check> {
  const { readRecordAddress } = await import("../record/postgres/address.ts");
  const { inspectRecord } = await import("../record/postgres/tables.ts");
  const address = readRecordAddress(url, host);
  const { isWritable } = await inspectRecord(address, host.processes.pid);
  if (isWritable) return passed(`${address.place} can be reached and written`);
  const message = `${address.place} can be reached, but not written`;
  return failed({ kind: "usage", errorCode: "RECORD_UNAVAILABLE", message, hint: "grant the rights in docs/team.md" });
}

function checkConfiguration(error: SmsError | undefined, chosen: ChosenProfile | undefined): Check {
  if (error !== undefined) return failed(error);
  if (chosen === undefined) return notChecked("the stored credentials cannot be used");
  return passed("base URL and credentials are set");
}

/** The least free room, enough for a run of some 30,000 messages. Bytes. */
const leastRoom = 10_000_000;

function checkRoom(path: string | undefined): Check {
  if (path === undefined) return { ok: null, text: "there is no folder to record in" };
  const lacks = (message: string, fix: string) => {
    const hint = `${fix}, or set SMS_STATE_DIR to another folder`;
    return failed({ kind: "usage", errorCode: "NOT_RECORDABLE", message, hint });
  };
  try {
    const room = roomIn(path);
    const text = `${countText(Math.floor(room / 1_000_000))} MB free for ${path}`;
    return room < leastRoom ? lacks(text, "make room there") : passed(text);
  } catch (error) {
    return lacks(`nothing can be written in ${path} (${codeOf(error)})`, "check that you may write there");
  }
}

/** Checks with `inspect` that a folder and what is in it are whole, and for this user alone. */
async function checkFolder(
  path: string | undefined,
  source: string,
  inspect: (path: string) => Promise<void>,
): Promise<Check> {
  if (path === undefined) return { ok: null, text: `none: this user has no home folder, and ${source} is not set` };
  const { error } = await attempt(() => inspect(path));
  if (error !== undefined) return failed(error);
  return passed(existsSync(path) ? `${path} is for you alone` : `${path} is not there yet`);
}

/** How far the clocks may differ. Milliseconds. */
const mostSkew = 60_000;

/** Asks the service once, and checks everything that the answer shows. */
async function checkService(resolved: Resolved | undefined, context: Context) {
  const notAsked = notChecked("the service was not asked");
  const without = (reach: Check) => ({ reach, tls: notAsked, credentials: notAsked, clock: notAsked });
  if (resolved === undefined) return without(notAsked);
  const { value: asked, error } = await attempt(() => askService(resolved, context));
  if (asked === undefined) return without(error === undefined ? notAsked : failed(error));
  const { exchange } = asked;
  const isTls = exchange.kind === "unreached" && isTlsFault(exchange.why);
  const isReached = exchange.kind !== "unreached" || isTls;
  const notReached = notChecked("the service was not reached");
  return {
    reach: checkReach(resolved, { asked, isReached }, context),
    tls: isReached ? checkTls(resolved, { asked, isFault: isTls }, context) : notReached,
    credentials: exchange.kind === "unreached" ? notReached : checkCredentials(resolved, asked),
    clock: checkClock(asked, context.host.now()),
  };
}

/** Checks whether a key is due for rotation, which is a reminder and no failure. */
function checkRotation(status: Awaited<ReturnType<typeof statusOf>> | undefined, profile: string | undefined): Check {
  const credentials = status?.credentials;
  if (credentials?.kind !== "key" || credentials.name === null || credentials.ageDays === null) {
    return notChecked("only keys in a profile have a known age");
  }
  const { name, ageDays } = credentials;
  const reminder = rotationReminder(name, ageDays);
  if (reminder !== undefined) return passed(reminder, rotationCommand(name, profile));
  return passed(`key ${JSON.stringify(name)} is ${plural(ageDays, "day")} old`);
}

/** Checks the last known balance, which only receipts tell; undefined if the profile has no `low-balance`. */
function checkBalance({ balance, lowBalance }: Awaited<ReturnType<typeof statusOf>>): Check | undefined {
  if (lowBalance === undefined) return undefined;
  if (balance === undefined) return notChecked("the balance is not known yet");
  const message = balanceText(balance.credits, lowBalance);
  if (balance.credits >= lowBalance) return passed(message);
  return failed({ kind: "no-credits", errorCode: "LOW_BALANCE", message, hint: "top the account up" });
}

function checkReach(
  resolved: Resolved,
  { asked: { verdict }, isReached }: { readonly asked: Asked; readonly isReached: boolean },
  { host }: Context,
): Check {
  const refusal = verdict.kind === "valid" ? undefined : verdict;
  const isOther = refusal?.failure.kind === "not-the-service";
  if (refusal !== undefined && (isOther || !isReached)) {
    const { failure, hint = sendHint(failure.kind, "", resolved.sources.baseUrl) } = refusal;
    const message = isOther ? `another server answers there: HTTP ${failure.httpStatus}` : failure.error;
    return failed({ ...failure, message, hint });
  }
  const proxy = allowedProxy(resolved, host.environment);
  const way = proxy === undefined ? "directly" : `through the proxy ${proxy.host}`;
  return passed(`${resolved.address.origin} was reached ${way}`);
}

function checkTls(
  { address, sources }: Resolved,
  { asked: { verdict }, isFault }: { readonly asked: Asked; readonly isFault: boolean },
  { host }: Context,
): Check {
  if (isFault && verdict.kind !== "valid") {
    const { failure } = verdict;
    const hint = verdict.hint ?? `check the base URL, which came from ${sources.baseUrl}`;
    return failed({ ...failure, message: failure.error, hint });
  }
  if (!address.origin.startsWith("https:")) {
    return address.isLoopback
      ? { ok: null, text: "not used: http stays on this machine" }
      : passed("not used: others can read test messages on the way", "write the base URL with https");
  }
  return certificateWarning(address, host.environment) === undefined
    ? passed("the certificate is trusted")
    : passed("NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off", "unset it");
}

function checkCredentials(resolved: Resolved, { verdict }: Asked): Check {
  const source = credentialsSource(resolved);
  if (verdict.kind === "valid") return passed(`valid (${source})`);
  const { failure } = verdict;
  if (failure.kind === "not-the-service") return notChecked("another server answers there");
  const isRefused = verdict.kind === "refused";
  const kind = isRefused ? "unauthorized" : failure.kind;
  const isPlain = failure.errorCode === "NO_ANSWER" && resolved.address.origin.startsWith("http:");
  const again = `try again${isPlain ? ", with https:// if it is a port for https" : ""}: nothing was sent`;
  const hint = verdict.hint ?? (isRefused ? sendHint(kind, source, "") : again);
  const message = isRefused ? `refused: ${failure.error} (HTTP ${failure.httpStatus})` : failure.error;
  return failed({ kind, errorCode: failure.errorCode, message, hint });
}

function checkClock({ exchange, began }: Asked, ended: number): Check {
  const answer = exchange.kind === "unreached" ? undefined : exchange.answer;
  const date = Date.parse(String(answer?.headers["date"]));
  if (Number.isNaN(date)) return notChecked("no answer of the service has a date");
  // The date is in whole seconds, from some time between question and answer.
  if (Math.max(began - date - 1000, date - ended) <= mostSkew) {
    return passed("agrees with the service's within a minute");
  }
  const [own, other] = [began, date].map((at) => new Date(at).toISOString().slice(0, 19));
  const message = `says ${own}Z, and the service's ${other}Z`;
  return failed({ kind: "usage", errorCode: "CLOCK_SKEW", message, hint: "set the clock of this machine" });
}

/** Whether TLS failed, after a connection was made. */
function isTlsFault(why: Break): boolean {
  return why.kind === "network" && /CERT|^UNABLE_TO_|^ERR_(SSL|TLS)_|^EPROTO$/.test(why.code);
}
