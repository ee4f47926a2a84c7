import { usageError } from "../../errors.ts";
import type { RecordAddress } from "./address.ts";
import { type Database, mayWrite, openDatabase, versionBy } from "./database.ts";
import { migrations } from "./migrations.ts";

/** Throws `RECORD_FORM` for newer tables. */
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
    // If two commands come at once, the second finds the tables of the first.
    await query("select pg_advisory_xact_lock(hashtext('sms record init'))");
    const before = await versionBy(query);
    const after = migrations.length;
    if (before > after) {
      const problem = `the record at ${place} has newer tables than this sms knows`;
      throw usageError("RECORD_FORM", problem, "install a newer sms");
    }
    if (before < after) {
      for (const migration of migrations.slice(before)) await query(migration);
      await query("update sms.record set version = $1", [after]);
    }
    return { before, after };
  });
}

interface Inspected {
  readonly server: string;
  readonly tables: number;
  readonly isWritable: boolean;
  readonly bytes: number;
  readonly runs: number;
}

/** Throws what any command would. */
export async function inspectRecord(address: RecordAddress, pid: number): Promise<Inspected> {
  const database = openDatabase(address, pid);
  try {
    const [row] = await database.query<Inspected & object>(
      `select current_setting('server_version') as server, version as tables, ${mayWrite} as "isWritable",
        (select sum(pg_total_relation_size(oid))::float8 from pg_class where relnamespace = 'sms'::regnamespace
          and relkind = 'r') as bytes,
        (select count(*)::int from sms.runs where header is not null) as runs
      from sms.record`,
    );
    if (row === undefined) throw new Error("sms.record has no row");
    return row;
  } finally {
    await database.close();
  }
}
