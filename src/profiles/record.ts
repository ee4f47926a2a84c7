import type { Outcome } from "../message/outcome.ts";
import { variable } from "./environment.ts";
import { invalidOption } from "../errors.ts";
import type { Host } from "../host.ts";
import { noFolder, type Recorded, stateFolder } from "./folders.ts";
import { credentialsId } from "./payer.ts";
import { profileInUse, type ProfileInUse, type Resolved } from "./resolve.ts";
import type { Profile } from "./stored.ts";
import type { AccountStanding } from "../record/account.ts";
import type { HistoryKeeper } from "../record/history.ts";
import { folderRecord } from "../record/folder/folder-record.ts";
import type { RecordKeeper } from "../record/record-keeper.ts";

/** SMS_RECORD comes before the profile. If this machine keeps its own record, this is undefined. */
export function sharedRecord(host: Host, profile?: Profile) {
  const ofEnvironment = variable(host.environment, "SMS_RECORD");
  if (ofEnvironment !== undefined) return { url: ofEnvironment, source: "SMS_RECORD" };
  const { record: url } = (profile ?? profileInUse(host, undefined)).defaults;
  return url === undefined ? undefined : { url, source: "profile" };
}

/** The place has no password. Throws `INVALID_RECORD`. */
export async function placeOfRecord(url: string): Promise<string> {
  return (await import("../record/postgres/address.ts")).readRecordAddress(url).place;
}

/** The profile in use is read only if a command needs it, so this is undefined without `--profile`. */
export function namedProfile(host: Host, name: string | undefined): ProfileInUse | undefined {
  return name === undefined ? undefined : profileInUse(host, name);
}

export function recordWords(host: Host, profile?: Profile) {
  return sharedRecord(host, profile) === undefined
    ? { sender: "sms", of: "" }
    : { sender: "your team", of: " of your team" };
}

/** If this user has no folder for a record, this is undefined. Only the record of a team loads the client of the database. */
export async function openRecord(host: Host, profile?: Profile): Promise<RecordKeeper | undefined> {
  const shared = sharedRecord(host, profile);
  if (shared !== undefined)
    return (await import("../record/postgres/postgres-record.ts")).postgresRecord(shared.url, host);
  const state = stateFolder(host);
  return state && folderRecord(state, host);
}

/** If SMS_HISTORY or the profile turns the history off, this is undefined. */
export async function historyOf(host: Host, profile: Profile | undefined): Promise<HistoryKeeper | undefined> {
  const setting = variable(host.environment, "SMS_HISTORY") ?? profile?.defaults.history;
  if (setting !== undefined && setting !== "on" && setting !== "off")
    throw invalidOption(`SMS_HISTORY does not take ${JSON.stringify(setting)}`, "set it to on or off");
  return setting === "off" ? undefined : (await openRecord(host, profile))?.history();
}

/** Throws a usage error `NO_HOME` if there is no record. */
export async function requireRecord(host: Host, what: Recorded, profile?: Profile): Promise<RecordKeeper> {
  const record = await openRecord(host, profile);
  if (record === undefined) throw noFolder(what);
  return record;
}

export async function notedOf(credentials: string, host: Host, profile: Profile | undefined): Promise<AccountStanding> {
  const account = await (await openRecord(host, profile))?.account();
  return (await account?.noted(credentials)) ?? {};
}

export async function noteOutcome(
  { address, credentials }: Pick<Resolved, "address" | "credentials">,
  outcome: Outcome,
  host: Host,
  profile: Profile | undefined,
): Promise<void> {
  const account = await (await openRecord(host, profile))?.account();
  await account?.note(credentialsId(address, credentials), outcome, host.now());
}
