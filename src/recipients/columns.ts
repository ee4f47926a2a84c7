import { fieldKey } from "../core/template.ts";
import { usageError } from "../errors.ts";
import { quoted } from "./row.ts";

/** The names of the column of the number, as keys. */
export const numberColumns: ReadonlySet<string> = new Set(["to", "phone", "number", "msisdn", "mobile"]);

/** The columns of a header: the keys of their fields, and where the number and the row's own text stand. */
export interface Columns {
  readonly keys: readonly string[];
  readonly to: number;
  /** -1 where rows have no text of their own. */
  readonly message: number;
}

/**
 * Reads a header. Names are told apart as fields are, so `Name` twice, or beside `name`, is refused. Throws a usage error
 * for that, for a column without a name, and where the column of the number is missing or not the only one.
 */
export function readColumns(names: readonly string[], file: string, toColumn?: string): Columns {
  const keys = names.map(fieldKey);
  for (const [index, key] of keys.entries()) {
    if (key === "") {
      throw invalid(`column ${index + 1} of ${file} has no name`, "name it in the header, or remove it");
    }
    if (keys.indexOf(key) !== index) {
      throw invalid(`${file} has two columns named ${quoted(key)}`, "rename or remove one of them");
    }
  }
  return { keys, to: findNumberColumn(names, keys, file, toColumn), message: keys.indexOf("message") };
}

function findNumberColumn(
  names: readonly string[],
  keys: readonly string[],
  file: string,
  toColumn: string | undefined,
): number {
  const wanted = toColumn === undefined ? numberColumns : new Set([fieldKey(toColumn)]);
  const [found, another] = keys.flatMap((key, index) => (wanted.has(key) ? [index] : []));
  const listed = `its columns are ${names.map((name) => quoted(name.trim())).join(", ")}`;
  if (found === undefined) {
    throw invalid(
      `${file} has no column named ${[...wanted].join(" or ")}`,
      `${listed}: name the column of the number with --to-column, or give --format plain for a number a line`,
    );
  }
  if (another !== undefined) {
    throw invalid(
      `the number may stand in ${keys[found]} or in ${keys[another]} of ${file}`,
      `choose with --to-column ${keys[found]} or --to-column ${keys[another]}`,
    );
  }
  return found;
}

function invalid(message: string, hint: string): Error {
  return usageError("INVALID_RECIPIENTS", message, hint);
}
