import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readIfThere, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import type { Host } from "../../host.ts";
import type { Entry } from "../history.ts";
import type { JournalEntry } from "../journal-entry.ts";
import type { RecordKeeper } from "../record.ts";
import type { RecordedRun, RunKeeper, RunWriter } from "../runs.ts";
import type { RecordAddress } from "./address.ts";
import { type Database, openDatabase } from "./database.ts";
import { addOnce } from "./history.ts";
import { recordIn } from "./record.ts";

/** How much of a folder was added to a database, and the runs that could not be. */
export interface Imported {
  readonly runs: number;
  readonly optOuts: number;
  readonly onceKeys: number;
  readonly messages: number;
  readonly skipped: readonly { readonly run: string; readonly reason: string }[];
}

/** Copies what a folder has and a database has not. What the database has of the same name stays as it is. */
export async function importFolder(
  folder: RecordKeeper,
  state: StateFolder,
  address: RecordAddress,
  machine: Host,
): Promise<Imported> {
  const database = openDatabase(address, machine.processes.pid);
  const record = recordIn(database, machine);
  const optOuts = await (await folder.optOuts()).list();
  const { added } = await (await record.optOuts()).add(optOuts);
  const onceKeys = await importKeys(state, database);
  const messages = await importMessages(folder, database);
  const { runs, skipped } = await importRuns(await folder.runs(), await record.runs());
  return { runs, optOuts: added.length, onceKeys, messages, skipped };
}

async function importKeys(state: StateFolder, { query }: Database): Promise<number> {
  requirePrivateState(state, "once");
  const folder = join(state.path, "once");
  let added = 0;
  for (const name of namesIn(folder)) {
    const [intent, outcome = ""] = (readIfThere(join(folder, name)) ?? "").split("\n");
    if (intent === undefined || intent === "") continue;
    const rows = await query(
      `insert into sms.once (key, intent, outcome) values ($1, $2, $3)
      on conflict (key) do update set intent = excluded.intent, outcome = excluded.outcome
      where once.intent is null and once.holder is null returning key`,
      [name.replace(/\.ndjson$/, ""), intent, outcome === "" ? null : outcome],
    );
    added += rows.length;
  }
  return added;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
  } catch {
    return [];
  }
}

/** Single messages, and those of runs that were removed. The others come with their runs. */
async function importMessages(folder: RecordKeeper, database: Database): Promise<number> {
  const listed = await (await folder.runs()).list();
  const names = new Set(listed.map((one) => (one.kind === "run" ? one.run.header.name : one.name)));
  const entries: Entry[] = [];
  const keep = (entry: Entry) => {
    if (entry.run === null || !names.has(entry.run)) entries.push(entry);
  };
  await (await folder.history()).each(keep, () => {});
  return addOnce(database, entries);
}

async function importRuns(from: RunKeeper, into: RunKeeper): Promise<Pick<Imported, "runs" | "skipped">> {
  const skipped: Imported["skipped"][number][] = [];
  let runs = 0;
  for (const listed of await from.list()) {
    if (listed.kind === "unreadable") {
      skipped.push({ run: listed.name, reason: listed.reason });
      continue;
    }
    const { name, started } = listed.run.header;
    const known = await into.read(name);
    if (known !== undefined) {
      if (known.header.started !== started)
        skipped.push({ run: name, reason: "the record has another run of that name" });
      continue;
    }
    // Nobody may send the rest of it meanwhile.
    const source = await from.hold(name);
    try {
      const run = await source.read();
      if (run !== undefined) await importRun(run, into);
      runs++;
    } finally {
      await source.release();
    }
  }
  return { runs, skipped };
}

async function importRun(run: RecordedRun, into: RunKeeper): Promise<void> {
  const held = await into.hold(run.header.name);
  try {
    // Throws before anything is copied if the run is damaged.
    await run.readLedger();
    await held.plan(run.readMessages());
    await held.begin(run.header);
    const writer = await held.open();
    let at = Date.parse(run.header.started);
    const failures: unknown[] = [];
    await run.readEntries((entry) => {
      if (entry.kind === "time") at = entry.at;
      else void copyEntry(writer, entry, at).catch((error: unknown) => failures.push(error));
    });
    await writer.close();
    if (failures.length > 0) throw failures[0];
  } finally {
    await held.release();
  }
}

function copyEntry(writer: RunWriter, entry: Exclude<JournalEntry, { kind: "time" }>, at: number): Promise<void> {
  switch (entry.kind) {
    case "intent":
      return writer.intend(entry.indexes, at);
    case "released":
      return writer.withdraw(entry.indexes, at);
    case "summary":
      return writer.end(at);
    case "accepted":
    case "rejected":
    case "unsent":
    case "uncertain":
      return writer.settle(entry, at);
  }
}
