import { nearest } from "../message/nearest.ts";
import { fieldKey, type TemplateField } from "../message/text.ts";
import { type SmsError, usageError } from "../errors.ts";
import { mostNamed, quoted } from "./row.ts";

interface Header {
  readonly file: string;
  readonly names: readonly string[];
  readonly delimiter: string;
}

export const numberColumns: ReadonlySet<string> = new Set(["to", "phone", "number", "msisdn", "mobile"]);

export interface Columns {
  readonly keys: readonly string[];
  readonly to: number;
}

/** Reads a header. Throws `INVALID_RECIPIENTS` for an empty or repeated name, and unless one column has the numbers. */
export function readColumns(header: Header, toColumn?: string): Columns {
  const { file } = header;
  const keys = header.names.map(fieldKey);
  const wanted = toColumn === undefined ? numberColumns : new Set([fieldKey(toColumn)]);
  const [to, another] = keys.flatMap((key, index) => (wanted.has(key) ? [index] : []));
  if (to === undefined) throw noNumberColumn(header, [...wanted], toColumn);
  if (another !== undefined && keys[another] !== keys[to]) {
    throw invalid(
      `${file} has two columns of numbers: ${keys[to]} and ${keys[another]}`,
      `choose with --to-column ${keys[to]} or --to-column ${keys[another]}`,
    );
  }
  for (const [index, key] of keys.entries()) {
    if (key === "") {
      throw invalid(`column ${index + 1} of ${file} has no name`, "name it in the header, or remove it");
    }
    if (keys.indexOf(key) !== index) {
      throw invalid(`${file} has two columns named ${quoted(key)}`, "rename or remove one of them");
    }
  }
  return { keys, to };
}

function noNumberColumn(
  { file, names, delimiter }: Header,
  wanted: readonly string[],
  toColumn: string | undefined,
): SmsError {
  if (/^sep=/i.test(names[0] ?? ""))
    return invalid(`${file} begins with ${quoted(names[0] ?? "")}, which only Excel reads`, "remove that line");
  const number = names.findIndex((name) => /^\s*\+?[\d\s().-]{7,20}$/.test(name) && /\d{3}/.test(name));
  if (number >= 0) {
    const header = names
      .map((_, index) => (index === number ? "to" : index - number === 1 ? "name" : `field${index + 1}`))
      .join(delimiter);
    const example = delimiter === "\t" || names.length > 8 ? "" : `, such as ${header}`;
    const alone = names.length === 1 ? ", or add --format plain for one number a line" : "";
    return invalid(
      `${file} has no header: its first line has the number ${quoted(names[number] ?? "")}`,
      `add a first line that names the columns${example}${alone}`,
    );
  }
  const meant =
    toColumn === undefined
      ? names.find((name) => /phone|mobile|cell|tel|number|msisdn|whatsapp|contact/i.test(name))
      : nearest(toColumn, names);
  const chosen = meant ?? (names.length === 1 ? names[0] : undefined);
  const choice = `choose ${chosen === undefined ? "one with --to-column" : `--to-column ${typedName(chosen)}`}`;
  return invalid(
    `${file} has no column named ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(wanted)}`,
    `its columns are ${listed(names)}: ${choice}, or use --format plain for one number per line`,
  );
}

/** Returns the error for a text with fields that no row of the recipients has. `file` is undefined for those of --to. */
export function unknownFields(
  fields: readonly TemplateField[],
  columns: readonly string[],
  file: string | undefined,
  details: readonly string[],
): SmsError {
  const text = `the message contains ${fields.map(({ name }) => `{{${name}}}`).join(" and ")}`;
  if (file === undefined) {
    return usageError(
      "UNFILLED_FIELD",
      `${text}, and recipients given with --to have no fields to fill it`,
      "write the value in its place, or give recipients with fields by --recipients",
    );
  }
  if (columns.length === 0) {
    return usageError(
      "UNKNOWN_FIELD",
      `${text}, and ${file} has only numbers`,
      "give the fields in a CSV file with a header, such as to,name",
      details,
    );
  }
  const meant = fields.flatMap(({ name }) => nearest(name, columns) ?? []);
  const question = meant.length === 0 ? "" : `: did you mean ${meant.map((name) => `{{${name}}}`).join(" and ")}?`;
  return usageError(
    "UNKNOWN_FIELD",
    `${text}, and ${file} has no column of that name`,
    `its columns are ${listed(columns)}${question}`,
    details,
  );
}

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  const shown = names.slice(0, mostNamed).map((name) => quoted(name.trim()));
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns a name as it is typed in a shell; never one that a shell would expand. */
function typedName(name: string): string {
  const word = name.trim();
  if (/^[\w.-]+$/.test(word)) return word;
  return /^[\w .()/-]{1,40}$/.test(word) ? `"${word}"` : "NAME";
}

function invalid(message: string, hint: string): SmsError {
  return usageError("INVALID_RECIPIENTS", message, hint);
}
