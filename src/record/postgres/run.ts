import { parseJson } from "../../message/json.ts";
import { isHeader, type RunHeader } from "../header.ts";
import { decodeEntry, type JournalEntry, noResult, outcomeFrom } from "../journal-entry.ts";
import { Ledger } from "../ledger.ts";
import { damaged } from "../plan.ts";
import { checkPlan, readJournal, readPlan } from "../run-lines.ts";
import type { Actor, MessageResult, OnPass, RecordedRun } from "../runs.ts";
import type { Database } from "./database.ts";

/** The columns that `recordedRun` needs. */
export const runColumns = "id, name, header, holders";

export interface RunRow {
  readonly id: number;
  readonly name: string;
  readonly header: string | null;
  readonly holders: Readonly<Record<string, Actor>>;
}

/** How many lines are asked for at once. */
const pageSize = 5000;

/** A line of the journal, with its number. */
interface JournalLine {
  readonly text: string;
  readonly number: number;
  readonly by: Actor | undefined;
}

/** Returns a run that has begun. Throws `RUN_DAMAGED` if its header is not what sms wrote. */
export function recordedRun(database: Database, row: RunRow, onPass: OnPass = () => {}): RecordedRun {
  const header = headerOf(database, row);
  const { plan } = header;
  const place = `run ${row.name} at ${database.place}`;
  const planLines = () => pagesOfPlan(database, row.id, plan.messages, onPass);
  const journal = () => pagesOfJournal(database, row, onPass);
  const emptyLedger = () => new Ledger(new Uint8Array(plan.messages));
  const read = async (ledger: Ledger) => {
    await readJournal(journal(), place, ledger);
    return ledger;
  };
  const [first = Infinity] = Object.keys(row.holders)
    .map(Number)
    .toSorted((a, b) => a - b);
  return {
    header,
    by: row.holders[first],
    lastWritten: async () => {
      const [found] = await database.query<{ written: Date }>("select written from sms.runs where id = $1", [row.id]);
      return found?.written.getTime() ?? 0;
    },
    readLedger: async () => read(new Ledger(await checkPlan(planLines(), place, plan))),
    readCounts: () => read(emptyLedger()),
    readMessages: (isWanted, end) => readPlan(planLines(), place, isWanted, end),
    readEntries: async (onEntry) => {
      await readJournal(journal(), place, emptyLedger(), (entry, { by }) => onEntry(entry, by));
    },
    readResults: () => readResults(database, row, place, emptyLedger(), planLines(), journal()),
  };
}

function headerOf({ place }: Database, { name, header }: RunRow): RunHeader {
  const value = parseJson(header ?? "");
  if (isHeader(value)) return value;
  throw damaged(`run ${name} at ${place} is broken, or a newer sms wrote it`);
}

async function* pagesOfPlan({ query }: Database, run: number, count: number, onPass: OnPass) {
  for (let next = 0; next < count;) {
    const lines = await query<{ text: string }>(
      "select line as text from sms.plan where run = $1 and index >= $2 order by index limit $3",
      [run, next, pageSize],
    );
    if (lines.length === 0) return;
    onPass(lines.length / count);
    next += lines.length;
    yield lines;
  }
}

async function* pagesOfJournal(database: Database, { id, name, holders }: RunRow, onPass: OnPass) {
  const { query, place } = database;
  const [row] = await query<{ entries: string }>("select entries from sms.runs where id = $1", [id]);
  const count = Number(row?.entries ?? 0);
  if (count === 0) onPass(1);
  for (let next = 0; next < count;) {
    const found = await query<{ text: string; entry: string; token: string }>(
      `select line as text, entry, token from sms.journal
        where run = $1 and entry >= $2 and entry < $3 order by entry limit $4`,
      [id, next, count, pageSize],
    );
    const lines = found.map(({ text, entry, token }): JournalLine => ({
      text,
      number: Number(entry),
      by: holders[token],
    }));
    for (const [at, { number }] of lines.entries()) {
      if (number !== next + at) throw damaged(`run ${name} at ${place} lacks entry ${next + at} of its journal`);
    }
    if (lines.length === 0) throw damaged(`run ${name} at ${place} has lost its entries`);
    onPass(lines.length / count);
    next += lines.length;
    yield lines;
  }
}

async function* readResults(
  { query }: Database,
  { id }: RunRow,
  place: string,
  ledger: Ledger,
  plan: ReturnType<typeof pagesOfPlan>,
  journal: ReturnType<typeof pagesOfJournal>,
): AsyncGenerator<MessageResult, void> {
  const numbers = new Float64Array(ledger.messages).fill(-1);
  const senders: (Actor | undefined)[] = [];
  await readJournal(journal, place, ledger, (entry, { number, by }) => {
    if ("index" in entry) numbers[entry.index] = number;
    else if (entry.kind === "intent") for (const index of entry.indexes) senders[index] = by;
  });
  let first = 0;
  for await (const lines of plan) {
    const start = first;
    first += lines.length;
    const wanted = [...numbers.subarray(start, first)].filter((number) => number >= 0);
    const found = await query<{ entry: string; line: string }>(
      "select entry, line from sms.journal where run = $1 and entry = any($2::bigint[])",
      [id, wanted],
    );
    const entries = new Map<number, JournalEntry | undefined>();
    for (const { entry, line } of found) entries.set(Number(entry), decodeEntry(line));
    for await (const message of readPlan(only(lines), place)) {
      const index = start + message.index;
      const entry = ledger.isOpen(index) ? undefined : entries.get(numbers[index] ?? -1);
      const result = entry !== undefined && "index" in entry ? outcomeFrom(entry, message.to) : undefined;
      const outcome = result ?? (ledger.outcomeOf(index) === "uncertain" ? noResult : undefined);
      yield { message: { ...message, index }, outcome, isDue: ledger.isDue(index), by: outcome && senders[index] };
    }
  }
}

async function* only<Item>(item: Item) {
  yield item;
}
