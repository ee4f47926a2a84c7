import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";

const copiedMs = 1500;

/** Controls, separators, and invisible and bidirectional characters (UAX #9), but not line feeds and emoji joiners. */
export const hidden =
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g;

/** A web address in a text ends at white space, quotes, brackets and hidden characters. */
const webAddress = /https?:\/\/[^\s<>"'`\\\p{Cc}\p{Cf}\p{Cs}]+/giu;

const clock = new Intl.DateTimeFormat([], { timeStyle: "medium", hourCycle: "h23" });
const day = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });

/** A time in the reader's time zone, with the day unless it is today. `at` is in ISO 8601. */
export function Clock({ at }: Readonly<{ at: string }>) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={at}>
      {`${isToday ? "" : `${day.format(date)}, `}${clock.format(date)}`}
    </time>
  );
}

export function StatusBadge({ status }: Readonly<{ status: number }>) {
  return <small class={status === 200 ? "status" : "status bad"}>{status === 0 ? "none" : status}</small>;
}

export function ModeBadge({ mode }: Readonly<{ mode: string | undefined }>) {
  return mode === undefined || mode === "test" ? null : <small class={mode}>{mode}</small>;
}

type CopyButtonProps = Readonly<{ label: string; of?: ComponentChild; text: () => string }>;

/** A button that copies a text as it is; `of` tells it from others with its label. */
export function CopyButton({ label, of, text }: CopyButtonProps) {
  const [result, setResult] = useState<string>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setResult("Copied");
    } catch {
      // Over http from another machine there is no clipboard.
      setResult("Not copied");
    }
    setTimeout(setResult, copiedMs, undefined);
  };
  return (
    <>
      <button class="copy" onClick={copy}>
        {result ?? [label, of]}
      </button>
      {/* Screen readers do not announce a label that changes. */}
      <span class="unseen" role="status">
        {result}
      </span>
    </>
  );
}

/** A text with web addresses as links, marks between its segments and visible code points for hidden characters. */
export function Text({ parts }: Readonly<{ parts: readonly string[] }>) {
  const text = parts.join("");
  let length = 0;
  const ends = parts.map((part) => (length += part.length)).slice(0, -1);
  let at = 0;
  const pieces = [...text.matchAll(webAddress)].flatMap(({ 0: found, index }) => {
    const address = found.replace(/[.,;:!?)\]}»”’]+$/, "");
    if (!URL.canParse(address)) return [];
    const before = marked(text, { ends, from: at, to: index });
    at = index + address.length;
    const link = { href: address, rel: "noopener noreferrer nofollow", target: "_blank" };
    return [...before, <a {...link}>{marked(text, { ends, from: index, to: at })}</a>];
  });
  return <>{[...pieces, ...marked(text, { ends, from: at, to: text.length })]}</>;
}

/** A text in one line, with visible code points for hidden characters. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(hidden, codePoint);
}

export function recipientName(to: string): string {
  return oneLine(to) || "no recipient";
}

export function grouped(n: number): string {
  return n.toLocaleString("en");
}

export function inKes(amount: number): string {
  return `KES ${amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

export function count(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** That range of a text, with a mark at each end of a segment in it. */
function marked(
  text: string,
  { ends, from, to }: { readonly ends: readonly number[]; readonly from: number; readonly to: number },
): readonly ComponentChild[] {
  let at = from;
  const pieces = ends.flatMap((end, index) => {
    if (end < from || end >= to) return [];
    const before = shown(text.slice(at, end));
    at = end;
    const label = `segment ${index + 2} begins here`;
    return [...before, <span class="split" role="img" aria-label={label} title={label} />];
  });
  return [...pieces, ...shown(text.slice(at, to))];
}

function shown(text: string): readonly ComponentChild[] {
  const controls = text.match(hidden) ?? [];
  const pieces = text.toWellFormed().split(hidden);
  return pieces.flatMap((piece, index) => {
    const control = controls[index];
    return control === undefined ? [piece] : [piece, <span class="control">{codePoint(control)}</span>];
  });
}

function codePoint(control: string): string {
  return `U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
