import { replaceLookAlikes } from "../../message/look-alikes.ts";

/** In UTF-16 code units. */
const mostOfLine = 400;

/** In UTF-16 code units: more than fit into a text. */
const mostOfSample = 320;

/**
 * The parts in which two lines of one kind differ, in this order: UUIDs; numbers with their units, times, addresses and hex that
 * begins with a digit; long hex, and shorter hex that has a digit.
 */
const variable =
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|(?:(?<![0-9a-z])[-+])?\d[0-9a-z]*(?:[.,:]\d[0-9a-z]*)*|\b(?:[0-9a-f]{8,}|[a-f]{1,6}\d[0-9a-f]{2,})\b/gi;

/** The time in front of a line of syslog, journald or a program: the text itself says when. */
const timeInFront =
  /^(?:<\d{1,3}>(?:1 )?)?\[?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[-+]\d\d:?\d\d))?)\]?:? /;

/** Colours and other sequences of a terminal. */
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

/** Characters that a phone does not show, or shows in another place: control characters, also those that turn the direction of a text. */
const unseen = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]+/g;

/** A line, which several recipients are told of. */
export interface WatchedLine {
  /** The line without its numbers, times, hex and UUIDs. */
  readonly kind: string;
  /** Returns the kind and the line as a phone shows it. Unlike parts of a text, the copies do not keep the whole text in memory. */
  readonly copy: () => { readonly kind: string; readonly sample: string };
}

export function lineOf(text: string): WatchedLine {
  const kind = messageOf(text).replace(variable, "#");
  let copy: ReturnType<WatchedLine["copy"]> | undefined;
  return { kind, copy: () => (copy ??= { kind: copied(kind), sample: copied(sampleOf(text)) }) };
}

function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

function sampleOf(line: string): string {
  const { text } = replaceLookAlikes(messageOf(line).slice(0, mostOfSample * 2));
  return text.trim().replaceAll(/\s+/g, " ").slice(0, mostOfSample).toWellFormed() || "(nothing that a phone shows)";
}

/** Returns a line without colours, control characters and the time in front. */
function messageOf(line: string): string {
  const text = line.slice(0, mostOfLine);
  const plain = text.search(unseen) < 0 ? text : text.replace(sequences, "").replace(unseen, " ");
  return plain.replace(timeInFront, "");
}
