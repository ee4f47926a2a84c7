import { csvRecord } from "../../recipients/formats/csv-text.ts";
import { memberNames, membersOf } from "../../message/fields.ts";
import { fieldKey } from "../../message/text.ts";
import type { LongView, Page, Context } from "../../terminal/context.ts";
import { jsonLine, visible } from "../../terminal/text.ts";
import type { MessageResult, RecordedRun } from "../../record/runs.ts";
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

type Cell = string | number | undefined;

interface Column {
  readonly name: string;
  readonly of: (result: MessageResult) => Cell;
  /** The words are the service's. Texts of a person stay exact in a file, but on a terminal no text has control characters. */
  readonly isForeign?: true;
}

const columns: readonly Column[] = [
  { name: "line", of: ({ message }) => message.line },
  { name: "to", of: ({ message }) => message.to },
  { name: "at", of: ({ at }) => (at === undefined ? undefined : new Date(at).toISOString()) },
  { name: "outcome", of: ({ outcome }) => outcome?.kind ?? "pending" },
  ...(["messageId", "segments", "totalCredits", "totalCostKes", "newBalance"] as const).map(ofReceipt),
  ...(["httpStatus", "errorCode", "error"] as const).map(ofFailure),
  ...memberNames.filter((name) => name !== "to").map(ofMessage),
];

const actorColumns: readonly Column[] = [
  { name: "user", of: ({ by }) => by?.user },
  { name: "machine", of: ({ by }) => by?.machine },
];

/** By these columns the reader of recipients recognises an export. */
const resultColumns = columns.filter(({ name }) => ["outcome", "errorCode", "error"].includes(name));

function ofReceipt(name: "messageId" | "segments" | "totalCredits" | "totalCostKes" | "newBalance"): Column {
  const of = ({ outcome }: MessageResult) => (outcome?.kind === "accepted" ? outcome.receipt[name] : undefined);
  return { name, of, isForeign: true };
}

function ofFailure(name: "httpStatus" | "errorCode" | "error"): Column {
  const of = ({ outcome }: MessageResult) =>
    outcome === undefined || outcome.kind === "accepted" ? undefined : outcome.failure[name];
  return { name, of, isForeign: true };
}

function ofMessage(name: string): Column {
  return { name, of: ({ message }) => membersOf(message)[name] };
}

type ExportRow = Readonly<Record<string, Cell>>;

/** CSV (RFC 4180) is safe to open in a spreadsheet. */
export function exportView(
  run: Pick<RecordedRun, "readResults" | "by">,
  { format, failed, withColumns }: ExportForm,
): LongView {
  const isOfInput = withColumns && failed;
  const theirNames = async () => (withColumns ? inputColumns(run, isOfInput) : []);
  const oursBeside = (theirs: readonly string[]): readonly Column[] => {
    const ours = isOfInput ? resultColumns : [...columns, ...(run.by === undefined ? [] : actorColumns)];
    const ourName = namesOfOurs(theirs);
    return ours.map((column) => ({ ...column, name: ourName(column.name) }));
  };
  async function* rows(ours: readonly Column[], { redact }: Page): AsyncGenerator<ExportRow> {
    for await (const result of run.readResults()) {
      const { message, outcome } = result;
      if (failed && outcome?.kind === "accepted") continue;
      const { fields = isOfInput ? membersOf(message) : {} } = message;
      const cells = ours.map(({ name, of, isForeign }) => {
        const value = of(result);
        return [name, isForeign && typeof value === "string" ? redact(value) : value] as const;
      });
      yield { ...(withColumns && fields), ...Object.fromEntries(cells) };
    }
  }
  return {
    json: async function* json(page) {
      yield* rows(oursBeside(await theirNames()), page);
    },
    text: async function* text(page) {
      const theirs = await theirNames();
      const ours = oursBeside(theirs);
      if (format === "ndjson") {
        for await (const row of rows(ours, page)) yield jsonLine(row);
        return;
      }
      const all: readonly Pick<Column, "name" | "isForeign">[] = [...theirs.map((name) => ({ name })), ...ours];
      const line = (row: ExportRow) =>
        `${csvRecord(all.map(({ name, isForeign }) => shown(row[name], page.isTerminal || isForeign)))}\n`;
      yield line(Object.fromEntries(all.map(({ name }) => [name, name])));
      for await (const row of rows(ours, page)) yield line(row);
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

function shown(value: Cell, isMadeVisible = false): Cell {
  return typeof value === "string" && isMadeVisible ? visible(value) : value;
}
