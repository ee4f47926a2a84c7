import { invalidOption, type SmsError } from "../errors.ts";
import { isText } from "../json.ts";
import { tierRates } from "./limits.ts";

interface ValueForm {
  readonly type: "text" | "number" | "integer";
  readonly minimum?: number;
  readonly maximum?: number;
  /** The only words that the option takes; a number is taken too if the type is one. */
  readonly choices?: readonly string[];
  readonly repeatable?: boolean;
}

const formByParser = new WeakMap<object, ValueForm>();

export function withForm<Parse extends object>(form: ValueForm, parse: Parse): Parse {
  formByParser.set(parse, form);
  return parse;
}

export function formOf(parse: object | undefined): ValueForm {
  return (parse && formByParser.get(parse)) ?? { type: "text" };
}

function parser<Value>(form: ValueForm, parse: (value: string, name: string) => Value) {
  return withForm(form, (value: string, _previous?: unknown, name = "") => parse(value, name));
}

export const severalTimes = withForm(
  { type: "text", repeatable: true },
  (value: string, previous: unknown, name = ""): readonly string[] => {
    if (value === "") throw invalidOption(`${name} is empty`, "give a value; a variable in it may not be set");
    return [...(Array.isArray(previous) ? previous.filter(isText) : []), value];
  },
);

/** `what` is as in `a whole number of requests`, `numberWords` are words for numbers, and `unit` may follow a number. */
export function number(
  what: string,
  least: number,
  most: number,
  numberWords: Readonly<Record<string, number>> = {},
  unit = "",
) {
  const isWhole = !what.startsWith("a number");
  const words = Object.keys(numberWords);
  const choices = words.length === 0 ? undefined : words;
  const form = { type: isWhole ? "integer" : "number", minimum: least, maximum: most, choices } as const;
  return parser(form, (value, name) => {
    if (Object.hasOwn(numberWords, value)) return numberWords[value] ?? NaN;
    const digits = value.endsWith(unit) ? value.slice(0, value.length - unit.length) : value;
    const amount = /^\d+(\.\d+)?$/.test(digits) ? Number(digits) : NaN;
    if (amount >= least && amount <= most && (!isWhole || Number.isInteger(amount))) return amount;
    const ownRate = value === "enterprise" ? ": an enterprise account has a rate of its own" : "";
    const hint = `give ${alternatives([`one from ${least} to ${most}`, ...words])}${ownRate}`;
    throw invalidOption(`${name} takes ${what}, not ${JSON.stringify(value)}`, hint);
  });
}

export function wordOf<const Word extends string>(words: readonly Word[]) {
  return parser({ type: "text", choices: words }, (value, name) => wordIn(words, value, name));
}

export function someOf<const Word extends string>(words: readonly Word[]) {
  return parser({ type: "text", choices: words }, (value, name) =>
    value.split(",").map((word) => wordIn(words, word, name, ", or several with commas")),
  );
}

function wordIn<Word extends string>(words: readonly Word[], value: string, name: string, more = ""): Word {
  const word = words.find((item) => item === value);
  if (word !== undefined) return word;
  const hint = value === "json" ? "--json prints JSON" : `give ${alternatives(words)}${more}`;
  throw invalidOption(`${name} does not take ${JSON.stringify(value)}`, hint);
}

function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

export function lacking(name: string, other: string): SmsError {
  return invalidOption(`${name} needs ${other}`, `add ${other}, or leave ${name} out`);
}

export const amounts = {
  rate: number("a whole number of requests", 1, 1_000_000, tierRates, "/min"),
  timeout: number("a number of seconds", 0.001, 86_400),
  retries: number("a whole number of tries", 0, 100),
  segments: number("a whole number of segments", 1, 10),
  credits: number("a whole number of credits", 0, 1_000_000_000),
} as const;

export const keyKind = wordOf(["test", "live"]);

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export function span(least = 0) {
  return parser({ type: "text" }, (value, name) => {
    const ms = spanOf(value);
    if (ms !== undefined && ms >= least) return ms;
    const hint = "give days, hours, minutes or seconds, as in 90d, 24h, 30m or 45s";
    throw invalidOption(`${name} takes a time span, not ${JSON.stringify(value)}`, hint);
  });
}

export function spanOf(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const unitMs = units[unit];
  return unitMs && Number(count) * unitMs;
}

export function encodingName(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    const hint = "give a name such as windows-1252, macintosh, windows-1251 or utf-16le";
    throw invalidOption(`--encoding does not take ${JSON.stringify(name)}`, hint);
  }
}

/** So many texts to each recipient, in any such time. */
export interface AtMost {
  readonly texts: number;
  readonly timeMs: number;
  readonly words: string;
}

export function readAtMost(words: string): AtMost {
  const [, texts = "", within = ""] = /^(\d{1,4})\/(.*)$/.exec(words) ?? [];
  const timeMs = spanOf(/^[a-z]$/.test(within) ? `1${within}` : within) ?? 0;
  if (Number(texts) > 0 && timeMs > 0) return { texts: Number(texts), timeMs, words };
  const hint = "give both as in 6/h, 1/30m or 20/d";
  throw invalidOption(`--at-most takes texts in a time, not ${JSON.stringify(words)}`, hint);
}
