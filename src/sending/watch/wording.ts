import { countText, plural } from "../../words/count.ts";
import { composeText } from "../../message/text.ts";
import { encodingOf, countSegments } from "../../message/segments.ts";
import { localText, type Zone } from "../../guards/hours.ts";
import { usageError } from "../../errors.ts";
import type { WatchOptions } from "../options.ts";
import { type Batch, mostFrequent } from "./batch.ts";
import type { Notice } from "./gatherer.ts";

/** Lines need so many characters behind the person's own words. */
const leastRoom = 40;

/** Throws a usage error for words that leave no room for lines. */
export function requireRoomBehind(words: string, segments: number): void {
  if (fits(`${before(words)}${"a".repeat(leastRoom)}`, segments)) return;
  const hint = "shorten it, or raise --segments";
  throw usageError("MESSAGE_TOO_LONG", `--message leaves fewer than ${leastRoom} characters for lines`, hint);
}

function before(words: string): string {
  const text = composeText(words);
  return text === "" ? text : text + (/\s+$/.exec(words)?.[0] ?? " ");
}

/** The shortest sample still says something. */
const sampleLengths = [320, 160, 100, 70, 40] as const;

/** A segment has room for fewer kinds. */
const kindsOfSegment = 32;

/** `wall` is when the text is sent. A text that is still too long is cut as every message is. */
export function textOf(
  { batch, delays }: Notice,
  wall: number,
  { message = "", segments }: Pick<WatchOptions, "message" | "segments">,
  zone: Zone,
): string {
  const words = before(message);
  const kinds = mostFrequent(batch.kinds).slice(0, kindsOfSegment * segments);
  if (batch.isFirst && delays.size === 0) return `${words}${kinds[0]?.[1].sample ?? ""}`;
  const late = delays.size === 0 ? "" : ` (late: ${[...delays].join(", ")})`;
  const head = `${words}${batchText(batch)}, ${timesText(batch, wall, zone)}${late}`;
  let text = head;
  for (const length of sampleLengths) {
    const entries = kinds
      .map(([, { lines, sample }]) => `\n${countText(lines)}x ${shortened(sample, length)}`)
      .join("");
    text = fits(head + entries, segments) ? head + entries : head + plain(entries);
    if (fits(text, segments)) return text;
  }
  return text;
}

export function batchText({ lines, kinds, others }: Batch): string {
  const many = `${others > 0 ? "over " : ""}${plural(kinds.size, "kind")}`;
  return lines === 1 ? "1 line" : `${plural(lines, "line")} of ${many}`;
}

/** If a time is not of the day of `wall`, then it has a date. */
function timesText({ from, until }: Batch, wall: number, zone: Zone): string {
  const today = localText(zone, wall).slice(0, 11);
  const [first = "", last = ""] = [from, until].map((at) => localText(zone, at).replace(today, ""));
  const isShort = first.length + last.length <= 10;
  const times = first === last ? first : `${first}${isShort ? "-" : " to "}${last}`;
  return `${times} ${offsetText(zone.offset(until))}`;
}

function offsetText(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes === 0) return "UTC";
  const rest = minutes % 60 === 0 ? "" : `:${String(minutes % 60).padStart(2, "0")}`;
  return `UTC${ms < 0 ? "-" : "+"}${Math.floor(minutes / 60)}${rest}`;
}

function fits(text: string, segments: number): boolean {
  return countSegments(text).segments <= segments;
}

/** Some characters would halve the room. */
function plain(text: string): string {
  return Array.from(text, (character) => (encodingOf(character) === "GSM-7" ? character : "?")).join("");
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3).toWellFormed()}...`;
}
