import { keyLike } from "../../words/key-like.ts";
import { replaceLookAlikes } from "../../message/look-alikes.ts";

/** A line may be of any length, and may never end; the limit is in UTF-16 code units. */
const mostOfLine = 64 * 1024;

/** Lines are only shown, so bytes that are not UTF-8 are replaced. */
export function lineReader(onLine: (line: string) => void) {
  const decoder = new TextDecoder();
  let rest = "";
  const read = (text: string) => {
    const lines = (rest + text).split("\n").map((line) => line.slice(0, mostOfLine));
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") onLine(line.replace(/\r$/, ""));
  };
  return {
    read: (bytes: Uint8Array): void => read(decoder.decode(bytes, { stream: true })),
    end: (): void => read(`${decoder.decode()}\n`),
  };
}

/** In UTF-16 code units. */
const mostCompared = 400;

/** In UTF-16 code units: more than fit into a text. */
const mostOfSample = 320;

/** Numbers include units, times, addresses and hex that begins with a digit; shorter hex needs a digit. */
const variable =
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|(?:(?<![0-9a-z])[-+])?\d[0-9a-z]*(?:[.,:]\d[0-9a-z]*)*|\b(?:[0-9a-f]{8,}|[a-f]{1,6}\d[0-9a-f]{2,})\b/gi;

/** The text itself says when, so the time in front of a line is dropped. */
const timeInFront =
  /^(?:<\d{1,3}>(?:1 )?)?\[?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[-+]\d\d:?\d\d))?)\]?:? /;

const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

/** A phone does not show these characters, or shows them in another place. */
const unseen = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]+/g;

/** A text with a key is refused, and would hold up the lines with it. */
const wholeKey = new RegExp(`${keyLike.source}[\\w.~+/=-]*`, "g");

export interface WatchedLine {
  readonly kind: string;
  readonly text: string;
}

export function lineOf(text: string): WatchedLine {
  return { kind: messageOf(text).replace(variable, "#"), text };
}

/** Parts of a text would keep the whole text in memory. */
export function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

export function sampleOf(line: string): string {
  const { text } = replaceLookAlikes(messageOf(line).slice(0, mostOfSample * 2));
  const harmless = text.replace(wholeKey, "(API key)");
  return (
    harmless.trim().replaceAll(/\s+/g, " ").slice(0, mostOfSample).toWellFormed() || "(nothing that a phone shows)"
  );
}

function messageOf(line: string): string {
  const text = line.slice(0, mostCompared);
  const plain = text.search(unseen) < 0 ? text : text.replace(sequences, "").replace(unseen, " ");
  return plain.replace(timeInFront, "");
}
