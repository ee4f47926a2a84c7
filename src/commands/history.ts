import { Command } from "@commander-js/extra-typings";
import { localText, readZone } from "../guards/hours.ts";
import { invalidOption } from "../errors.ts";
import { pruneHistory, showHistory } from "../reports/history.ts";
import type { Context, Runner } from "../terminal/context.ts";
import { type OptionsOf, withExamples, withGlobalOptions } from "./shared/options.ts";
import { number, refuseCsvWithJson, wordOf, single, someOf, span } from "./shared/option-values.ts";
import { moment } from "./shared/times.ts";
import { zoneHere } from "../profiles/defaults.ts";

export function historyCommand(run: Runner) {
  const history = historyOptions().action(({ prune, ...flags }, command) =>
    run(command, (options, context) =>
      prune === undefined
        ? listEntries({ ...flags, ...options }, context)
        : pruneEntries({ ...flags, ...options }, prune, context),
    ),
  );
  return withExamples(
    withGlobalOptions(history, ["profile", "json"]),
    [
      "sms history",
      "sms history --to +254712345678 --since 7d",
      "sms history --since yesterday --outcome uncertain,rejected",
      "sms history --since 2026-11-01 --format csv > sent.csv",
      "sms history --prune 90d",
    ],
    "SMS_HISTORY=off, or `sms profiles set history off`, turns the history off.",
  );
}

function historyOptions() {
  return new Command("history")
    .description(
      "List every send of this machine, or of the team that shares its record, single messages and runs, the latest first: when, with which key, to which number, the outcome and the cost. The text is never kept.",
    )
    .option("--to <number>", "only to this number", single("--to"))
    .option("--since <time>", "only since a date, today, yesterday or 1w ago", moment("--since"))
    .option("--outcome <outcomes>", `only these: ${outcomes.join(",")}`, someOf("--outcome", outcomes))
    .option("--format <name>", "csv: a table for a spreadsheet", wordOf("--format", ["csv"]))
    .option(
      "--limit <n>",
      "at most n, the latest (default: 50; as JSON or CSV all)",
      number("--limit", "a whole number of entries", 1, 1_000_000_000),
    )
    .option("--prune <span>", "delete what is older than a time span such as 90d", span("--prune"));
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
  if ([to, since, outcome, format, limit, profile].some((other) => other !== undefined)) {
    throw invalidOption("--prune takes no other option", "list first, then prune");
  }
  return pruneHistory(age, context);
}
