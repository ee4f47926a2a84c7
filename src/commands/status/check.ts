import { existsSync } from "node:fs";
import { certificateWarning } from "../../message/address.ts";
import { rotationCommand, rotationReminder } from "../../message/key.ts";
import { variable } from "../../message/variable.ts";
import { type EndingKind, endings, type ErrorKind, SmsError } from "../../errors.ts";
import { errorCode as codeOf } from "../../files/error-code.ts";
import { requirePrivateFolder } from "../../files/privacy.ts";
import { roomIn } from "../../files/room.ts";
import { requirePrivateState } from "../../files/state-folder.ts";
import { rulesOf } from "../../guards/guard.ts";
import { optOuts } from "../../guards/opt-outs.ts";
import type { Host } from "../../host.ts";
import { fitted } from "../../output/layout.ts";
import type { Page, View } from "../../output/presenter.ts";
import { countText, plural, sendHint } from "../../output/text.ts";
import { configFolder, stateFolder } from "../../profiles/folders.ts";
import {
  chooseProfile,
  type ChosenProfile,
  credentialsSource,
  loadStore,
  resolve,
  type Resolved,
} from "../../profiles/resolve.ts";
import { statusOf } from "../../profiles/keys.ts";
import { credentialsPurpose } from "../../profiles/read.ts";
import type { Exchange } from "../../service/exchange.ts";
import { isTlsFault } from "../../service/verify.ts";
import type { Context } from "../shared/context.ts";
import { allowedProxy, announceKeyCommand } from "../shared/destination.ts";
import { readLists } from "../shared/number-lists.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { type Asked, askService } from "../shared/verification.ts";
import { type Status, statusView } from "./view.ts";

/** Shows what the next send would use, and checks it. Ends as the first check that failed says. */
export async function checkStatus({ profile }: GlobalOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const credentialsFolder = checkCredentialsFolder(host);
  const choose = () => chooseProfile(host, profile);
  const chosen = credentialsFolder.ok === false ? undefined : await attempt(async () => choose());
  const announce = (source: string) => announceKeyCommand(source, presenter);
  const status = await attemptWith(chosen, (choice) => statusOf(choice, host));
  const resolved = await attemptWith(chosen, (choice) => resolve(host, choice, announce));
  const { service, clock } = await checkService(resolved instanceof SmsError ? undefined : resolved, context);
  const checks: readonly Check[] = [
    configurationCheck(resolved),
    ...service,
    checkRotation(status instanceof SmsError ? undefined : status?.credentials, profile),
    credentialsFolder,
    checkStateFolder(host),
    ...(await checkOnlyTo(chosen, host)),
    checkRoom(host),
    clock,
  ];
  const known = status === undefined || status instanceof SmsError ? undefined : statusView(status, host.now());
  presenter.show(checksView(known, checks));
  return checks.find(({ ok }) => ok === false)?.failure?.kind ?? "accepted";
}

function configurationCheck(resolved: object | undefined): Check {
  if (resolved instanceof SmsError) return failed("configuration", resolved);
  const check = "configuration";
  return resolved === undefined
    ? { check, ok: null, text: "not checked: the stored credentials cannot be used" }
    : { check, ok: true, text: "base URL and credentials are set" };
}

/** Checks that the lists that all recipients must be in can be read. Returns nothing if there is none. */
async function checkOnlyTo(chosen: ChosenProfile | SmsError | undefined, host: Host): Promise<readonly Check[]> {
  if (chosen === undefined || chosen instanceof SmsError) return [];
  const guards = await attempt(async () => {
    const ofEnvironment = variable(host.environment, "SMS_ONLY_TO");
    if ((ofEnvironment ?? chosen.profile?.defaults.onlyTo) === undefined) return [];
    return readLists({ exclude: undefined, onlyTo: undefined, variable: ofEnvironment, chosen }, undefined, host);
  });
  if (guards instanceof SmsError) return [failed("only-to", guards)];
  if (guards.length === 0) return [];
  return [{ check: "only-to", ok: true, text: rulesOf(guards).join(", and ") }];
}

/** Attempts work on what an earlier attempt returned; returns its error instead if that failed. */
async function attemptWith<T>(
  chosen: ChosenProfile | SmsError | undefined,
  work: (chosen: ChosenProfile) => Promise<T>,
): Promise<T | SmsError | undefined> {
  return chosen === undefined || chosen instanceof SmsError ? chosen : attempt(() => work(chosen));
}

/** Returns what the work returns, or the error that it throws, unless that is a signal. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | SmsError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SmsError && error.errorCode !== "INTERRUPTED") return error;
    throw error;
  }
}

/** The least free room, enough for a run of some 30,000 messages. Bytes. */
const leastRoom = 10_000_000;

/** Checks owner and mode of the folder and the file of the credentials, and that the file is whole. */
function checkCredentialsFolder(host: Host): Check {
  const folder = configFolder(host);
  return checkFolder("credentials-folder", folder, "SMS_CONFIG_DIR", () => {
    if (folder !== undefined) requirePrivateFolder(folder, host.uid, credentialsPurpose);
    loadStore(host);
  });
}

/** Checks owner and mode of the folder of state and of those in it, and that the list of opt-outs is whole. */
function checkStateFolder(host: Host): Check {
  const state = stateFolder(host);
  return checkFolder("state-folder", state?.path, "SMS_STATE_DIR", () => {
    if (state === undefined) return;
    for (const name of ["runs", "once", "history"]) requirePrivateState(state, name);
    optOuts(state);
  });
}

/** Checks that runs can be recorded. */
function checkRoom(host: Host): Check {
  const check = "room";
  const path = stateFolder(host)?.path;
  if (path === undefined) return { check, ok: null, text: "there is no folder to record in" };
  const lacks = (text: string, fix: string): Check => ({
    check,
    ok: false,
    text,
    fix: `${fix}, or name another folder in SMS_STATE_DIR`,
    failure: { kind: "usage", errorCode: "NOT_RECORDABLE" },
  });
  try {
    const room = roomIn(path);
    const text = `${countText(Math.floor(room / 1_000_000))} MB free for ${path}`;
    return room < leastRoom ? lacks(text, "make room there") : { check, ok: true, text };
  } catch (error) {
    return lacks(`nothing can be written in ${path} (${codeOf(error)})`, "check that you may write there");
  }
}

function checkFolder(check: Check["check"], path: string | undefined, source: string, inspect: () => void): Check {
  try {
    inspect();
    if (path === undefined) {
      return { check, ok: null, text: `none: this user has no home folder, and ${source} is not set` };
    }
    return { check, ok: true, text: existsSync(path) ? `${path} is for you alone` : `${path} is not there yet` };
  } catch (error) {
    if (error instanceof SmsError) return failed(check, error);
    throw error;
  }
}

/** How far the clocks may differ. Milliseconds. */
const mostSkew = 60_000;

/** What one request to the service shows. */
interface ServiceChecks {
  /** The way to it and the credentials. */
  readonly service: readonly Check[];
  readonly clock: Check;
}

/** Asks the service once, and checks everything that the answer shows. */
async function checkService(resolved: Resolved | undefined, context: Context): Promise<ServiceChecks> {
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
function checkRotation(credentials: Status["credentials"] | undefined, profile: string | undefined): Check {
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

/** The parts of `sms status --check`, in their order, and how a person reads them. */
const labels = {
  configuration: "Configuration",
  reach: "Reach",
  tls: "TLS",
  credentials: "Credentials",
  rotation: "Rotation",
  "credentials-folder": "Credentials folder",
  "state-folder": "State folder",
  "only-to": "Only-to list",
  room: "Room to record",
  clock: "Clock",
} as const;

/** One thing that was checked. */
export interface Check {
  readonly check: keyof typeof labels;
  /** Null if it could not be checked, or does not apply. */
  readonly ok: boolean | null;
  /** What was found. */
  readonly text: string;
  /** What to do about it; with `ok`, soon. */
  readonly fix?: string | undefined;
  /** How the command ends if this is the first that failed. */
  readonly failure?: { readonly kind: ErrorKind; readonly errorCode: string };
}

/** Returns a check that failed with an error. */
export function failed(
  check: Check["check"],
  error: {
    readonly kind: ErrorKind;
    readonly errorCode: string;
    readonly message: string;
    readonly hint?: string | undefined;
  },
): Check {
  const { kind, errorCode, message, hint } = error;
  return { check, ok: false, text: message, fix: hint, failure: { kind, errorCode } };
}

/** Shows checks, below the status that they are about if there is one; with `--quiet` those alone that failed. */
function checksView(status: View | undefined, checks: readonly Check[]): View {
  return {
    json: (page) => ({ ...objectOf(status?.json(page)), checks: checks.map((one) => checkJson(one, page)) }),
    quiet: (page) => checks.filter(({ ok }) => ok === false).map((one) => checkLine(one, page)),
    text: (page) =>
      `${status === undefined ? "" : `${status.text(page)}\n`}${checks.map((one) => `${checkLine(one, page)}\n`).join("")}`,
  };
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function checkJson({ check, ok, text, fix, failure }: Check, { foreign }: Page) {
  return {
    check,
    ok,
    text: foreign(text),
    ...(fix !== undefined && { fix: foreign(fix) }),
    ...(failure !== undefined && { errorCode: foreign(failure.errorCode), exitCode: endings[failure.kind].exitCode }),
  };
}

function checkLine({ check, ok, text, fix }: Check, page: Page): string {
  const { paint, foreign } = page;
  const mark = ok === null ? "-" : ok ? (fix === undefined ? paint.good("✓") : paint.doubtful("✓")) : paint.bad("✗");
  const width = Math.max(...Object.values(labels).map(({ length }) => length));
  const words = foreign(fix === undefined ? text : `${text}; ${fix}`);
  return `${mark} ${labels[check].padEnd(width)}  ${fitted(page, words, 0, width + 4)}`;
}
