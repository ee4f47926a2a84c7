import { fieldKey } from "../message/template.ts";
import { usageError } from "../errors.ts";
import type { Header } from "./column-faults.ts";
import { quoted } from "./row.ts";

/** The column names, in lower case, that mean the recipient's number. */
export const numberColumns: ReadonlySet<string> = new Set(["to", "phone", "number", "msisdn", "mobile"]);

/** A parsed header: the field keys, and the index of the number. */
export interface Columns {
  readonly keys: readonly string[];
  readonly to: number;
}

/** Reads a header. Throws `INVALID_RECIPIENTS` for an empty or repeated name, and unless one column has the numbers. */
export async function readColumns(header: Header, toColumn?: string): Promise<Columns> {
  const { file } = header;
  const keys = header.names.map(fieldKey);
  const to = await findNumberColumn(header, keys, toColumn);
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

async function findNumberColumn(
  header: Header,
  keys: readonly string[],
  toColumn: string | undefined,
): Promise<number> {
  const candidates = toColumn === undefined ? numberColumns : new Set([fieldKey(toColumn)]);
  const [found, another] = keys.flatMap((key, index) => (candidates.has(key) ? [index] : []));
  if (found === undefined) {
    const { noNumberColumn } = await import("./column-faults.ts");
    throw noNumberColumn(header, [...candidates], toColumn);
  }
  if (another !== undefined && keys[another] !== keys[found]) {
    throw invalid(
      `${header.file} has two columns of numbers: ${keys[found]} and ${keys[another]}`,
      `choose with --to-column ${keys[found]} or --to-column ${keys[another]}`,
    );
  }
  return found;
}

function invalid(message: string, hint: string): Error {
  return usageError("INVALID_RECIPIENTS", message, hint);
}
