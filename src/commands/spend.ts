import { Command } from "@commander-js/extra-typings";
import { csvRecord } from "../recipients/formats/csv-text.ts";
import { invalidOption } from "../errors.ts";
import { countText, plural } from "../words/count.ts";
import { alignedLines, kes } from "../terminal/text.ts";
import type { Page, View } from "../terminal/presenter.ts";
import { visible } from "../terminal/redact.ts";
import { listingText, plainView } from "../terminal/layout.ts";
import { currentName, firstName } from "../profiles/payer.ts";
import { loadStore } from "../profiles/resolve.ts";
import { type Division, divisions, type Period, readSpend, type Spend } from "../reports/spend.ts";
import type { Context, Runner } from "../terminal/context.ts";
import { type OptionsOf, withExamples, withGlobalOptions } from "./shared/options.ts";
import { warnOfUnread, whileReadingHistory } from "../reports/kept.ts";
import { wordOf, single } from "./shared/option-values.ts";
import { namedProfile, requireRecord } from "../profiles/record.ts";

export function spendCommand(run: Runner) {
  const spend = spendOptions().action((flags, command) =>
    run(command, (options, context) => showSpend({ ...flags, ...options }, context)),
  );
  return withExamples(
    withGlobalOptions(spend, ["profile", "json", "quiet"]),
    [
      "sms spend",
      "sms spend --month 2026-11 --by day",
      "sms spend --by run --format csv > november.csv",
      "sms spend --profile shop --json",
    ],
    "Months and days are in UTC. What test keys sent and what a sandbox took costs nothing and is counted separately.",
  );
}

function spendOptions() {
  return new Command("spend")
    .description(
      "Sum what the messages of this machine, or of the team that shares its record, cost in a month, in credits and in KES. It also shows how much uncertain messages may have cost.",
    )
    .option("--month <month>", "the month, such as 2026-11 (default: this month)", single("--month"))
    .option("--by <what>", "group by day, key, profile, run or sender (default: key)", wordOf("--by", divisions))
    .option("--format <name>", "csv: a table for a spreadsheet", wordOf("--format", ["csv"]));
}

type SpendOptions = OptionsOf<typeof spendOptions>;

/** Shows what a month cost. Throws for options that do not go together. */
async function showSpend(options: SpendOptions, { host, presenter }: Context): Promise<void> {
  const { month, by = "key", format, json } = options;
  if (format !== undefined && json) {
    throw invalidOption("--format csv and --json are both given", "give one of them");
  }
  const period = monthFrom(month ?? new Date(host.now()).toISOString().slice(0, 7));
  const profile = namedProfile(host, options.profile);
  const history = await requireRecord(host, "the history", profile).history();
  const { profiles } = loadStore(host);
  const query = {
    period,
    division: by,
    profile: profile && firstName(profile),
    currentName: (first: string) => currentName(profiles, first),
  };
  const spend = await whileReadingHistory(presenter, (onShare) => readSpend(history, query, onShare));
  warnOfUnread(spend.unread, presenter);
  presenter.show(format === "csv" ? plainView(csvText(spend, by)) : spendView(spend, by));
}

/** Returns the month of a text such as `2026-11`. Throws a usage error `INVALID_OPTION`. */
function monthFrom(text: string): Period {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year !== undefined && month !== undefined) {
    return { from: Date.UTC(Number(year), Number(month) - 1), to: Date.UTC(Number(year), Number(month)) };
  }
  throw invalidOption(`--month takes a month, not ${JSON.stringify(text)}`, "give year and month, as in 2026-11");
}

/** What a month cost; `--quiet` prints the credits alone. */
function spendView(spend: Spend, division: Division): View {
  return {
    json: ({ redacted }) => spendJson(spend, redacted),
    quiet: () => [String(spend.credits)],
    text: (page) => spendText(spend, division, page),
  };
}

function spendJson(spend: Spend, redacted: Page["redacted"]) {
  const { period, messages, segments, credits, kes: amount, uncertain, testMessages, sandboxMessages, by } = spend;
  return {
    from: time(period.from),
    to: time(period.to),
    messages,
    segments,
    credits,
    kes: amount,
    uncertain,
    test: { messages: testMessages },
    sandbox: { messages: sandboxMessages },
    by: by.map((sum) => ({ name: redacted(sum.name), messages: sum.messages, credits: sum.credits, kes: sum.kes })),
  };
}

function csvText({ by }: Spend, division: Division): string {
  const rows = by.map(({ name, messages, segments, credits, kes: amount, uncertain }) => {
    const counts = [messages, segments, credits, amount.toFixed(2), uncertain.messages, uncertain.credits];
    return `${[csvRecord([visible(name)]), ...counts].join(",")}\n`;
  });
  return `${division},messages,segments,credits,kes,uncertainMessages,uncertainCredits\n${rows.join("")}`;
}

function spendText(spend: Spend, division: Division, page: Page): string {
  const { period, messages, segments, credits, testMessages, sandboxMessages, uncertain, by } = spend;
  const doubt = `${plural(uncertain.messages, "message")}, up to ${plural(uncertain.credits, "credit")} more`;
  const lines = [
    ["Messages", `${countText(messages)} in ${plural(segments, "segment")}`],
    ["Cost", `${plural(credits, "credit")}, ${kes(spend.kes)}`],
    ["Uncertain", uncertain.messages === 0 ? "" : page.paint.doubtful(doubt)],
    ["Test", testMessages === 0 ? "" : `${plural(testMessages, "message")}, not charged`],
    ["Sandbox", sandboxMessages === 0 ? "" : `${plural(sandboxMessages, "message")}, not charged`],
  ] as const;
  const rows = by.map((sum) => [
    page.foreign(sum.name),
    countText(sum.messages),
    countText(sum.credits),
    kes(sum.kes).replace("KES ", ""),
  ]);
  const month = new Date(period.from).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
  const summary = alignedLines(
    page,
    lines.filter(([, text]) => text !== ""),
  );
  const heading = [division.toUpperCase(), "MESSAGES", "CREDITS", "KES"];
  return `${month} (UTC)\n${summary}${rows.length === 0 ? "" : `\n${listingText(page, [heading, ...rows])}`}`;
}

function time(at: number): string {
  return new Date(at).toISOString();
}
