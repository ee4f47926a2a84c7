import { csvRecord } from "../../recipients/formats/csv-text.ts";
import { memberNames, membersOf } from "../../message/fields.ts";
import { fieldKey, type Fields } from "../../message/text.ts";
import type { LongView, Page, Context } from "../../terminal/context.ts";
import { jsonLine, visible } from "../../terminal/text.ts";
import { isOnPurpose, type LeftOutRow } from "../../record/left-out.ts";
import { reachesPhones } from "../../record/repeats.ts";
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
  const { due, uncertain, isOnPhone } = await whileReading(name, profile, context, async (run) => {
    await presenter.stream(exportView(run, form));
    return { ...run.ledger.tally(), isOnPhone: reachesPhones(run.header, run.header.binding.baseUrl) };
  });
  if (!form.failed || due + uncertain === 0) return;
  const counts = [
    uncertain > 0 ? `${countText(uncertain)} ${isOnPhone ? "may have arrived" : "uncertain"}` : "",
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
  readonly ofLeftOut?: (row: LeftOutRow) => Cell;
  /** Texts of a person stay exact in a file. On a terminal, and where the words are others', no text has control characters. */
  readonly isOfPerson?: true;
}

const none = () => undefined;

const columns: readonly Column[] = [
  { name: "line", of: ({ message }) => message.line, ofLeftOut: ({ line }) => line },
  { name: "to", of: ({ message }) => message.to, ofLeftOut: ({ to }) => to, isOfPerson: true },
  { name: "at", of: ({ at }) => (at === undefined ? undefined : new Date(at).toISOString()) },
  { name: "outcome", of: ({ outcome }) => outcome?.kind ?? "pending", ofLeftOut: () => "left-out" },
  ...(["messageId", "segments", "totalCredits", "totalCostKes", "newBalance"] as const).map(ofReceipt),
  ...(["httpStatus", "errorCode", "error"] as const).map(ofFailure),
];

/** The word stands first, and the details behind it. */
const reasonOfTable: readonly Column[] = [
  {
    name: "reason",
    of: none,
    ofLeftOut: ({ reason, details }) => (details === undefined ? reason : `${reason}: ${details}`),
  },
];

const reasonOfObject: readonly Column[] = [
  { name: "reason", of: none, ofLeftOut: ({ reason }) => reason },
  { name: "details", of: none, ofLeftOut: ({ details }) => details },
];

const memberColumns = memberNames.filter((name) => name !== "to").map(ofMessage);

const actorColumns: readonly Column[] = [
  { name: "user", of: ({ by }) => by?.user },
  { name: "machine", of: ({ by }) => by?.machine },
];

/** By these columns the reader of recipients recognises an export. */
const resultNames: readonly string[] = ["outcome", "errorCode", "error"];

function ofReceipt(name: "messageId" | "segments" | "totalCredits" | "totalCostKes" | "newBalance"): Column {
  const of = ({ outcome }: MessageResult) => (outcome?.kind === "accepted" ? outcome.receipt[name] : undefined);
  return { name, of };
}

function ofFailure(name: "httpStatus" | "errorCode" | "error"): Column {
  const of = ({ outcome }: MessageResult) =>
    outcome === undefined || outcome.kind === "accepted" ? undefined : outcome.failure[name];
  return { name, of };
}

function ofMessage(name: string): Column {
  return { name, of: ({ message }) => membersOf(message)[name], isOfPerson: true };
}

type ExportRow = Readonly<Record<string, Cell>>;

type Exported = Pick<RecordedRun, "header" | "readResults" | "readLeftOut" | "by">;

/** CSV (RFC 4180) is safe to open in a spreadsheet. */
export function exportView(run: Exported, { format, failed, withColumns }: ExportForm): LongView {
  const isOfInput = withColumns && failed;
  const theirNames = async () => (withColumns ? inputColumns(run, isOfInput) : []);
  const oursBeside = (theirs: readonly string[], reasons: readonly Column[]): readonly Column[] => {
    const others = [...memberColumns, ...(run.by === undefined ? [] : actorColumns)];
    const whole = [...columns, ...reasons, ...others].filter(({ name }) => name !== "to" || theirs.length === 0);
    const ours = isOfInput ? [...columns.filter(({ name }) => resultNames.includes(name)), ...reasons] : whole;
    const ourName = namesOfOurs(theirs);
    return ours.map((column) => ({ ...column, name: ourName(column.name) }));
  };
  async function* rows(ours: readonly Column[], { redact }: Page): AsyncGenerator<ExportRow> {
    const cellsOf = (valueOf: (column: Column) => Cell) => {
      const cells = ours.map((column) => {
        const value = valueOf(column);
        return [column.name, column.isOfPerson || typeof value !== "string" ? value : redact(value)] as const;
      });
      return Object.fromEntries(cells);
    };
    for await (const result of run.readResults()) {
      if (failed && result.outcome?.kind === "accepted") continue;
      yield { ...(withColumns && fieldsOf(result.message, run, isOfInput)), ...cellsOf(({ of }) => of(result)) };
    }
    for await (const row of run.readLeftOut()) {
      if (failed && isOnPurpose(row)) continue;
      const cells = cellsOf(({ ofLeftOut = none }) => ofLeftOut(row));
      yield { ...(withColumns && (row.fields ?? { [numberColumn(run)]: row.to })), ...cells };
    }
  }
  return {
    json: async function* json(page) {
      yield* rows(oursBeside(await theirNames(), reasonOfObject), page);
    },
    text: async function* text(page) {
      const theirs = await theirNames();
      const ours = oursBeside(theirs, format === "ndjson" ? reasonOfObject : reasonOfTable);
      if (format === "ndjson") {
        for await (const row of rows(ours, page)) yield jsonLine(row);
        return;
      }
      const ofPerson = theirs.map((name) => ({ name, isOfPerson: true }) as const);
      const all: readonly Pick<Column, "name" | "isOfPerson">[] = [...ofPerson, ...ours];
      const line = (row: ExportRow) =>
        `${csvRecord(all.map(({ name, isOfPerson }) => shown(row[name], page.isTerminal || !isOfPerson)))}\n`;
      yield line(Object.fromEntries(all.map(({ name }) => [name, name])));
      for await (const row of rows(ours, page)) yield line(row);
    },
  };
}

function numberColumn({ header }: Pick<RecordedRun, "header">): string {
  return header.toColumn ?? "to";
}

/** A row of a plain list, or a number that was typed beside a list, has no columns of its own. */
function fieldsOf(message: MessageResult["message"], run: Exported, isOfInput: boolean): Fields {
  if (message.fields !== undefined) return message.fields;
  const { to, ...members } = membersOf(message);
  return { [numberColumn(run)]: to ?? "", ...(isOfInput && members) };
}

async function inputColumns(run: Exported, isOfInput: boolean): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const { message } of run.readResults())
    for (const name of Object.keys(fieldsOf(message, run, isOfInput))) names.add(name);
  for await (const { fields = {} } of run.readLeftOut()) for (const name of Object.keys(fields)) names.add(name);
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
