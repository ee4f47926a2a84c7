import { tierRates } from "../../sending/limits.ts";
import { invalidOption, type SmsError } from "../../errors.ts";
import { spilledKeyAdvice } from "../../profiles/stored.ts";
import { keyLike } from "../../words/key-like.ts";

export function read<Value>(name: string, from: (value: string) => Value) {
  return (value: string, previous: Value | undefined): Value => {
    refuseTwice(name, previous);
    return from(optionValue(name, value));
  };
}

/**
 * Returns a parser for an option with one value. It refuses the option if it is given twice, and a value that is itself an
 * option: with an empty variable, `--message $TEXT --json` would send the text "--json".
 */
export function single(name: string) {
  return read(name, (value) => value);
}

export function repeated(name: string) {
  return accepting(
    { type: "text", repeatable: true },
    (value: string, previous: readonly string[] | undefined): readonly string[] => [
      ...(previous ?? []),
      requireFilled(name, optionValue(name, value)),
    ],
  );
}

/**
 * Returns a parser for a number from `least` to `most`; `what` says what it is, as in `a whole number of requests`. `named` has
 * numbers that may be given by a word.
 */
export function number(
  name: string,
  what: string,
  {
    least,
    most,
    named = {},
  }: { readonly least: number; readonly most: number; readonly named?: Readonly<Record<string, number>> | undefined },
) {
  const whole = !what.startsWith("a number");
  const words = Object.keys(named);
  const choices = words.length === 0 ? {} : { choices: words };
  const accepted = { type: whole ? "integer" : "number", minimum: least, maximum: most, ...choices } as const;
  return accepting(accepted, (value: string, previous: number | undefined): number => {
    refuseTwice(name, previous);
    if (Object.hasOwn(named, value)) return named[value] ?? NaN;
    const amount = /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
    if (amount >= least && amount <= most && (!whole || Number.isInteger(amount))) return amount;
    throw invalidOption(
      `${name} takes ${what}, not ${JSON.stringify(value)}`,
      `give ${alternatives([`one from ${least} to ${most}`, ...words])}`,
    );
  });
}

export function wordOf<const Word extends string>(name: string, words: readonly Word[]) {
  return choosing(words, (value: string, previous: Word | undefined): Word => {
    refuseTwice(name, previous);
    const word = words.find((known) => known === value);
    if (word !== undefined) return word;
    const isJson = value === "json" && words.every((known) => known === "csv");
    const hint = isJson ? "--json prints JSON" : `give ${alternatives(words)}`;
    throw invalidOption(`${name} does not take ${JSON.stringify(value)}`, hint);
  });
}

export function someOf<const Word extends string>(name: string, words: readonly Word[]) {
  return choosing(words, (value: string, previous: readonly Word[] | undefined): readonly Word[] => {
    refuseTwice(name, previous);
    return optionValue(name, value)
      .split(",")
      .map((given) => {
        const word = words.find((known) => known === given);
        if (word !== undefined) return word;
        const hint = `give ${alternatives(words)}, or several with commas`;
        throw invalidOption(`${name} does not take ${JSON.stringify(given)}`, hint);
      });
  });
}

function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

interface Accepted {
  readonly type: "text" | "number" | "integer";
  readonly minimum?: number;
  readonly maximum?: number;
  /** The only words that it accepts, besides a number if its type is one. */
  readonly choices?: readonly string[];
  readonly repeatable?: boolean;
}

const acceptedByParser = new WeakMap<object, Accepted>();

function accepting<Parser extends object>(accepted: Accepted, parser: Parser): Parser {
  acceptedByParser.set(parser, accepted);
  return parser;
}

export function acceptedBy(parser: object | undefined): Accepted {
  return (parser && acceptedByParser.get(parser)) ?? { type: "text" };
}

function choosing<Parser extends object>(choices: readonly string[], parser: Parser): Parser {
  return accepting({ type: "text", choices }, parser);
}

function refuseTwice(name: string, previous: unknown): void {
  if (previous !== undefined) throw invalidOption(`${name} is given twice`, "give it once");
}

export function lacking(name: string, other: string): SmsError {
  return invalidOption(`${name} needs ${other}`, `add ${other}, or leave ${name} out`);
}

/** Stands before a value that was written with =, so that it is no option. No argument has a NUL. */
export const attachedMark = "\0";

/** Options whose value may have a key in it, or which refuse one in words of their own. */
const readsKeys = new Set(["--message", "--key-command", "--base-url"]);

/** Refuses what was typed as an option, with any dash that an editor makes of its hyphens. */
function optionValue(name: string, value: string): string {
  if (value.startsWith(attachedMark)) return value.slice(attachedMark.length);
  if (keyLike.test(value) && !readsKeys.has(name))
    throw invalidOption(`${name} has an API key as its value`, spilledKeyAdvice);
  if (!/^(--|[\p{Pd}\u2212]{1,2}[A-Za-z][A-Za-z0-9-]*(=.*)?)$/su.test(value)) return value;
  throw invalidOption(
    `${name} has no value: ${value} follows it`,
    name === "--message" ? `to send ${value}, write --message=${value}` : "give one; a variable in it may not be set",
  );
}

function requireFilled(name: string, value: string): string {
  if (value !== "") return value;
  throw invalidOption(`${name} is empty`, "give a value; a variable in it may not be set");
}

export function rateOf(name: string) {
  return number(name, "a whole number of requests", { least: 1, most: 1_000_000, named: tierRates });
}

/** The parsers of the limits that several commands take, each with one range for all of them. */
export const limits = {
  rate: rateOf("--rate"),
  timeout: number("--timeout", "a number of seconds", { least: 0.001, most: 86_400 }),
  retries: number("--retries", "a whole number of tries", { least: 0, most: 100 }),
  maxCredits: creditsOf("--max-credits"),
  segments: number("--segments", "a whole number of segments", { least: 1, most: 10 }),
} as const;

export function creditsOf(name: string) {
  return number(name, "a whole number of credits", { least: 0, most: 1_000_000_000 });
}

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export function span(name: string, least = 0) {
  return (value: string, previous: number | undefined): number => {
    const ms = spanOf(single(name)(value, previous?.toString()));
    if (ms !== undefined && ms >= least) return ms;
    throw invalidOption(
      `${name} takes a time span, not ${JSON.stringify(value)}`,
      "give days, hours, minutes or seconds, as in 90d, 24h, 30m or 45s",
    );
  };
}

export function spanOf(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const known = (["s", "m", "h", "d", "w"] as const).find((one) => one === unit);
  return known && Number(count) * units[known];
}
