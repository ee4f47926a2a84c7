import { damaged, type RunPlaces } from "../plan.ts";
import { readHeader, recordedRun } from "../run-lines.ts";
import type { Actor, RecordedRun } from "../runs.ts";
import type { Database } from "./database.ts";

export const runColumns = "id, name, header, owners";

export interface RunRow {
  readonly id: number;
  readonly name: string;
  readonly header: string | null;
  readonly owners: Readonly<Record<string, Actor>>;
}

const pageSize = 5000;

export function runInDatabase(database: Database, row: RunRow): RecordedRun {
  const { query, place: address } = database;
  const { id, name, owners } = row;
  const places = placesOf(row, address);
  const header = readHeader(row.header ?? "", places.plan, name);
  const [first = Infinity] = Object.keys(owners)
    .map(Number)
    .toSorted((a, b) => a - b);
  return recordedRun({
    header,
    by: owners[first],
    lastWritten: async () => {
      const [latest] = await query<{ written: Date }>("select written from sms.runs where id = $1", [id]);
      return latest?.written.getTime() ?? 0;
    },
    plan: () => pagesOfPlan(database, id, places, header.plan.messages),
    leftOutLines: () => pagesOfLeftOut(database, id),
    journal: () => pagesOfJournal(database, row, places),
    linesAt: async (entries) => {
      const selection = "select entry, line from sms.journal where run = $1 and entry = any($2::bigint[])";
      const rows = await query<{ entry: string; line: string }>(selection, [id, entries]);
      return new Map(rows.map(({ entry, line }) => [Number(entry), line]));
    },
    places,
  });
}

export function placesOf({ name }: Pick<RunRow, "name">, address: string): RunPlaces {
  const place = `run ${name} at ${address}`;
  return { name, plan: place, journal: place };
}

export async function* pagesOfPlan({ query }: Database, run: number, places: RunPlaces, count = Infinity) {
  for (let next = 0; next < count;) {
    const selection = "select index, line as text from sms.plan where run = $1 and index >= $2 order by index limit $3";
    const lines = await query<{ index: number; text: string }>(selection, [run, next, pageSize]);
    if (lines.length === 0) return;
    const gap = lines.findIndex(({ index }, at) => index !== next + at);
    if (gap >= 0) throw damaged(places, `${places.plan} lacks message ${next + gap} of its plan`);
    next += lines.length;
    yield lines;
  }
}

export async function* pagesOfLeftOut({ query }: Database, run: number) {
  for (let next = 0; ;) {
    const selection = "select line as text from sms.left_out where run = $1 and index >= $2 order by index limit $3";
    const lines = await query<{ text: string }>(selection, [run, next, pageSize]);
    if (lines.length === 0) return;
    next += lines.length;
    yield lines;
  }
}

async function* pagesOfJournal({ query }: Database, { id, owners }: RunRow, places: RunPlaces) {
  const [row] = await query<{ entries: string }>("select entries from sms.runs where id = $1", [id]);
  const count = Number(row?.entries ?? 0);
  for (let next = 0; next < count;) {
    const rows = await query<{ text: string; entry: string; token: string }>(
      `select line as text, entry, token from sms.journal
        where run = $1 and entry >= $2 and entry < $3 order by entry limit $4`,
      [id, next, count, pageSize],
    );
    const lines = rows.map(({ text, entry, token }) => ({ text, offset: Number(entry), by: owners[token] }));
    const gap = lines.findIndex(({ offset }, at) => offset !== next + at);
    if (gap >= 0 || lines.length === 0)
      throw damaged(places, `${places.journal} lacks entry ${next + Math.max(0, gap)} of its journal`);
    next += lines.length;
    yield lines;
  }
}
