import { join } from "node:path";
import { namesIn } from "../../files/open-file.ts";
import { readIfThere, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import type { Host } from "../../host.ts";
import type { Entry } from "../history.ts";
import { SmsError } from "../../errors.ts";
import type { AccountKeeper, Reservation } from "../account.ts";
import { encodeEntry } from "../journal-entry.ts";
import { sha256 } from "../once.ts";
import type { RecordKeeper } from "../record.ts";
import { type RecordedRun, type RunKeeper, unreadableRun } from "../runs.ts";
import { actorHere } from "./actor.ts";
import type { RecordAddress } from "./address.ts";
import { type Database, openDatabase } from "./database.ts";
import { addOnce } from "./history.ts";
import { recordIn } from "./record.ts";

const linesAtOnce = 5000;

/** How much of a folder was added to a database, and the runs that could not be. */
interface Imported {
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
  await importNotes(folder, state, database);
  await importSpending(await folder.account(), await record.account(), state);
  const { runs, skipped } = await importRuns(await folder.runs(), await record.runs(), database);
  return { runs, optOuts: added.length, onceKeys, messages, skipped };
}

async function importKeys(state: StateFolder, { query }: Database): Promise<number> {
  requirePrivateState(state, "once");
  const folder = join(state.path, "once");
  let added = 0;
  for (const name of filesIn(state, "once", ".ndjson")) {
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

function filesIn({ path }: StateFolder, folder: string, extension: string): readonly string[] {
  return namesIn(join(path, folder)).filter((name) => name.endsWith(extension));
}

/** Adds single messages, and the messages of runs that were removed. The others come with their runs. */
async function importMessages(folder: RecordKeeper, database: Database): Promise<number> {
  const listed = await (await folder.runs()).list();
  const names = new Set(listed.map((one) => (one.kind === "run" ? one.run.header.name : one.name)));
  const entries: Entry[] = [];
  const keep = (entry: Entry) => {
    if (entry.run === null || !names.has(entry.run)) entries.push(entry);
  };
  await (await folder.history()).each(0, keep, () => {});
  return addOnce(database, entries);
}

async function importRuns(
  from: RunKeeper,
  into: RunKeeper,
  database: Database,
): Promise<Pick<Imported, "runs" | "skipped">> {
  const skipped: Imported["skipped"][number][] = [];
  let runs = 0;
  for (const listed of await from.list()) {
    if (listed.kind === "unreadable") {
      skipped.push({ run: listed.name, reason: listed.reason });
      continue;
    }
    const { run } = listed;
    const { name } = run.header;
    try {
      const known = await into.read(name);
      if (known === undefined) {
        await importRun(name, from, into, database);
        runs++;
        continue;
      }
      const reason = await differenceOf(run, known);
      if (reason !== undefined) skipped.push({ run: name, reason });
    } catch (error) {
      if (error instanceof SmsError && error.errorCode !== "RUN_BUSY" && error.errorCode !== "RUN_DAMAGED") throw error;
      skipped.push(skippedBy(name, error));
    }
  }
  return { runs, skipped };
}

function skippedBy(run: string, error: unknown): Imported["skipped"][number] {
  return { run, reason: unreadableRun(run, error).reason };
}

/** Returns why a run of the folder is not the one of that name in the database, or no longer. */
async function differenceOf(here: RecordedRun, there: RecordedRun): Promise<string | undefined> {
  if (here.header.started !== there.header.started) return "the record has another run of that name";
  const [ledger, copied] = [await here.readCounts(), await there.readCounts()];
  for (let index = 0; index < ledger.messages; index++) {
    if (ledger.outcomeOf(index) !== "pending" && copied.outcomeOf(index) === "pending")
      return "messages of it were sent from this machine after it was copied: do not resume it in the record";
  }
  return undefined;
}

/** Copies a run whole or not at all, while nobody sends the rest of it. */
async function importRun(name: string, from: RunKeeper, into: RunKeeper, { transaction }: Database): Promise<void> {
  const source = await from.hold(name);
  const target = await into.hold(name);
  try {
    const run = await source.read();
    if (run === undefined) return;
    // Throws before anything is copied if the run is damaged.
    await run.readLedger();
    await target.plan(run.readMessages());
    const lines: string[] = [];
    await run.readEntries((entry) => lines.push(encodeEntry(entry).trimEnd()));
    const { header } = run;
    const values = [name, JSON.stringify(header), header.plan.digests.messages, lines.length];
    const written = new Date(await run.lastWritten());
    await transaction(async (ask) => {
      const [row] = await ask<{ id: number; token: string }>(
        `update sms.runs set header = $2, messages_digest = $3, entries = $4, written = $5 where name = $1 and header is null
        returning id, token`,
        [...values, written],
      );
      for (let start = 0; start < lines.length; start += linesAtOnce) {
        await ask(
          `insert into sms.journal (run, entry, token, line) select $1, $2::bigint + number - 1, $3, line
            from unnest($4::text[]) with ordinality as lines (line, number)`,
          [row?.id, start, row?.token, lines.slice(start, start + linesAtOnce)],
        );
      }
    });
  } finally {
    await target.release();
    await source.release();
  }
}

/** The balance, price and last use of each payer. What the database knows stays. */
async function importNotes(folder: RecordKeeper, state: StateFolder, { query }: Database): Promise<void> {
  const account = await folder.account();
  for (const name of filesIn(state, "payers", ".json")) {
    const payer = name.slice(0, -".json".length);
    await query(
      `insert into sms.account (payer, notes) values ($1, $2)
      on conflict (payer) do update set notes = excluded.notes || account.notes`,
      [payer, JSON.stringify(await account.noted(payer))],
    );
  }
}

/**
 * What this machine has spent or reserved on its latest day counts as reserved by it, as often as it is copied. What a segment
 * was charged at most counts on any day.
 */
async function importSpending(from: AccountKeeper, into: AccountKeeper, state: StateFolder): Promise<void> {
  const holder = `folder ${sha256(JSON.stringify([actorHere().machine, state.path])).slice(0, 16)}`;
  const accounts = new Set(filesIn(state, "spending", ".json").map((name) => name.split(".")[0] ?? ""));
  for (const account of accounts) {
    const { date, spent, reserved, creditsPerSegment } = await from.day(account, "");
    const reserve = (today: string, messages: Reservation["messages"]) =>
      into.reserve(account, { holder, today, limit: Number.MAX_SAFE_INTEGER, messages, creditsPerSegment });
    const day = await reserve(date, []);
    if (day.date !== date) continue;
    const before = await into.reservedBy(account, holder, date);
    const index = Math.max(0, ...before.map((known) => known + 1));
    const segments = (spent + reserved) / day.creditsPerSegment;
    if (segments > 0) await reserve(date, [{ index, segments }]);
    await into.settle(
      account,
      { holder, date },
      before.map((known) => ({ kind: "given-back", index: known })),
    );
  }
}
