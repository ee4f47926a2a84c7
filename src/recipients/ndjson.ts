import { isObject, parseJson } from "../message/json.ts";
import { fieldKey, type Fields } from "../message/text.ts";
import { usageError } from "../errors.ts";
import { memberNames } from "../message/fields.ts";
import { isNumberHeader } from "./columns.ts";
import { type Block, type Line, linesOf } from "./lines.ts";
import { faultFrom, quoted, type Row, type RowBatches, type RowFault, rowOf } from "./row.ts";

/** A JSON string, with the colon after it if it is a key, or what begins or ends an object or array. */
const tokenPattern = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;

/** Reads one JSON object per line, whose keys are the fields. Numbers and booleans become text; null and what is nested is absent. */
export async function* readNdjson(blocks: AsyncIterable<Block>, toColumn?: string): RowBatches {
  for await (const block of blocks) {
    yield linesOf(block)
      .filter(({ text }) => text.trim() !== "")
      .map((line) => readLine(line, toColumn));
  }
}

function readLine({ line, text }: Line, toColumn: string | undefined): Row | RowFault {
  try {
    const fields = readFields(text);
    const row = rowOf(line, fields[keyOfNumber(fields, toColumn)] ?? "", fields, "ndjson");
    return row.kind === "row" ? row : { ...row, cells: [text] };
  } catch (error) {
    return { ...faultFrom(error, line), cells: [text] };
  }
}

/** Returns the key that has the number: the one that is named, else `to`, else the only one that a header could have. */
function keyOfNumber(fields: Fields, toColumn: string | undefined): string {
  if (toColumn !== undefined) return fieldKey(toColumn);
  if (Object.hasOwn(fields, "to")) return "to";
  const [key = "to", another] = Object.keys(fields).filter(isNumberHeader);
  if (another === undefined) return key;
  throw invalid(`both ${quoted(key)} and ${quoted(another)} may have its number: choose with --to-column`);
}

function readFields(text: string): Fields {
  const object = parseJson(text);
  if (!isObject(object)) throw invalid(object === undefined ? "it is not valid JSON" : "it is not a JSON object");
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(object)) {
    // Only a text that uses it needs it, and then says that it is missing; what the message itself is, every row needs.
    if (typeof value === "object" && value !== null && !memberNames.includes(name)) continue;
    const content = contentOf(value);
    if (content === undefined) throw invalid(`its ${quoted(name)} is not a string, a boolean or an exact number`);
    const key = fieldKey(name);
    if (key === "") throw invalid("it has an empty key");
    if (key in fields) throw invalid(`it has the key ${quoted(key)} twice`);
    fields[key] = content;
  }
  // JSON.parse silently keeps the last of equal keys.
  if (ownKeys(text) > Object.keys(object).length) throw invalid("it has the same key twice");
  return fields;
}

/** Counts the keys of an object in its text, without those of objects in it. */
function ownKeys(text: string): number {
  let depth = 0;
  let keys = 0;
  for (const [token, colon] of text.matchAll(tokenPattern)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && colon !== undefined) keys++;
  }
  return keys;
}

function contentOf(value: unknown): string | undefined {
  if (value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const isExact = typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return isExact ? String(value) : undefined;
}

function invalid(reason: string): Error {
  return usageError("INVALID_RECIPIENTS", reason);
}
