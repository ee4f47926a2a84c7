import { nearest } from "../words/nearest.ts";
import { shellWord } from "../words/shell-word.ts";
import { fieldKey, type TemplateField } from "../message/text.ts";
import { type SmsError, usageError } from "../errors.ts";
import { cleanLine } from "./faults.ts";
import { isNoValue, memberKeys } from "./listed-row.ts";
import { mostNamed, quoted, textKey } from "./row.ts";

export interface Head {
  readonly list: string;
  /** The place of the header, such as line 3. */
  readonly place: string;
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: string | undefined;
  readonly hidden?: ReadonlySet<number>;
}

type Mend = (option: string) => string;

export interface DoorOptions {
  /** The list holds people back: each number of a row is read, hidden ones too. */
  readonly everyNumber?: boolean;
  /** If the list takes no options, this returns a command with the option in its place. */
  readonly mend?: Mend;
}

export function twoColumns({ list, names }: Head, indexes: readonly number[], options: DoorOptions): SmsError {
  const keys = names.map(fieldKey).filter((key) => key !== "" && !/^column \d+$/.test(key));
  const half = keys.length / 2;
  if (half > 1 && keys.slice(0, half).join("\n") === keys.slice(half).join("\n")) {
    const hint = "copy the second below the first, or save each as a file of its own";
    const each = names.slice(0, names.lastIndexOf(names.find((name) => fieldKey(name) === keys[0]) ?? ""));
    return invalid(`${list} has two tables side by side, each with ${listed(each)}`, hint);
  }
  const columns = indexes.map((index) => names[index] ?? "");
  const all = columns.slice(0, mostNamed).map((name) => quoted(name));
  return invalid(
    `${list} has ${indexes.length === 2 ? "two" : indexes.length} columns of numbers: ${all.join(" and ")}`,
    waysToChoose(columns, options),
  );
}

/** A list that holds people back has the numbers of each column. */
export function waysToChoose(
  columns: readonly string[],
  { everyNumber, mend = (option) => option }: DoorOptions,
): string {
  const choice = (...names: readonly string[]) => mend(`--to-column ${shellWord(names.join(","))}`);
  const [first = "", second = ""] = columns;
  const isRepeated = fieldKey(first) === fieldKey(second);
  const way = isRepeated ? "rename one of them" : `choose with ${choice(first)} or ${choice(second)}`;
  if (everyNumber) return `${choice(...columns)} takes ${columns.length === 2 ? "both" : "them all"}; or ${way}`;
  return `${way}; ${choice(...columns)} takes the first that has a number in each row`;
}

export function twoSheets(
  name: string,
  [first = "", second = ""]: readonly (string | undefined)[],
  command: string,
): SmsError {
  return invalid(
    `${name} has numbers in several sheets, such as ${quoted(first)} and ${quoted(second)}`,
    `save the one you mean as a file of its own, or choose it: \`${command} --sheet ${shellWord(first)}\` reads the first`,
  );
}

export function noNumberColumn(
  { list, place, names, delimiter, hidden }: Head,
  toColumn: string | undefined,
  mend: Mend,
  { likeliest, isCounter }: { readonly likeliest: string | undefined; readonly isCounter: boolean },
): SmsError {
  const isPlain = delimiter !== undefined && names.length === 1;
  const plain = isPlain ? `, or ${mend("--format plain")} for one number per line` : "";
  const others = hidden?.size ? ", or show the columns that it hides, if they have the numbers" : plain;
  const number = names.findIndex((name) => /\d{6}|\d[\d ().-]{7}/.test(name) || isNoValue(name));
  const first = names[number] ?? "";
  if (toColumn === undefined && number >= 0) {
    const words = names.findIndex((name, index) => index !== number && /\p{L}/u.test(name));
    const nameOf = (index: number) => (index === number ? "to" : index === words ? "name" : `column${index + 1}`);
    const example = names.slice(0, 6).map((_, index) => nameOf(index));
    const hint = `add a first line that names the columns, such as ${example.join(delimiter ?? ",")}${others}`;
    const what = isNoValue(first) ? "value" : "number";
    return invalid(`${list} has no header: its first line has the ${what} ${quoted(first)}`, hint);
  }
  const header = takenHeader(place);
  if (toColumn !== undefined) return noColumnNamed(toColumn, { list, header, names }, mend, others);
  const why = isCounter
    ? "a column of numbers goes up by one from row to row, as invoices do"
    : "no column has a number in nearly every cell";
  return invalid(
    `${list} has no column of numbers: no header says so, such as to or phone, and ${why}`,
    `${header} ${listed(names)}: choose ${mend(choiceOf(likeliest, names))}${others}`,
  );
}

/** Names the columns after the words of `header`. */
type NamedColumns = Pick<Head, "list" | "names"> & { readonly header: string };

export function noKeyOfNumber({ list, header, names }: NamedColumns, mend: Mend): SmsError {
  const hint = `${header} ${listed(names)}: choose ${mend(choiceOf(undefined, names))}`;
  return invalid(`${list} has no column of numbers: no key says so, such as to or phone`, hint);
}

export function noColumnNamed(
  toColumn: string,
  { list, header, names }: NamedColumns,
  mend: Mend,
  others = "",
): SmsError {
  const choice = mend(choiceOf(nearest(toColumn, names), names));
  return invalid(
    `${list} has no column named ${quoted(toColumn)}`,
    `${header} ${listed(names)}: choose ${choice}${others}`,
  );
}

function takenHeader(place: string): string {
  return `${place} was taken for the header, with the columns`;
}

/** Said of a list of which no number can be read, if another column has some. */
export function takenText(
  { place, names }: Head,
  column: string,
  mend: Mend,
  likeliest: string | undefined,
): string | undefined {
  if (likeliest === undefined) return undefined;
  const header = `${takenHeader(place)} ${listed(names)}`;
  return `${header}, and ${quoted(column)} for the numbers: ${mend(choiceOf(likeliest, names))} takes another`;
}

function choiceOf(likeliest: string | undefined, names: readonly string[]): string {
  const name = likeliest ?? (names.length === 1 ? names[0] : undefined);
  return name === undefined ? "--to-column NAME" : `--to-column ${shellWord(name)}`;
}

export function refuseRepeated(list: string, names: readonly string[], fields: readonly string[]): void {
  const keys = names.map(fieldKey);
  const double = fields.find((key) => keys.indexOf(key) !== keys.lastIndexOf(key));
  if (double === undefined) return;
  const isSender = memberKeys.includes(double) && double !== textKey;
  const name = isSender ? names[keys.indexOf(double)] : double;
  const why = isSender ? "a message has one sender" : "the text needs one";
  throw invalid(`${list} has two columns named ${quoted(name ?? "")}, and ${why}`, "rename or remove one of them");
}

/** `file` is undefined for recipients of --to. */
export function unknownFields(
  fields: readonly TemplateField[],
  columns: readonly string[],
  file: string | undefined,
  others: SmsError | undefined,
): SmsError {
  const text = `the message contains ${fields.map(({ name }) => `{{${name}}}`).join(" and ")}`;
  if (file === undefined) {
    const hint = "write the value in its place, or give recipients with fields by --recipients";
    return usageError("UNFILLED_FIELD", `${text}, and recipients given with --to have no fields to fill it`, hint);
  }
  const cleaning = `\`${cleanLine({ file, output: "NEW.csv" })}\``;
  const near = fields.flatMap(({ name }) => nearest(name, columns) ?? []);
  const question = near.length === 0 ? "" : `: did you mean ${near.map((name) => `{{${name}}}`).join(" and ")}?`;
  return usageError("UNKNOWN_FIELD", `${text}, and ${file} has no column of that name`, {
    hint:
      columns.length === 0
        ? `give the fields in a CSV file with a header, such as to,name: ${cleaning} makes one of names beside numbers`
        : `its columns are ${listed(columns)}${question}`,
    details: others?.details,
    faults: others?.faults,
  });
}

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  const first = names.filter((name) => name !== "").slice(0, mostNamed);
  return `${first.map((name) => quoted(name)).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function invalid(message: string, hint: string): SmsError {
  return usageError("INVALID_RECIPIENTS", message, hint);
}
