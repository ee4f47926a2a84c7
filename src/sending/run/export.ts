import { csvRecord } from "../../recipients/formats/csv-text.ts";
import { memberNames, membersOf } from "../../message/fields.ts";
import { fieldKey } from "../../message/text.ts";
import type { LongView, Page, Context } from "../../terminal/context.ts";
import { recipientJson } from "../views/outcome-json.ts";
import { jsonLine, visible } from "../../terminal/text.ts";
import type { Actor, RecordedRun } from "../../record/runs.ts";
import { whileReading } from "../../reports/run.ts";
import { countText } from "../../words/count.ts";

export async function exportRun(
  name: string,
  form: ExportForm,
  profile: string | undefined,
  context: Context,
): Promise<void> {
  const { presenter } = context;
  const { due, uncertain } = await whileReading(name, profile, context, async (run) => {
    await presenter.stream(exportView(run, form));
    return run.ledger.tally();
  });
  if (!form.failed || due + uncertain === 0) return;
  const counts = [
    uncertain > 0 ? `${countText(uncertain)} may have arrived` : "",
    due > 0 ? `\`sms runs resume ${name}\` sends ${countText(due)}` : "",
  ].filter(Boolean);
  presenter.note(`Before you send these again: ${counts.join(", and ")}. The column outcome says which.`);
}

interface ExportForm {
  readonly format: "csv" | "ndjson";
  readonly failed: boolean;
  /** With `failed`, the columns of the input stand first, so that somebody can correct and send them again. */
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

/** By these columns the reader of recipients recognises an export. */
const resultColumns = ["outcome", "errorCode", "error"] as const;

type ExportRow = Readonly<Record<string, string | number | undefined>>;

/** CSV (RFC 4180) is safe to open in a spreadsheet. */
export function exportView(
  run: Pick<RecordedRun, "readResults" | "by">,
  { format, failed, withColumns }: ExportForm,
): LongView {
  const isOfInput = withColumns && failed;
  const ours = isOfInput ? resultColumns : [...columns, ...(run.by === undefined ? [] : actorColumns)];
  async function* rows(page: Page, theirs: readonly string[]): AsyncGenerator<ExportRow> {
    const ourName = namesOfOurs(theirs);
    for await (const { message, outcome, at, by } of run.readResults()) {
      if (failed && outcome?.kind === "accepted") continue;
      const members = membersOf(message);
      const time = at === undefined ? undefined : new Date(at).toISOString();
      const { type: _, ...row }: ExportRow = { ...recipientJson(message, outcome, page, by), at: time, ...members };
      const cells = isOfInput ? Object.fromEntries(resultColumns.map((name) => [name, row[name]])) : row;
      const { fields = isOfInput ? members : {} } = message;
      const cellsByName = Object.entries(cells).map(([name, value]) => [ourName(name), value] as const);
      yield withColumns ? { ...fields, ...Object.fromEntries(cellsByName) } : cells;
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
      const names = [...theirs, ...ours.map(namesOfOurs(theirs))];
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
function namesOfOurs(theirs: readonly string[]): (name: string) => string {
  const keys = new Set(theirs.map(fieldKey));
  const ourName = (name: string): string => (keys.has(fieldKey(name)) ? ourName(`sms_${name}`) : name);
  return ourName;
}

/** Texts of a person stay exact in a file; on a terminal their control characters are made visible. */
function shown(value: ExportRow[string], column: string, { isTerminal }: Page): ExportRow[string] {
  const isOfService = ["messageId", ...resultColumns].includes(column.replace(/^(?:sms_)+/, ""));
  return typeof value === "string" && (isTerminal || isOfService) ? visible(value) : value;
}
