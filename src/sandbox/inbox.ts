import type { LoggedRequest, LoggedExchange, openLog } from "./log.ts";

const maxRows = 200;

const maxInThread = 100;

export interface Inbox {
  readonly counts: { readonly all: number; readonly accepted: number; readonly refused: number };
  readonly matches: number;
  readonly entries: readonly LoggedRequest[];
  readonly opened?: Opened;
}

/** The entry that is open on the page, and a part of all entries of its number. */
interface Opened extends Partial<LoggedExchange> {
  readonly entry: LoggedRequest;
  /** Oldest first. If the open entry is not one of the latest, the thread begins with it. */
  readonly thread: readonly LoggedRequest[];
  readonly earlier: number;
  readonly later: number;
}

/** The state of the page that has this `search`, `only` ("accepted" or "refused") and `open` (an id) in its address. */
export function inboxOf(log: ReturnType<typeof openLog>, query: URLSearchParams): Inbox {
  const { entries } = log;
  const countOf = (state: string) => entries.reduce((sum, entry) => (stateOf(entry) === state ? sum + 1 : sum), 0);
  const only = query.get("only");
  const words = searchWords(query.get("search") ?? "");
  const matches = entries.filter(
    (entry) => (only === null || only === stateOf(entry)) && (words.length === 0 || isFound(entry, words)),
  );
  const open = Number(query.get("open"));
  const entry = entries.find(({ id }) => id === open);
  return {
    counts: { all: entries.length, accepted: countOf("accepted"), refused: countOf("refused") },
    matches: matches.length,
    entries: matches.slice(-maxRows).toReversed(),
    opened: entry && { entry, ...log.exchange(open), ...threadOf(entry, entries) },
  };
}

function threadOf(
  entry: LoggedRequest,
  entries: readonly LoggedRequest[],
): Pick<Opened, "thread" | "earlier" | "later"> {
  const all = entry.to === undefined ? [entry] : entries.filter(({ to }) => to === entry.to);
  const earlier = Math.max(0, Math.min(all.indexOf(entry), all.length - maxInThread));
  const thread = all.slice(earlier, earlier + maxInThread);
  return { thread, earlier, later: all.length - earlier - thread.length };
}

/** A check of credentials that are taken is no message, so that it is neither. */
function stateOf({ accepted, isCheck, status }: LoggedRequest): "accepted" | "refused" | "checked" {
  if (accepted !== undefined) return "accepted";
  return isCheck && status === 400 ? "checked" : "refused";
}

interface Word {
  readonly text: string;
  /** The digits of a number as people write it: 0712-345 finds +254712345678. */
  readonly digits: string;
}

/** A blank between digits is within a number. */
const betweenWords = /(?<![\d()+.\s-])\s+|\s+(?![\d()+.\s-])/;

function searchWords(typed: string): readonly Word[] {
  const texts = typed.trim().toLowerCase().split(betweenWords);
  return texts.filter(Boolean).map((text) => ({
    text,
    digits: /^[\d()+.\s-]+$/.test(text) ? text.replace(/\D/g, "").replace(/^0/, "") : "",
  }));
}

function isFound(entry: LoggedRequest, words: readonly Word[]): boolean {
  const { accepted, errorCode, fault, message, method, reason, senderId, status, target, to = "" } = entry;
  const texts = [to, senderId, accepted?.messageId, accepted?.message ?? message];
  if (to === "") texts.push(method, target);
  if (accepted === undefined || fault !== undefined) texts.push(String(status), errorCode, reason);
  const text = texts.join("\n").toLowerCase();
  const digitsOfTo = to.replaceAll(/\D/g, "");
  return words.every((word) => text.includes(word.text) || (word.digits !== "" && digitsOfTo.includes(word.digits)));
}
