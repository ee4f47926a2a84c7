import { runWriter } from "../run-writer.ts";
import type { RunWriter } from "../runs.ts";
import type { Query } from "./database.ts";

/** A run, the token of who holds it, and the session that has the lock of the token. */
export interface Held {
  readonly id: number;
  readonly name: string;
  readonly token: string;
  readonly query: Query;
}

/**
 * Appends to the journal of a run. One statement changes the row of the run, if the token is still ours, and adds the lines: so
 * whoever takes a new token waits for a statement before, and lets none behind.
 */
export function openWriter(held: Held): RunWriter {
  return runWriter({
    what: `record run ${held.name}`,
    write: (lines) =>
      appendLines(
        held,
        lines.map((line) => line.trimEnd()),
      ),
  });
}

/** Adds lines to the journal in one statement. Throws if the run is no longer ours. */
async function appendLines({ id, token, query }: Held, lines: readonly string[]): Promise<void> {
  const [row] = await query<{ held: number }>(
    `with held as (
      update sms.runs set written = now(), seen = now(), entries = entries + cardinality($3::text[])
      where id = $1 and token = $2 returning id, entries - cardinality($3::text[]) as before
    ), added as (
      insert into sms.journal (run, entry, token, line)
      select held.id, held.before + number - 1, $2, line from held, unnest($3::text[]) with ordinality as lines (line, number)
    ) select count(*)::int as held from held`,
    [id, token, lines],
  );
  if (row?.held !== 1) throw new Error(lost);
}

export const lost = "another command holds the run now";
