import { usageError } from "../../errors.ts";
import type { RecordAddress } from "./address.ts";
import { type Database, openDatabase, versionBy } from "./database.ts";
import { migrations } from "./migrations.ts";

/** Creates or updates the tables of a record. Returns the versions before and after. Throws `RECORD_FORM` for newer tables. */
export async function initRecord(
  address: RecordAddress,
  pid: number,
): Promise<{ readonly before: number; readonly after: number }> {
  const database = openDatabase(address, pid, "server");
  try {
    return await migrate(database);
  } finally {
    await database.close();
  }
}

function migrate({ transaction, place }: Database) {
  return transaction(async (query) => {
    // Two at once: the second finds the tables that the first has made.
    await query("select pg_advisory_xact_lock(hashtext('sms record init'))");
    const before = await versionBy(query);
    const after = migrations.length;
    if (before > after) {
      throw usageError(
        "RECORD_FORM",
        `the record at ${place} has newer tables than this sms knows`,
        "install a newer sms",
      );
    }
    if (before < after) {
      for (const migration of migrations.slice(before)) await query(migration);
      await query("update sms.record set version = $1", [after]);
    }
    return { before, after };
  });
}
