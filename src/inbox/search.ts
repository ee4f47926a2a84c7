import type { SandboxRequest } from "../sandbox/request-log.ts";

/** What a search looks at; `folded` is all that is searched for text. */
type Findable = Readonly<{
  to: string;
  folded: string;
  at: string;
  kind: "message" | "refusal";
  mode?: string;
  senderId?: string;
  key?: string;
  fault?: string;
}>;
type Test = (one: Findable) => boolean;

export type Search = ReturnType<typeof searchFor>;

const states = new Map<string, Test>([
  ["accepted", ({ kind }) => kind === "message"],
  ["refused", ({ kind }) => kind === "refusal"],
  ["broken", ({ kind, fault }) => kind === "message" && fault !== undefined],
  ["stray", ({ to }) => to === ""],
  ...["live", "test", "account"].map((name): [string, Test] => [name, ({ mode }) => mode === name]),
]);

const aTime = "10:30, 2026-11-22 or 2026-11-22T10:30";

/** What each operator takes, and how it tests by its value; undefined if it takes no such value. */
export const operators: readonly (readonly [name: string, takes: string, (value: string) => Test | undefined])[] = [
  ["is", [...states.keys()].join(", "), (value) => states.get(value)],
  ["to", "a number or a part of it", (value) => (/\d/.test(value) ? numberTest(value) : undefined)],
  ["from", "a sender ID", (value) => (one) => fold(one.senderId ?? "").includes(value)],
  ["key", "the end of a key", (value) => (one) => fold(one.key ?? "").includes(value)],
  ["after", aTime, (value) => timeTest(value, (at, limit) => at >= limit)],
  ["before", aTime, (value) => timeTest(value, (at, limit) => at < limit)],
];

const term = /([-!]?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/g;

/** A part of a search; `note` says what was not understood. */
type Term = Readonly<{ isExcluded: boolean; test: Test; note?: string | undefined }>;

/**
 * A search in the manner of Mailpit: all words in any order, "words in quotes" as they stand, and -words that must be
 * absent; each may be an operator. A number is found in any notation: 0712 345 678 finds +254712345678.
 */
export function searchFor(typed: string) {
  const folded = fold(typed.trim());
  const terms = [...folded.matchAll(term)].flatMap(termOf);
  return {
    typed: folded,
    note: terms.flatMap(({ note }) => note ?? [])[0],
    finds: (one: Findable): boolean => terms.every(({ isExcluded, test }) => test(one) !== isExcluded),
  };
}

export function findsRequest({ finds, typed }: Search, request: SandboxRequest): boolean {
  if (typed === "") return true;
  const { method, target, status, reason, to = "", senderId = "", message = "", messageId, ...others } = request;
  const folded = fold([method, target, status, reason, to, senderId, message, messageId, others.fault].join("\n"));
  return finds({ ...others, to, senderId, folded, kind: messageId === undefined ? "refusal" : "message" });
}

export function fold(text: string): string {
  return text.toLowerCase();
}

function termOf([, sign, name = "", phrase, word = ""]: RegExpMatchArray): readonly Term[] {
  const value = phrase ?? word;
  // Still being typed.
  if (/^[-!]?$/.test(value) || operators.some(([known]) => value === `${known}:`)) return [];
  const isExcluded = sign !== "";
  const [, takes, testFor] = operators.find(([known]) => known === name) ?? [];
  const test = testFor?.(value);
  if (test !== undefined) return [{ isExcluded, test }];
  const text = name === "" ? value : `${name}:${value}`;
  const isAddress = value.startsWith("//");
  const hint =
    takes === undefined
      ? `the operators are ${operators.map(([known]) => `${known}:`).join(" ")}`
      : `${name}: takes ${takes}`;
  const note = name === "" || isAddress ? undefined : `${text} is searched as text; ${hint}`;
  return [{ isExcluded, test: textTest(text), note }];
}

function textTest(text: string): Test {
  const isNumber = numberTest(text);
  return (one) => one.folded.includes(text) || isNumber(one);
}

function numberTest(text: string): Test {
  const digits = /^[\d\s()+.-]+$/.test(text) ? text.replace(/\D/g, "").replace(/^0/, "") : "";
  return ({ to }) => digits !== "" && to.includes(digits);
}

function timeTest(value: string, isIn: (at: string, limit: string) => boolean): Test | undefined {
  const now = new Date();
  // Sweden writes dates as ISO 8601 does.
  const whole = /^\d\d:\d\d/.test(value) ? `${now.toLocaleDateString("sv")}T${value}` : value.toUpperCase();
  // Without a time, a date would be one in UTC.
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(whole) ? `${whole}T00:00` : whole);
  if (!/^\d{4}-\d\d-\d\d/.test(whole) || Number.isNaN(time)) return undefined;
  const limit = new Date(time).toISOString();
  return ({ at }) => isIn(at, limit);
}
