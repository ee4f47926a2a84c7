import { isObject, parseJson } from "../message/json.ts";
import type { Entry } from "./entry.ts";

/** Reads a line that `encodeEntry` wrote; undefined for any other. */
export function decodeEntry(line: string): Entry | undefined {
  const value = parseJson(line);
  return isEntry(value) ? value : undefined;
}

const texts = ["at", "mode", "to"] as const;
const textsOrNull = ["run", "account", "key", "sender"] as const;
const outcomes: readonly unknown[] = ["accepted", "rejected", "unsent", "uncertain"] satisfies Entry["outcome"][];

function isEntry(value: unknown): value is Entry {
  if (!isObject(value)) return false;
  const isNumber = (name: string) => typeof value[name] === "number";
  const isAbsent = (name: string) => value[name] === undefined;
  return (
    texts.every((name) => typeof value[name] === "string") &&
    textsOrNull.every((name) => typeof value[name] === "string" || value[name] === null) &&
    (isNumber("took") || value["took"] === null) &&
    (value["kind"] === "send" || value["kind"] === "run") &&
    outcomes.includes(value["outcome"]) &&
    isNumber("segments") &&
    ["totalCredits", "totalCostKes", "newBalance"].every((name) => isNumber(name) || isAbsent(name))
  );
}
