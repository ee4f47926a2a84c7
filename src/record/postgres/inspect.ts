import type { RecordAddress } from "./address.ts";
import { mayWrite, openDatabase } from "./database.ts";

/** What a person wants to know of a record. */
interface Inspected {
  /** The version of the server, and of the tables. */
  readonly server: string;
  readonly tables: number;
  readonly isWritable: boolean;
  readonly bytes: number;
  readonly runs: number;
}

/** Asks a record whether it can be used. Throws what any command would. */
export async function inspectRecord(address: RecordAddress, pid: number): Promise<Inspected> {
  const database = openDatabase(address, pid);
  try {
    const [row] = await database.query<{ [Name in keyof Inspected]: Inspected[Name] | string }>(
      `select current_setting('server_version') as server, version as tables,
        ${mayWrite} as "isWritable",
        (select sum(pg_total_relation_size(oid)) from pg_class where relnamespace = 'sms'::regnamespace
          and relkind = 'r') as bytes,
        (select count(*) from sms.runs where header is not null) as runs
      from sms.record`,
    );
    return {
      server: String(row?.server),
      tables: Number(row?.tables),
      isWritable: row?.isWritable === true,
      bytes: Number(row?.bytes),
      runs: Number(row?.runs),
    };
  } finally {
    await database.close();
  }
}
