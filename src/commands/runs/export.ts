import { csvRecord } from "../../recipients/formats/csv-text.ts";
import { memberNames, membersOf } from "../../message/fields.ts";
import type { LongView, Page } from "../../terminal/presenter.ts";
import { recipientJson } from "../../sending/views/run-summary.ts";
import { jsonLine, visible } from "../../terminal/redact.ts";
import type { Actor, RecordedRun } from "../../record/runs.ts";
import type { Context } from "../../terminal/context.ts";
import { whileReading } from "../../sending/views/run-progress.ts";
import { countText } from "../../words/count.ts";

export async function exportRun(
  name: string,
  { profile, ...form }: ExportForm & { readonly profile: string | undefined },
  context: Context,
): Promise<void> {
  const { presenter } = context;
  const { due, uncertain } = await whileReading({ name, profile }, context, async (run) => {
    await presenter.stream(exportView(run, form));
    return run.ledger.tally();
  });
  if (!form.failed || due + uncertain === 0) return;
  const counts = [
    uncertain > 0 ? `${countText(uncertain)} may have arrived` : "",
    due > 0 ? `\`sms runs resume ${name}\` sends ${countText(due)}` : "",
  ].filter(Boolean);
  presenter.note(`Not all of these can be sent again: ${counts.join(", and ")}. The column outcome says which.`);
}

interface ExportForm {
  readonly format: "csv" | "ndjson";
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

const actorColumns = ["user", "machine"] as const satisfies readonly (keyof Actor)[];

/** The columns that an export adds to the input. The reader of recipients recognises an export by them. */
const added = ["outcome", "errorCode", "error"] as const;

type ExportRow = Readonly<Record<string, string | number | undefined>>;

/** Every recipient of a run, as NDJSON or as CSV (RFC 4180) that is safe to open in a spreadsheet; `--json` is NDJSON. */
export function exportView(
  run: Pick<RecordedRun, "readResults" | "by">,
  { format, failed, withColumns }: ExportForm,
): LongView {
  const isOfInput = withColumns && failed;
  const ours = isOfInput ? added : [...columns, ...(run.by === undefined ? [] : actorColumns)];
  async function* rows(page: Page, theirs: readonly string[]): AsyncGenerator<ExportRow> {
    for await (const { message, outcome, at, by } of run.readResults()) {
      if (failed && outcome?.kind === "accepted") continue;
      const members = membersOf(message);
      const time = at === undefined ? undefined : new Date(at).toISOString();
      const { type: _, ...row }: ExportRow = { ...recipientJson(message, outcome, { page, by }), at: time, ...members };
      const own = isOfInput ? Object.fromEntries(added.map((name) => [name, row[name]])) : row;
      const { fields = isOfInput ? members : {} } = message;
      yield withColumns ? { ...fields, ...besides(theirs, own) } : own;
    }
  }
  return {
    json: async function* json(page) {
      yield* rows(page, withColumns ? await inputColumns(run, isOfInput) : []);
    },
    text: async function* text(page) {
      const theirs = withColumns ? await inputColumns(run, isOfInput) : [];
      if (format === "ndjson") {
        for await (const row of rows(page, theirs)) yield jsonLine(row);
        return;
      }
      const names = [...theirs, ...ours.map((name) => besideName(theirs, name))];
      const line = (row: ExportRow) => `${csvRecord(names.map((name) => shown(row[name], name, page)))}\n`;
      yield line(Object.fromEntries(names.map((name) => [name, name])));
      for await (const row of rows(page, theirs)) yield line(row);
    },
  };
}

async function inputColumns({ readResults }: Pick<RecordedRun, "readResults">, isOfInput: boolean) {
  const names = new Set<string>();
  for await (const { message } of readResults())
    for (const name of Object.keys(message.fields ?? (isOfInput ? membersOf(message) : {}))) names.add(name);
  return [...names];
}

/** Columns of the input keep their names, so ours give way. */
function besides(theirs: readonly string[], row: ExportRow): ExportRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [besideName(theirs, name), value]));
}

function besideName(theirs: readonly string[], name: string): string {
  return theirs.includes(name) ? besideName(theirs, `sms_${name}`) : name;
}

/** What a person wrote stays exact in a file, and is made visible on a terminal. */
function shown(value: ExportRow[string], column: string, { isTerminal }: Page): ExportRow[string] {
  const isOfService = ["messageId", ...added].includes(column.replace(/^(?:sms_)+/, ""));
  return typeof value === "string" && (isTerminal || isOfService) ? visible(value) : value;
}
