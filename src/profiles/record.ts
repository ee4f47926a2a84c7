import type { Outcome } from "../message/outcome.ts";
import { variable } from "./variable.ts";
import { invalidOption } from "../errors.ts";
import type { Host } from "../host.ts";
import { stateFolder } from "./folders.ts";
import { payerId } from "./payer.ts";
import { chooseProfile, type ChosenProfile, type Resolved } from "./resolve.ts";
import type { AccountNotes } from "../record/account.ts";
import type { HistoryKeeper } from "../record/history.ts";
import { folderRecord } from "../record/folder/record.ts";
import type { RecordKeeper } from "../record/record.ts";
import { noFolder, type Recorded } from "./folders.ts";

type Profiled = Pick<ChosenProfile, "profile">;

/** SMS_RECORD comes before the profile. If this machine keeps its own record, this is undefined. */
export function sharedRecord(host: Host, chosen?: Profiled) {
  const ofEnvironment = variable(host.environment, "SMS_RECORD");
  if (ofEnvironment !== undefined) return { url: ofEnvironment, source: "SMS_RECORD" };
  const { profile } = chosen ?? chooseProfile(host, undefined);
  const url = profile?.defaults.record;
  return url === undefined ? undefined : { url, source: "profile" };
}

/** The profile in use is read only if a command needs it, so this is undefined without `--profile`. */
export function namedProfile(host: Host, name: string | undefined): ChosenProfile | undefined {
  return name === undefined ? undefined : chooseProfile(host, name);
}

export function recordWords(host: Host, chosen?: Profiled) {
  return sharedRecord(host, chosen) === undefined
    ? { sender: "sms", of: "" }
    : { sender: "your team", of: " of your team" };
}

/** If this user has no folder for a record, this is undefined. */
export function openRecord(host: Host, chosen?: Profiled): RecordKeeper | undefined {
  const shared = sharedRecord(host, chosen);
  if (shared !== undefined) return recordOfTeam(shared.url, host);
  return machineRecord(host);
}

/** If SMS_HISTORY or the profile turns the history off, this is undefined. */
export async function historyOf(host: Host, chosen: ChosenProfile | undefined): Promise<HistoryKeeper | undefined> {
  const setting = variable(host.environment, "SMS_HISTORY") ?? chosen?.profile?.defaults.history;
  if (setting !== undefined && setting !== "on" && setting !== "off") {
    throw invalidOption(`SMS_HISTORY does not take ${JSON.stringify(setting)}`, "set it to on or off");
  }
  return setting === "off" ? undefined : openRecord(host, chosen)?.history();
}

function machineRecord(host: Host): RecordKeeper | undefined {
  const state = stateFolder(host);
  return state && folderRecord(state, host);
}

/** The first question loads the database's client. */
function recordOfTeam(url: string, host: Host): RecordKeeper {
  const open = async () => (await import("../record/postgres/record.ts")).postgresRecord(url, host);
  return {
    runs: async () => (await open()).runs(),
    once: async () => (await open()).once(),
    optOuts: async () => (await open()).optOuts(),
    history: async () => (await open()).history(),
    account: async () => (await open()).account(),
    requireWritable: async () => (await open()).requireWritable(),
  };
}

/** Throws a usage error `NO_HOME` if there is no record. */
export function requireRecord(host: Host, what: Recorded, chosen?: Profiled): RecordKeeper {
  const record = openRecord(host, chosen);
  if (record === undefined) throw noFolder(what);
  return record;
}

export async function notedOf(payer: string, host: Host, chosen: Profiled | undefined): Promise<AccountNotes> {
  const account = await openRecord(host, chosen)?.account();
  return (await account?.noted(payer)) ?? {};
}

export async function noteOutcome(
  { address, credentials }: Pick<Resolved, "address" | "credentials">,
  outcome: Outcome,
  { host, chosen }: { readonly host: Host; readonly chosen: Profiled | undefined },
): Promise<void> {
  const account = await openRecord(host, chosen)?.account();
  await account?.note(payerId(address, credentials), outcome, host.now());
}
