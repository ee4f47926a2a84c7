import { localText, readZone, startOfDay, type Zone } from "../guards/hours.ts";
import { invalidOption } from "../errors.ts";
import { pruneHistory, showHistory } from "../reports/show-history.ts";
import type { Context, Perform } from "../terminal/context.ts";
import { newCommand, type OptionsOf } from "./shared/options.ts";
import { number, wordOf, someOf, span, spanOf } from "../sending/option-values.ts";
import { refuseCsvWithJson } from "./shared/typed-values.ts";
import { zoneHere } from "../profiles/defaults.ts";

export function historyCommand(perform: Perform) {
  return historyOptions().action((_, command) =>
    perform(command, ({ prune, ...options }, context) =>
      prune === undefined ? listEntries(options, context) : pruneEntries(options, prune, context),
    ),
  );
}

function historyOptions() {
  return newCommand("history", {
    endsWith: "list",
    description:
      "List every send of this machine, or of the team that shares its record, single messages and runs, the latest first: when, with which key, to which number, the outcome and the cost. The text is never kept.",
    uses: ["profile", "json"],
    examples: [
      "sms history",
      "sms history --to +254712345678 --since 7d",
      "sms history --since yesterday --outcome uncertain,rejected",
      "sms history --since 2026-11-01 --format csv > sent.csv",
      "sms history --prune 90d",
    ],
    notes: "SMS_HISTORY=off, or `sms profiles set history off`, turns the history off.",
  })
    .option("--to <number>", "only to this number")
    .option("--since <time>", "only since a date, today, yesterday or 1w ago", moment)
    .option("--outcome <outcomes>", `only these: ${outcomes.join(",")}`, someOf(outcomes))
    .option("--format <name>", "csv: a table for a spreadsheet", wordOf(["csv"]))
    .option(
      "--limit <n>",
      "at most n, the latest (default: 50; as JSON or CSV all)",
      number("a whole number of entries", 1, 1_000_000_000),
    )
    .option("--prune <span>", "delete what is older than a time span such as 90d", span());
}

type HistoryOptions = Omit<OptionsOf<typeof historyOptions>, "prune">;

const outcomes = ["accepted", "rejected", "unsent", "uncertain"] as const;

const defaultLimit = 50;

async function listEntries(
  { since, outcome, format, limit, json, ...query }: HistoryOptions,
  context: Context,
): Promise<void> {
  refuseCsvWithJson(format, json);
  const { host } = context;
  const isCsv = format === "csv";
  const most = limit ?? (json || isCsv ? Infinity : defaultLimit);
  const zone = readZone(zoneHere(host), "the time zone");
  const start = since?.(host.now(), zone) ?? 0;
  const form = { isCsv, localTime: (at: number) => localText(zone, at) };
  await showHistory({ ...query, since: start, outcomes: outcome, limit: most }, form, context);
}

function pruneEntries(
  { to, since, outcome, format, limit, profile }: HistoryOptions,
  age: number,
  context: Context,
): Promise<void> {
  if ([to, since, outcome, format, limit, profile].some((other) => other !== undefined))
    throw invalidOption("--prune takes no other option", "list first, then prune");
  return pruneHistory(age, context);
}

/** In milliseconds since 1970. */
type Moment = (now: number, zone: Zone) => number;

/** Dates and times are in UTC if they name no zone. */
function moment(value: string): Moment {
  if (value === "today" || value === "yesterday")
    return (now, zone) => startOfDay(zone, now, value === "today" ? 0 : 1);
  const ago = spanOf(value);
  if (ago !== undefined) return (now) => now - ago;
  const [, date = "", time, zone] = isoTime.exec(value) ?? [];
  const at = Date.parse(time === undefined || zone !== undefined ? value : `${value}Z`);
  if (date !== "" && !Number.isNaN(at) && isDay(date)) return () => at;
  const hint = "give one as in 2026-11-01 (UTC), 2026-11-01T08:00+03:00, today, yesterday, 1w or 24h";
  throw invalidOption(`--since takes a date or a time span, not ${JSON.stringify(value)}`, hint);
}

const isoTime = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** JavaScript takes the 30th of February for the 2nd of March. */
function isDay(date: string): boolean {
  return new Date(date).toISOString().startsWith(date);
}
