import { useState } from "preact/hooks";

const copiedMs = 1500;

/** Controls, separators, and invisible and bidirectional characters (UAX #9), but not line feeds and emoji joiners. */
export const hidden =
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g;

/** A web address in a text ends at white space, quotes, brackets and hidden characters. */
const webAddress = /https?:\/\/[^\s<>"'`\\\p{Cc}\p{Cf}\p{Cs}]+/giu;

const clock = new Intl.DateTimeFormat([], { timeStyle: "medium", hourCycle: "h23" });
const day = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });

export function Clock({ at }: Readonly<{ at: string }>) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={at}>
      {`${isToday ? "" : `${day.format(date)}, `}${clock.format(date)}`}
    </time>
  );
}

export function CopyButton({ label, text }: Readonly<{ label: string; text: () => string }>) {
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
      <button onClick={copy}>{result ?? label}</button>
      {/* Screen readers do not announce a label that changes. */}
      <span class="unseen" role="status">
        {result}
      </span>
    </>
  );
}

export function Text({ text }: Readonly<{ text: string }>) {
  let at = 0;
  const pieces = [...text.matchAll(webAddress)].flatMap(({ 0: match, index }) => {
    const address = match.replace(/[.,;:!?)\]}»”’]+$/, "");
    if (!URL.canParse(address)) return [];
    const before = shown(text.slice(at, index));
    at = index + address.length;
    const link = { href: address, rel: "noopener noreferrer nofollow", target: "_blank" };
    return [before, <a {...link}>{address}</a>];
  });
  return <>{[...pieces, shown(text.slice(at))]}</>;
}

export function shown(text: string): string {
  return text
    .toWellFormed()
    .replace(hidden, (control) =>
      control === "\t" ? control : `[U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
    );
}
