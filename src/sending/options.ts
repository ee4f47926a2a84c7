import { invalidOption } from "../errors.ts";
import type { GuardOptions } from "../guards/guard.ts";
import { readSender } from "../message/sender.ts";
import { isList } from "../recipients/groups.ts";
import { checkRunName } from "../record/runs.ts";
import type { Context, GlobalOptions } from "../terminal/context.ts";
import {
  encodingName,
  keyKind,
  lacking,
  amounts,
  readAtMost,
  severalTimes,
  someOf,
  span,
  wordOf,
} from "./option-values.ts";

const sends = ["message", "run"] as const;
const oneText = [...sends, "notify"] as const;
const texts = [...oneText, "watch"] as const;
const single = ["message", "notify"] as const;
const runs = ["run", "runs resume"] as const;
const tables = ["clean", "optout import"] as const;
const lists = ["run", ...tables] as const;
const numbers = [...texts, ...tables, "optout add", "optout remove"] as const;

/** A "message" and a "run" are of `sms send`; every other reader is the command of that name. */
export type OptionReader = (typeof numbers)[number] | "preview" | "runs resume";

/** An option of commands, which a command declares if it reads the option. */
interface OptionRow<Name extends OptionReader = OptionReader, Value = unknown> extends OptionDetails {
  readonly flags: string;
  readonly readers: readonly Name[];
  /** Without a parser, the value is the text, or true if the option takes none. */
  readonly parse?: Parse<Value>;
}

type Parse<Value> = (value: string, previous: unknown, name?: string) => Value;

interface OptionDetails {
  /** A command that has both refuses the option without this partner; a list of `clean` needs no --recipients. */
  readonly needs?: Partner;
  /** What helps somebody who gave the option to a way of `sms send` that does not read it. */
  readonly hint?: string;
}

interface Partner {
  readonly option: string;
  readonly isIn: (options: Partial<SendOptions>) => boolean;
}

const onceKey: Partner = { option: "--once", isIn: ({ once }) => once !== undefined };
const file: Partner = { option: "--recipients", isIn: ({ recipients }) => recipients !== undefined };
const list: Partner = { option: "--recipients", isIn: ({ to = [], ...rest }) => file.isIn(rest) || to.some(isList) };

function row<
  const Flags extends string,
  const Name extends OptionReader,
  Value = Flags extends `${string}<${string}` ? string : true,
>(flags: Flags, readers: readonly Name[], parse?: Parse<Value>, details?: OptionDetails): OptionRow<Name, Value> {
  return { flags, readers, parse, ...details };
}

const causes = ["rejected", "uncertain"] as const;
const formats = ["plain", "csv", "ndjson"] as const;

/** Each option once, in the order of the help, whose texts are in `option-texts.ts`. */
const table = {
  to: row("-t, --to <number>", [...sends, "watch"], severalTimes),
  recipients: row("-r, --recipients <file>", ["run"]),
  message: row("-m, --message <text>", [...texts, "preview"]),
  messageFile: row("--message-file <file>", [...oneText, "preview"]),
  only: row("--only <end>", ["notify"], wordOf(["failure", "success"])),
  longerThan: row("--longer-than <time>", ["notify"], span()),
  group: row("--group <time>", ["watch"], span(1)),
  atMost: row("--at-most <n/time>", ["watch"], readAtMost),
  sender: row("-s, --sender <name>", texts, readSender),
  country: row("--country <cc>", numbers),
  dryRun: row("-n, --dry-run", texts),
  sandbox: row("--sandbox", oneText),
  retry: row("--retry <outcomes>", ["runs resume"], someOf(causes)),
  maxCredits: row("--max-credits <n>", [...single, ...runs], amounts.credits),
  run: row("--run <name>", ["run"], checkRunName),
  gsm7: row("--gsm7", [...sends, "preview"]),
  segments: row("--segments <n>", texts, amounts.segments),
  literal: row("--literal", ["message"]),
  once: row("--once <key>", single, undefined, { hint: "name the run with --run: the same name never sends twice" }),
  for: row("--for <time>", single, span(1), { needs: onceKey }),
  expect: row("--expect <kind>", texts, keyKind),
  onlyTo: row("--only-to <file>", [...texts, "runs resume"]),
  between: row("--between <hours>", [...texts, "runs resume"]),
  wait: row("--wait", [...single, ...runs]),
  exclude: row("--exclude <file>", runs, severalTimes),
  timeout: row("--timeout <seconds>", ["message", ...runs], amounts.timeout),
  retries: row("--retries <n>", ["message", ...runs], amounts.retries),
  sheet: row("--sheet <name>", tables),
  encoding: row("--encoding <name>", tables, encodingName),
  format: row("--format <name>", lists, wordOf(formats), { needs: list }),
  toColumn: row("--to-column <names>", lists, undefined, { needs: list }),
  skipInvalid: row("--skip-invalid", ["run"]),
  allowDuplicates: row("--allow-duplicates", ["run"]),
  repeated: row("--repeated <what>", ["run"], wordOf(["send", "skip"]), { needs: file }),
  redirectTo: row("--redirect-to <number>", ["run"]),
  rate: row("--rate <n>", runs, amounts.rate),
} as const;

type OptionTable = typeof table;

export type OptionName = keyof OptionTable;

export const optionTable: Readonly<Record<string, OptionRow>> = table;

type HoldsBack = keyof GuardOptions | "dryRun" | "sandbox" | "redirectTo";

/** A guard that a resume drops. */
type Dropped = Exclude<keyof GuardOptions & keyof OptionsReadBy<"run">, keyof OptionsReadBy<"runs resume">>;

/** An option of a guard that is missing here, or that a run reads and its resume does not, is an error of the compiler. */
const holdBack: Readonly<Record<HoldsBack, true> & Record<Dropped, never>> = {
  dryRun: true,
  sandbox: true,
  redirectTo: true,
  onlyTo: true,
  exclude: true,
  maxCredits: true,
  between: true,
};

export const optionsHoldingBack = Object.keys(holdBack).map((name) => longName(optionTable[name]));

/** The options that one of these reads. */
export type OptionsReadBy<Name extends OptionReader> = {
  readonly [
    Key in keyof OptionTable as Extract<OptionTable[Key]["readers"][number], Name> extends never ? never : Key
  ]?: ReturnType<NonNullable<OptionTable[Key]["parse"]>>;
};

/** Times are in milliseconds, but the time-out of a request is in seconds. */
export type SendOptions = GlobalOptions & OptionsReadBy<"message" | "run" | "runs resume">;

export interface NotifyOptions extends GlobalOptions, OptionsReadBy<"notify"> {
  readonly to?: string;
}

export type WatchOptions = GlobalOptions & OptionsReadBy<"watch"> & typeof watchDefaults;

export const watchDefaults = { group: 120_000, atMost: readAtMost("6/h"), segments: 2 };

export function isRun({ recipients, run, redirectTo, to = [] }: OptionsReadBy<"run">): boolean {
  const isOne = to.length <= 1 && !to.some(isList);
  return recipients !== undefined || run !== undefined || redirectTo !== undefined || !isOne;
}

/** Throws a usage error for an option without its partner, if these are options of the command that has both. */
export function requirePartners(options: Partial<SendOptions>, ofCommand: readonly (string | undefined)[]): void {
  for (const name of Object.keys(options)) {
    const { needs, flags } = optionTable[name] ?? {};
    if (needs === undefined || !ofCommand.includes(needs.option) || needs.isIn(options)) continue;
    throw lacking(longName({ flags }), needs.option);
  }
}

/** Throws a usage error for an option that this way of sending does not read. */
export function refuseUnread(options: OptionsReadBy<"message" | "run">, way: "message" | "run"): void {
  for (const name of Object.keys(options)) {
    const declared = optionTable[name];
    if (declared === undefined || declared.readers.includes(way)) continue;
    const option = longName(declared);
    if (way === "run")
      throw invalidOption(`${option} is for a single message, and this is a run`, declared.hint ?? "leave it out");
    const hint = "leave it out, or name a run with --run";
    throw invalidOption(`${option} is for runs, and this is a single message`, hint);
  }
}

export function longName({ flags = "" }: Partial<OptionRow> = {}): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** A script's standard input is often a pipe of others, so a script's log says nothing about the pipe. */
export function sayUnread({ message, messageFile, recipients }: SendOptions, { host, presenter }: Context): void {
  const option = message === undefined ? "--message-file" : "--message";
  const isRead = [message, messageFile, recipients].includes("-") || (message ?? messageFile) === undefined;
  if (!isRead && host.stderr.isTerminal() && host.stdin.isPipe())
    presenter.warn(`what is piped to standard input is not sent, because ${option} has the text`);
}
