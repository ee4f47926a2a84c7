import { isObject, parseJson } from "../message/json.ts";
import { replaceFile, makeFolder } from "../files/durable.ts";
import { errorCode } from "../files/open-file.ts";
import { readOwnFile, type StateFolder } from "../files/state-folder.ts";
import { historyPath } from "./history-folder.ts";

/** The file that says from when on the history is kept. */
const fileName = "start.json";

/** Returns when the history begins, in milliseconds since 1970: what is older was pruned, also if a run still has it. */
export function historyStart(state: StateFolder): number {
  const value = parseJson(readText(historyPath(state, fileName)));
  const start = isObject(value) && typeof value["start"] === "string" ? Date.parse(value["start"]) : NaN;
  return Number.isNaN(start) ? 0 : start;
}

/** Sets when the history begins. */
export function setHistoryStart(state: StateFolder, start: number): void {
  const text = `${JSON.stringify({ start: new Date(start).toISOString() })}\n`;
  makeFolder(historyPath(state, ""));
  replaceFile(historyPath(state, fileName), Buffer.from(text), 0o600);
}

function readText(path: string): string {
  try {
    return readOwnFile(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error))) return "";
    throw error;
  }
}
