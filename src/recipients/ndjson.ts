import { type Sender, senderById, senderByName } from "../core/sender.ts";
import { fieldKey, type Fields } from "../core/template.ts";
import { SmsError, usageError } from "../errors.ts";
import { type Block, type Line, linesOf } from "./lines.ts";
import { quoted, type Row, type RowBatches, type RowFault } from "./row.ts";

/** A string of JSON, and the colon that makes it a key. */
const stringPattern = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Reads a JSON object a line: the number in `to` (or `toColumn`), the row's own text in `message`, its sender in
 * `senderIdName` or `senderId`, and every key a field. Numbers and booleans become text as JSON writes them; null, and
 * blank text, is the same as leaving the key out. A line that is anything else is a fault. Blank lines are passed over.
 */
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
    const message = textOf(fields, "message");
    const sender = readSender(fields);
    return {
      kind: "row",
      line,
      to: fields[toKey] ?? "",
      fields,
      ...(message !== undefined && { message }),
      ...(sender !== undefined && { sender }),
    };
  } catch (error) {
    if (!(error instanceof SmsError)) throw error;
    return { kind: "fault", line, reason: error.message };
  }
}

/** The fields that are there, by key. */
function readFields(text: string): Fields {
  const object = readObject(text);
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(object)) {
    const content = contentOf(value);
    if (content === undefined)
      throw invalid(`its ${quoted(name)} is not text, nor a value that text can hold`);
    const key = fieldKey(name);
    if (key === "") throw invalid("it has a key without a name");
    if (key in fields) throw invalid(`it has the key ${quoted(key)} twice`);
    fields[key] = content;
  }
  // The parser keeps the last of equal keys in silence. The object is flat, so every key in the text is its own.
  const written = [...text.matchAll(stringPattern)].filter(([, colon]) => colon !== undefined);
  if (written.length > Object.keys(object).length) throw invalid("it has the same key twice");
  return fields;
}

function readObject(text: string): object {
  const value = parsed(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalid("it is not a JSON object");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("it is not valid JSON");
  }
}

/** A value as text; blank for null, undefined for what would not come out as it was written. */
function contentOf(value: unknown): string | undefined {
  if (value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const isExact = typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return isExact ? String(value) : undefined;
}

function readSender(fields: Fields): Sender | undefined {
  const name = textOf(fields, "senderIdName");
  const id = textOf(fields, "senderId");
  if (name !== undefined && id !== undefined) throw invalid("it has both a senderIdName and a senderId");
  if (name !== undefined) return senderByName(name);
  return id === undefined ? undefined : senderById(id);
}

/** What stands under a key, undefined where that is nothing or blank. */
function textOf(fields: Fields, name: string): string | undefined {
  const text = fields[fieldKey(name)] ?? "";
  return text.trim() === "" ? undefined : text;
}

function invalid(reason: string): Error {
  return usageError("INVALID_RECIPIENTS", reason);
}
