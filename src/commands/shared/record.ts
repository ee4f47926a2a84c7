import type { Outcome } from "../../message/outcome.ts";
import type { Host } from "../../host.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { payerId } from "../../profiles/payer.ts";
import type { Resolved } from "../../profiles/resolve.ts";
import type { AccountNotes } from "../../record/account.ts";
import { folderRecord } from "../../record/folder/record.ts";
import type { RecordKeeper } from "../../record/record.ts";
import { noFolder, type Recorded } from "./profile.ts";

/** Returns the record that this command uses; undefined if this user has no folder for it. */
export function openRecord(host: Host): RecordKeeper | undefined {
  const state = stateFolder(host);
  return state && folderRecord(state, host);
}

/** Returns the record, and throws a usage error `NO_HOME` if there is none. `what` is to be kept there. */
export function requireRecord(host: Host, what: Recorded): RecordKeeper {
  const record = openRecord(host);
  if (record === undefined) throw noFolder(what);
  return record;
}

/** Returns what was noted of a payer, given as `payerId`. */
export async function notedOf(payer: string, host: Host): Promise<AccountNotes> {
  const account = await openRecord(host)?.account();
  return (await account?.noted(payer)) ?? {};
}

/** Notes what an outcome tells of who paid. */
export async function noteOutcome(
  { address, credentials }: Pick<Resolved, "address" | "credentials">,
  outcome: Outcome,
  host: Host,
): Promise<void> {
  const account = await openRecord(host)?.account();
  await account?.note(payerId(address, credentials), outcome, host.now());
}
