import { encodeEntry } from "../journal-entry.ts";
import { isLeftOutLine } from "../left-out.ts";
import { messageHash } from "../message-set.ts";
import { readMessage, summarizePlan } from "../plan.ts";
import { readLeftOut, readPlan } from "../run-lines.ts";
import { runWriter } from "../run-writer.ts";
import { notRecorded, type OwnRun, type RunWriter } from "../runs.ts";
import type { Machine } from "../../host.ts";
import { clockHere, serverTime } from "./clock.ts";
import { type Database, noteChanges } from "./database.ts";
import type { Lease } from "./lease.ts";
import { pagesOfLeftOut, pagesOfPlan, placesOf } from "./run-rows.ts";
import { bookingOf, dayAnswer, dayAnswerIn, type DayParameters, postgresSpending } from "./spending-table.ts";

/** An owner beats so often. */
const beatMs = 10_000;

export const lost = "another command has the run now, or the same messages";

export interface Leased {
  readonly id: number;
  readonly name: string;
  readonly lease: Lease;
  /** This process recorded intents for these, and no outcomes. */
  readonly open: Set<number>;
}

const seenNow = "update sms.runs set seen = clock_timestamp() where id = $1 and token = $2";

const emptyPlan = `with ours as (${seenNow} returning id),
  old as (delete from sms.plan using ours where run = ours.id),
  out as (delete from sms.left_out using ours where run = ours.id)
select id from ours`;

const addToPlan = `with ours as (${seenNow} returning id),
  added as (insert into sms.plan (run, index, line, message)
    select ours.id, $3::int + number - 1, line, message
      from ours, unnest($4::text[], $5::uuid[]) with ordinality as lines (line, message, number)),
  out as (insert into sms.left_out (run, index, line)
    select ours.id, $6::int + number - 1, line from ours, unnest($7::text[]) with ordinality as lines (line, number))
select id from ours`;

const beginning = `with ours as (update sms.runs set header = $3, written = now(), entries = cardinality($4::text[]),
      owners = jsonb_build_object($2::bigint::text, owners->$2::bigint::text)
    where id = $1 and token = $2 returning id),
  first as (insert into sms.journal (run, entry, token, line)
    select id, number - 1, $2, line from ours, unnest($4::text[]) with ordinality as lines (line, number))
select id from ours`;

const withTime = `case when line not like '["time",%' then line
  else '["time",' || ${serverTime("trim(both '[time\",]' from line)::bigint", "$4")} || ']' end`;

const addingToJournal = (condition = "true") => `ours as (
    update sms.runs set written = now(), seen = now(), entries = entries + cardinality($3::text[])
    where id = $1 and token = $2 and ${condition} returning id, entries - cardinality($3::text[]) as before
  ), added as (
    insert into sms.journal (run, entry, token, line)
    select ours.id, ours.before + number - 1, $2, ${withTime}
      from ours, unnest($3::text[]) with ordinality as lines (line, number)
  ) select (select opt_out_changes from sms.record) as changes`;

const addToJournal = `with ${addingToJournal()} from ours`;

/** If another process has changed the day meanwhile, neither the day nor the journal changes. */
const addAndBook = `with run as (select from sms.runs where id = $1 and token = $2 for update),
  booked as (${bookingOf(5, "from run")}), ${addingToJournal("exists (select from booked)")}, ${dayAnswer(5)} from run`;

const neverBegan = "delete from sms.runs where id = $1 and token = $2 and header is null";

export function giveBack({ id, lease }: Leased): Promise<void> {
  return lease.release(neverBegan, id);
}

export function openRun(database: Database, machine: Machine, leased: Leased, read: OwnRun["read"]): OwnRun {
  const { id, name, lease } = leased;
  const change = async (statement: string, values: readonly unknown[] = []) => {
    const changed = await lease.query(statement, id, ...values);
    if (changed.length === 0) throw notRecorded(`record run ${leased.name}`, new Error(lost));
  };
  const places = placesOf(leased, database.place);
  const beat = setInterval(() => {
    lease.query(seenNow, id).catch(() => {});
  }, beatMs).unref();
  return {
    name,
    read,
    writePlan: async (rows) => {
      await change(emptyPlan);
      let [next, nextLeftOut] = [0, 0];
      return summarizePlan(rows, async (text) => {
        const all = text.split("\n").slice(0, -1);
        if (all.length === 0) return;
        const lines = all.filter((line) => !isLeftOutLine(line));
        const linesOut = all.filter(isLeftOutLine);
        const hashes = lines.map((line, at) => messageHash(readMessage(line, next + at, places)));
        await change(addToPlan, [next, lines, hashes, nextLeftOut, linesOut]);
        next += lines.length;
        nextLeftOut += linesOut.length;
      });
    },
    readPlan: (isWanted) => readPlan(pagesOfPlan(database, id, places), places, isWanted),
    readLeftOut: () => readLeftOut(pagesOfLeftOut(database, id), places),
    begin: (header, entries = []) =>
      change(beginning, [JSON.stringify(header), entries.map((entry) => encodeEntry(entry).trimEnd())]),
    openWriter: async () => openWriter(database, machine, leased),
    release: async () => {
      clearInterval(beat);
      await giveBack(leased);
    },
  };
}

/** The lines go in only with the row of the run: so a new token waits for earlier statements and stops later ones. */
function openWriter(database: Database, machine: Machine, { id, name, lease, open }: Leased): RunWriter {
  const { optOutChanges } = database;
  optOutChanges.isAskedByIntents = true;
  const { record, close } = runWriter({
    what: `record run ${name}`,
    write: async (lines, _isLasting, day?: DayParameters) => {
      const texts = lines.map((line) => line.trimEnd());
      const statement = day === undefined ? addToJournal : addAndBook;
      const [row] = await lease.query(statement, id, texts, clockHere(machine), ...(day ?? []));
      if (row === undefined) throw new Error(lost);
      noteChanges(optOutChanges, String(row["changes"]));
      return dayAnswerIn(row);
    },
    book: postgresSpending(database, machine).change,
  });
  return {
    record: async (entry, at, booking) => {
      if (entry.kind === "withdrawn") for (const index of entry.indexes) open.delete(index);
      if ("index" in entry) open.delete(entry.index);
      await record(entry, at, booking);
      if (entry.kind === "intent") for (const index of entry.indexes.slice(0, booking?.granted())) open.add(index);
    },
    close,
  };
}
