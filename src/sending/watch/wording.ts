import { countText } from "../../words/count.ts";
import { cutToSegments } from "../../message/cut.ts";
import { encodingOf, countSegments } from "../../message/segments.ts";
import { durationText } from "../command-end.ts";
import { localText, type Zone } from "../../guards/hours.ts";
import { usageError } from "../../errors.ts";
import { type Batch, mostFrequent } from "./batch.ts";
import type { Delay, Notice } from "./gatherer.ts";

interface Wording {
  readonly segments: number;
  readonly zone: Zone;
  /** The most texts to a recipient, as in `6/h`. */
  readonly atMost: string;
  /** The person's own words before the lines. */
  readonly words?: string;
}

/** Room for lines behind the person's own words. Characters. */
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

/** How much of each sample is shown, from all of it to the least that still says something. */
const sampleLengths = [320, 160, 100, 70, 40] as const;

/** Returns the text that tells of lines, which has at most so many segments. `wall` is when it is sent. */
export function textOf(notice: Notice, wall: number, wording: Wording): string {
  const { batch, isFirst, quietSince } = notice;
  const { segments, zone } = wording;
  const words = before(wording.words ?? "");
  if (batch === undefined) {
    const since = quietSince ?? wall;
    return `${words}Quiet for ${durationText(wall - since).replace(/ 0 (?:s|min)$/, "")}: no line since ${timesText({ from: since, until: since, wall }, zone)}`;
  }
  const shown = mostFrequent(batch.kinds).slice(0, 4 * segments + 12);
  if (isFirst) return cutToSegments(`${words}${shown[0]?.[1].sample ?? ""}`, segments).text;
  const head = words + headOf(notice, { batch, wall }, wording);
  let text = head;
  for (const length of sampleLengths) {
    text = head;
    let [kinds, lines] = [0, 0];
    for (const [, kind] of shown) {
      const entry = `\n${countText(kind.lines)}x ${shortened(kind.sample, length)}`;
      const next = [entry, plain(entry)].find((one) =>
        fits(`${text}${one}${restOf(batch, kinds + 1, lines + kind.lines)}`, segments),
      );
      if (next === undefined) break;
      text += next;
      kinds++;
      lines += kind.lines;
    }
    text += restOf(batch, kinds, lines);
    if (kinds === batch.kinds.size) break;
  }
  return cutToSegments(text, segments).text;
}

/** Says how many lines of how many kinds came, from when to when, and why it is told so late. */
function headOf(
  { delays, quietSince }: Notice,
  { batch, wall }: { readonly batch: Batch; readonly wall: number },
  { zone, atMost }: Wording,
): string {
  const many = batch.others > 0 ? `over ${countText(batch.kinds.size)}` : countText(batch.kinds.size);
  const kinds = batch.lines === 1 ? "" : ` of ${many} ${batch.kinds.size === 1 ? "kind" : "kinds"}`;
  const what = `${countText(batch.lines)} ${batch.lines === 1 ? "line" : "lines"}${kinds}`;
  const quiet = quietSince === undefined ? "" : ", quiet since";
  const reasons: Readonly<Record<Delay, string>> = {
    hours: "outside the hours",
    unsent: "not sent before",
    limit: `at most ${atMost}`,
  };
  const late = delays.size === 0 ? "" : ` (late: ${[...delays].map((delay) => reasons[delay]).join(", ")})`;
  return `${what}, ${timesText({ from: batch.from, until: batch.until, wall }, zone)}${quiet}${late}`;
}

function restOf({ lines, kinds, others }: Batch, shownKinds: number, shownLines: number): string {
  const left = kinds.size - shownKinds;
  if (left === 0 && others === 0) return "";
  const more = others > 0 ? "others" : `${countText(left)} more ${left === 1 ? "kind" : "kinds"}`;
  return `\n${countText(lines - shownLines)}x ${more}`;
}

/** Returns times as in `14:02-14:05 UTC+3`, with dates unless all is of the day of `wall`. */
function timesText(
  { from, until, wall }: { readonly from: number; readonly until: number; readonly wall: number },
  zone: Zone,
): string {
  const [today, first, last] = [wall, from, until].map((at) => localText(zone, at));
  const isToday = [first, last].every((time) => time?.slice(0, 10) === today?.slice(0, 10));
  const short = (time = "") => (isToday ? time.slice(11) : `${dayText(time)} ${time.slice(11)}`);
  const isSameDay = first?.slice(0, 10) === last?.slice(0, 10);
  const end = first === last ? "" : `-${isSameDay ? (last ?? "").slice(11) : short(last)}`;
  return `${short(first)}${end} ${offsetText(zone.offset(until))}`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function dayText(date: string): string {
  return `${Number(date.slice(8, 10))} ${months[Number(date.slice(5, 7)) - 1]}`;
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

/** Returns the entry without what would halve the room of a text. */
function plain(entry: string): string {
  return Array.from(entry, (character) => (encodingOf(character) === "GSM-7" ? character : "?")).join("");
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3).toWellFormed()}...`;
}
