import { csvRecord } from "../../recipients/formats/csv-text.ts";
import type { Fields } from "../../message/text.ts";
import { memberNames, membersOf } from "../../message/fields.ts";
import type { LongView, Page } from "../../terminal/presenter.ts";
import { recipientJson } from "../../sending/views/run-summary.ts";
import { jsonLine, visible } from "../../terminal/redact.ts";
import type { Actor, RecordedRun } from "../../record/runs.ts";
import type { Context } from "../../terminal/context.ts";
import { whileReading } from "../../sending/views/run-progress.ts";

export async function exportRun(
  name: string,
  { profile, ...form }: ExportForm & { readonly profile: string | undefined },
  context: Context,
): Promise<void> {
  const { presenter } = context;
  const { due, uncertain, isClosed } = await whileReading({ name, profile }, context, async (run) => {
    await presenter.stream(exportView(run, form));
    return run.ledger.tally();
  });
  if (!form.failed || due + uncertain === 0) return;
  const resumed = isClosed ? "What" : `What \`sms runs resume ${name}\` sends, and what`;
  presenter.note(`${resumed} is uncertain${isClosed ? "" : ","} is not exported.`);
}

interface ExportForm {
  readonly format: "csv" | "ndjson";
  /** Only those that were rejected, except because of the account: these are sent when the run is continued. */
  readonly failed: boolean;
  /** The columns of the input beside ours; with `failed` in their place, so that they can be corrected and sent again. */
  readonly withColumns: boolean;
}

const columns = [
  "line",
  "to",
  "at",
  "outcome",
  "messageId",
  "segments",
  "totalCredits",
  "totalCostKes",
  "newBalance",
  "httpStatus",
  "errorCode",
  "error",
  ...memberNames.filter((name) => name !== "to"),
] as const;

/** Who sent it, in a record that a team shares. */
const actorColumns = ["user", "machine"] as const satisfies readonly (keyof Actor)[];

/** The columns that an export adds to the input. The reader of recipients recognises an export by them. */
const added = ["outcome", "errorCode", "error"] as const;

type ExportRow = Readonly<Record<string, string | number | undefined>>;

/** Every recipient of a run, as NDJSON or as CSV (RFC 4180) that is safe to open in a spreadsheet; `--json` is NDJSON. */
export function exportView(
  { readResults, by: beganBy }: Pick<RecordedRun, "readResults" | "by">,
  form: ExportForm,
): LongView {
  async function* rows(page: Page): AsyncGenerator<ExportRow> {
    for await (const { message, outcome, isDue, at, by } of readResults()) {
      if (form.failed && (outcome?.kind !== "rejected" || isDue)) continue;
      const members = membersOf(message);
      const time = at === undefined ? undefined : new Date(at).toISOString();
      const { type: _, ...row }: ExportRow = { ...recipientJson(message, outcome, { page, by }), at: time, ...members };
      const { fields = members } = message;
      if (!form.withColumns) yield row;
      else if (form.failed) yield { ...fields, ...Object.fromEntries(added.map((name) => [name, row[name]])) };
      else yield { ...besideOurs(fields), ...row };
    }
  }
  return {
    json: rows,
    text: async function* text(page) {
      if (form.format === "ndjson") {
        for await (const row of rows(page)) yield jsonLine(row);
        return;
      }
      const ours =
        form.withColumns && form.failed ? added : [...columns, ...(beganBy === undefined ? [] : actorColumns)];
      const names = form.withColumns ? await namesOf(rows(page), ours) : ours;
      const line = (row: ExportRow) => `${csvRecord(names.map((name) => shown(row[name], name, page)))}\n`;
      yield line(Object.fromEntries(names.map((name) => [name, name])));
      for await (const row of rows(page)) yield line(row);
    },
  };
}

async function namesOf(rows: AsyncIterable<ExportRow>, last: readonly string[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const row of rows) for (const name of Object.keys(row)) names.add(name);
  for (const name of last) names.delete(name);
  return [...names, ...last];
}

/** Renames columns of the input that are called like ours, but for those that ours repeat: the number, the text, the sender. */
function besideOurs(fields: Fields): ExportRow {
  const ours: readonly string[] = [...columns, ...actorColumns];
  const kept = Object.entries(fields).filter(([name]) => !memberNames.some((member) => member === name));
  return Object.fromEntries(kept.map(([name, text]) => [ours.includes(name) ? `source_${name}` : name, text]));
}

/** What a person wrote stays exact in a file, and is made visible on a terminal. */
function shown(value: ExportRow[string], column: string, { isTerminal }: Page): ExportRow[string] {
  const isOfService = ["messageId", ...added].includes(column);
  return typeof value === "string" && (isTerminal || isOfService) ? visible(value) : value;
}
