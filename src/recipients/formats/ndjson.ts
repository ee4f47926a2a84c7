import { isObject, parseJson } from "../../json.ts";
import { fieldKey, type Fields, typedName } from "../../message/text.ts";
import { usageError } from "../../errors.ts";
import { shellWord } from "../../words/shell-word.ts";
import { type ColumnOptions, keysIn } from "../columns.ts";
import { hasNumberIn, looksLikeNumber } from "../number-cells.ts";
import { noColumnNamed, noKeyOfNumber } from "../column-errors.ts";
import { isContactHeader, isNumberHeader } from "../header-words.ts";
import { type Block, type Line, linesOf } from "./lines.ts";
import type { ListFacts } from "../source.ts";
import { errorText, isNoValue, memberKeys, rowOf, setField } from "../listed-row.ts";
import { faultFrom, quoted, type Row, type RowBatches, type RowFault, textKey } from "../row.ts";

/** A JSON string, with the colon after it if it is a key, or what begins or ends an object or array. */
const tokenPattern = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;

/** Numbers and booleans become text, null is absent. */
export async function* readNdjson(
  blocks: AsyncIterable<Block>,
  list: string,
  options: ColumnOptions,
  facts: ListFacts,
): RowBatches {
  const { toColumn, mend = (option) => option } = options;
  const passedKeys = new Set<string>();
  const columns = new Map<string, string>();
  let hasNumber = false;
  for await (const block of blocks) {
    const rows = linesOf(block)
      .filter(({ text }) => text.trim() !== "")
      .map((line) => readLine(line, options, passedKeys, facts));
    hasNumber ||= toColumn === undefined && rows.some((row) => row.kind === "fault" || row.to !== "");
    if (!hasNumber) addColumns(columns, rows, toColumn);
    yield rows;
  }
  // An object may lack a key that others have.
  if (!hasNumber && columns.size > 0 && !hasColumn(toColumn, [...columns.keys()])) {
    const head = { list, header: "its objects have", names: [...columns.values()] };
    throw toColumn === undefined ? noKeyOfNumber(head, mend) : noColumnNamed(toColumn, head, mend);
  }
  if (passedKeys.size > 0) facts.passed.push(`values that are no text, of ${[...passedKeys].map(quoted).join(", ")}`);
}

/** So many columns are kept for an error that names them. */
const mostColumns = 100;

function addColumns(
  columns: Map<string, string>,
  rows: readonly (Row | RowFault)[],
  toColumn: string | undefined,
): void {
  for (const row of rows) {
    if (row.kind !== "row") continue;
    for (const [key, name] of row.names ?? [])
      if (!columns.has(key) && (columns.size < mostColumns || mayBeColumn(toColumn, key)))
        columns.set(key, typedName(name));
  }
}

function mayBeColumn(toColumn: string | undefined, key: string): boolean {
  return toColumn === undefined ? key === "to" || isNumberHeader(key) : keysIn(toColumn, [key]).includes(key);
}

function hasColumn(toColumn: string | undefined, keys: readonly string[]): boolean {
  if (toColumn === undefined) return keys.some((key) => mayBeColumn(toColumn, key));
  return keysIn(toColumn, keys).every((key) => keys.includes(key));
}

function readLine(
  { line, text }: Line,
  options: ColumnOptions,
  passedKeys: Set<string>,
  facts: ListFacts,
): Row | RowFault {
  try {
    const { fields, names, unreadable } = readFields(text, facts);
    const toKey = keyOfNumber(fields, options);
    // Only a text that uses another field needs that field.
    const [fault] = [...unreadable].filter(([key]) => key === toKey || (memberKeys.includes(key) && key !== textKey));
    if (fault !== undefined) throw invalid(fault[1]);
    const row = rowOf(line, fields[toKey] ?? "", fields);
    if (unreadable.size === 0) return { ...row, names };
    for (const key of unreadable.keys()) passedKeys.add(key);
    return { ...row, names, unreadable };
  } catch (error) {
    return { ...faultFrom(error, line), cells: [text] };
  }
}

/** `to` goes before a key that a header could have. */
function keyOfNumber(fields: Fields, { toColumn, mend = (option) => option }: ColumnOptions): string {
  if (toColumn !== undefined) {
    const keys = keysIn(toColumn, Object.keys(fields));
    return keys.find((key) => hasNumberIn(fields[key] ?? "")) ?? keys[0] ?? "to";
  }
  if (Object.hasOwn(fields, "to")) return "to";
  const isFlag = (name: string) => ["true", "false"].includes(fields[name] ?? "");
  const phones = Object.keys(fields).filter((name) => isNumberHeader(name) && !isFlag(name));
  const isNumber = phones.length === 0 ? hasNumberIn : looksLikeNumber;
  const contacts = Object.keys(fields).filter(
    (name) => isNumber(fields[name] ?? "") && isContactHeader(name) && !isNumberHeader(name),
  );
  const [key = "to", another] = [...phones, ...contacts];
  if (another === undefined) return key;
  throw invalid(
    `both ${quoted(key)} and ${quoted(another)} may have its number: choose with ${mend(`--to-column ${shellWord(key)}`)}`,
  );
}

function readFields(text: string, facts: ListFacts) {
  const object = parseJson(text);
  if (!isObject(object)) throw invalid(object === undefined ? "it is not valid JSON" : "it is not a JSON object");
  const fields: Record<string, string> = {};
  const names = new Map<string, string>();
  const unreadable = new Map<string, string>();
  for (const [name, value] of Object.entries(object)) {
    const content = contentOf(value, facts);
    const key = fieldKey(name);
    if (key === "") throw invalid("it has an empty key");
    if (Object.hasOwn(fields, key)) throw invalid(`it has the key ${quoted(key)} twice`);
    setField(fields, key, content ?? "");
    names.set(key, name);
    if (content === undefined) unreadable.set(key, whyUnreadable(name, value));
  }
  // JSON.parse silently keeps the last of equal keys.
  if (ownKeys(text) > Object.keys(object).length) throw invalid("it has the same key twice");
  return { fields, names, unreadable };
}

function whyUnreadable(name: string, value: unknown): string {
  const error = typeof value === "string" ? errorText(value) : undefined;
  if (error !== undefined) return `${quoted(name)}: ${error}`;
  return `its ${quoted(name)} is not a string, a boolean or an exact number`;
}

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

function contentOf(value: unknown, facts: ListFacts): string | undefined {
  if (value === null) return "";
  if (typeof value === "string" && isNoValue(value)) {
    facts.noValues++;
    return "";
  }
  if (typeof value === "string" && errorText(value) !== undefined) {
    facts.unusableCells++;
    return undefined;
  }
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const isExact = typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return isExact ? String(value) : undefined;
}

function invalid(reason: string): Error {
  return usageError("INVALID_RECIPIENTS", reason);
}
