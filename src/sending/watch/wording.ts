import { countText, plural } from "../../words/count.ts";
import { cutToSegments } from "../../message/cut.ts";
import { encodingOf, countSegments } from "../../message/segments.ts";
import { localText, type Zone } from "../../guards/hours.ts";
import { usageError } from "../../errors.ts";
import type { WatchOptions } from "../options.ts";
import { type Batch, mostFrequent } from "./batch.ts";
import type { Notice } from "./gatherer.ts";

/** Characters for lines behind the person's own words. */
const leastRoom = 40;

/** Throws a usage error for words that leave no room for lines. */
export function requireRoomBehind(words: string, segments: number): void {
  if (fits(`${before(words)}${"a".repeat(leastRoom)}`, segments)) return;
  const hint = "shorten it, or raise --segments";
  throw usageError("MESSAGE_TOO_LONG", `--message leaves fewer than ${leastRoom} characters for lines`, hint);
}

function before(words: string): string {
  return words === "" || /\s$/.test(words) ? words : `${words} `;
}

/** The lengths at which samples are shown, from the whole sample to the shortest that still says something. */
const sampleLengths = [320, 160, 100, 70, 40] as const;

/** More kinds than a segment has room for. */
const kindsOfSegment = 32;

/** Returns the text that tells of lines. `wall` is when it is sent. */
export function textOf(
  { batch, delays }: Notice,
  wall: number,
  { message = "", segments }: Pick<WatchOptions, "message" | "segments">,
  zone: Zone,
): string {
  const words = before(message);
  const kinds = mostFrequent(batch.kinds).slice(0, kindsOfSegment * segments);
  if (batch.isFirst && delays.size === 0) return cutToSegments(`${words}${kinds[0]?.[1].sample ?? ""}`, segments).text;
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
  return cutToSegments(text, segments).text;
}

/** Says how many lines of how many kinds came. */
export function batchText({ lines, kinds, others }: Batch): string {
  const many = `${others > 0 ? "over " : ""}${plural(kinds.size, "kind")}`;
  return lines === 1 ? "1 line" : `${plural(lines, "line")} of ${many}`;
}

/** Returns times as in `14:02-14:05 UTC+3`, with the date of one that is not of the day of `wall`. */
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

/** Returns text without the characters that would halve the room. */
function plain(text: string): string {
  return Array.from(text, (character) => (encodingOf(character) === "GSM-7" ? character : "?")).join("");
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3).toWellFormed()}...`;
}
