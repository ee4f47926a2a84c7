import { isObject, parseJson } from "../message/json.ts";
import { fieldKey, type Fields } from "../message/text.ts";
import { usageError } from "../errors.ts";
import { type Block, type Line, linesOf } from "./lines.ts";
import { faultFrom, quoted, type Row, type RowBatches, type RowFault, rowOf } from "./row.ts";

/** A JSON string, and the colon after it if it is a key. */
const stringPattern = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/** Reads one flat JSON object per line, whose keys are the fields. Numbers and booleans become text, null is absent. */
export async function* readNdjson(blocks: AsyncIterable<Block>, toColumn = "to"): RowBatches {
  const toKey = fieldKey(toColumn);
  for await (const block of blocks) {
    yield linesOf(block)
      .filter(({ text }) => text.trim() !== "")
      .map((line) => readLine(line, toKey));
  }
}

function readLine({ line, text }: Line, toKey: string): Row | RowFault {
  try {
    const fields = readFields(text);
    const row = rowOf(line, fields[toKey] ?? "", fields, "ndjson");
    return row.kind === "row" ? row : { ...row, cells: [text] };
  } catch (error) {
    return { ...faultFrom(error, line), cells: [text] };
  }
}

function readFields(text: string): Fields {
  const object = parseJson(text);
  if (!isObject(object)) throw invalid(object === undefined ? "it is not valid JSON" : "it is not a JSON object");
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(object)) {
    const content = contentOf(value);
    if (content === undefined) throw invalid(`its ${quoted(name)} is not a string, a boolean or an exact number`);
    const key = fieldKey(name);
    if (key === "") throw invalid("it has an empty key");
    if (key in fields) throw invalid(`it has the key ${quoted(key)} twice`);
    fields[key] = content;
  }
  // JSON.parse silently keeps the last of equal keys. The object is flat, so each key in the text must be one of its own.
  const written = [...text.matchAll(stringPattern)].filter(([, colon]) => colon !== undefined);
  if (written.length > Object.keys(object).length) throw invalid("it has the same key twice");
  return fields;
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
