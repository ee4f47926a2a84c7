import { Command } from "@commander-js/extra-typings";
import { statSync } from "node:fs";
import { csvRecord } from "../message/csv.ts";
import { rounded } from "../message/outcome.ts";
import { invalidOption, usageError } from "../errors.ts";
import { alignedLines, countText, kes, plural } from "../output/text.ts";
import { replaceFile } from "../files/durable.ts";
import type { Page, View } from "../output/presenter.ts";
import { visible } from "../output/redact.ts";
import { listingText, plainView } from "../output/layout.ts";
import { type Division, divisions, type Period, readSpend, type Spend } from "../record/spend.ts";
import type { Context, Run } from "./shared/context.ts";
import { type OptionsOf, withExamples, withGlobalOptions } from "./shared/options.ts";
import { warnOfUnread, whileReadingHistory } from "./shared/history.ts";
import { oneOf, single } from "./shared/option-values.ts";
import { recordWords, requireRecord } from "./shared/record.ts";

export function spendCommand(run: Run) {
  const spend = spendOptions().action((flags, command) =>
    run(command, (options, context) => showAny({ ...flags, ...options }, context)),
  );
  return withExamples(
    withGlobalOptions(spend, ["json", "quiet"]),
    [
      "sms spend",
      "sms spend --month 2026-11 --by day",
      "sms spend --by run --format csv > november.csv",
      "sms spend --format prometheus --output /var/lib/node_exporter/sms.prom",
      "sms spend --json",
    ],
    "Months and days are in UTC. Test messages cost nothing and are counted separately.",
  );
}

function spendOptions() {
  return new Command("spend")
    .summary("sum what messages cost in a month")
    .description(
      "Sum what the messages of this machine, or of the team that shares its record, cost in a month, in credits and in KES. It also shows how much uncertain messages may have cost, and how many credits others used from the account, as far as the balances on the receipts show.",
    )
    .option("--month <month>", "the month, such as 2026-11 (default: this month)", single("--month"))
    .option("--by <what>", "group by day, key, run or sender (default: key)", oneOf("--by", divisions))
    .option("--format <name>", "csv, or prometheus: metrics of all months", oneOf("--format", ["csv", "prometheus"]))
    .option("--csv", "the same as --format csv")
    .option("--output <file>", "replace this file, with --format prometheus", single("--output"));
}

type SpendOptions = OptionsOf<typeof spendOptions>;

/** Shows what a month cost, or the metrics of all that is recorded. Throws for options that do not go together. */
async function showAny(options: SpendOptions, context: Context): Promise<void> {
  const { month, by, csv, format = csv && "csv", output, json } = options;
  if (csv && format !== "csv") throw together("--csv", `--format ${format}`);
  if (format !== undefined && json) throw together(csv ? "--csv" : `--format ${format}`, "--json");
  if (format === "prometheus") {
    const other = month === undefined ? by && "--by" : "--month";
    if (other !== undefined) throw together("--format prometheus", other);
    return showMetrics(output, context);
  }
  if (output !== undefined) {
    throw invalidOption("--output needs --format prometheus", "redirect with > what is printed");
  }
  return showSpend(month, by ?? "key", format === "csv", context);
}

function together(one: string, other: string): Error {
  return invalidOption(`${one} and ${other} are both given`, "give one of them");
}

/** What others may read: the collector of metrics is another user. */
const readableMode = 0o644;

async function showMetrics(output: string | undefined, { host, presenter, redactor }: Context): Promise<void> {
  const history = await requireRecord(host, "the history").history();
  const { metricsText, readMetrics } = await import("../record/metrics.ts");
  const { metrics, unread } = await whileReadingHistory(presenter, (onShare) =>
    readMetrics(history, host.wallClock(), onShare),
  );
  warnOfUnread(unread, presenter);
  const text = metricsText(metrics, (foreign) => visible(redactor.redactForeign(foreign)));
  if (output === undefined) return presenter.show(plainView(text));
  // Else root would replace /dev/null.
  if (statSync(output, { throwIfNoEntry: false })?.isFile() === false) {
    throw usageError("FILE_EXISTS", `${output} is not a file`, "give another name to --output");
  }
  replaceFile(output, Buffer.from(text), readableMode);
}

async function showSpend(
  month: string | undefined,
  division: Division,
  isCsv: boolean,
  { host, presenter }: Context,
): Promise<void> {
  const period = monthFrom(month ?? new Date(host.now()).toISOString().slice(0, 7));
  const history = await requireRecord(host, "the history").history();
  const spend = await whileReadingHistory(presenter, (onShare) => readSpend(history, period, division, onShare));
  warnOfUnread(spend.unread, presenter);
  presenter.show(isCsv ? plainView(csvText(spend, division)) : spendView(spend, division, recordWords(host).from));
}

/** Returns the month of a text such as `2026-11`. Throws a usage error `INVALID_OPTION`. */
function monthFrom(text: string): Period {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year !== undefined && month !== undefined) {
    return { from: Date.UTC(Number(year), Number(month) - 1), to: Date.UTC(Number(year), Number(month)) };
  }
  throw invalidOption(`--month takes a month, not ${JSON.stringify(text)}`, "give year and month, as in 2026-11");
}

/** What a month cost. `from` says who sent the messages, after their number; `--quiet` prints the credits alone. */
function spendView(spend: Spend, division: Division, from: string): View {
  return {
    json: ({ redacted }) => spendJson(spend, redacted),
    quiet: () => [String(spend.credits)],
    text: (page) => spendText(spend, division, page) + elsewhereText(spend, from),
  };
}

function spendJson(spend: Spend, redacted: Page["redacted"]) {
  const { period, messages, segments, credits, kes: amount, uncertain, testMessages, gaps, by } = spend;
  return {
    from: time(period.from),
    to: time(period.to),
    messages,
    segments,
    credits,
    kes: amount,
    uncertain,
    test: { messages: testMessages },
    elsewhere: {
      ...elsewhereIn(spend),
      gaps: gaps.map((gap) => ({ ...gap, after: time(gap.after), before: time(gap.before) })),
    },
    by: by.map((sum) => ({ name: redacted(sum.name), messages: sum.messages, credits: sum.credits, kes: sum.kes })),
  };
}

function elsewhereIn({ gaps }: Spend) {
  const sum = (name: "credits" | "uncertain") => rounded(gaps.reduce((all, gap) => all + gap[name], 0));
  return { credits: sum("credits"), uncertain: sum("uncertain") };
}

function csvText({ by }: Spend, division: Division): string {
  const rows = by.map(({ name, messages, segments, credits, kes: amount, uncertain }) => {
    const counts = [messages, segments, credits, amount.toFixed(2), uncertain.messages, uncertain.credits];
    return `${[csvRecord([visible(name)]), ...counts].join(",")}\n`;
  });
  return `${division},messages,segments,credits,kes,uncertainMessages,uncertainCredits\n${rows.join("")}`;
}

function spendText(spend: Spend, division: Division, page: Page): string {
  const { period, messages, segments, credits, testMessages, uncertain, by } = spend;
  const doubt = `${plural(uncertain.messages, "message")}, up to ${plural(uncertain.credits, "credit")} more`;
  const lines = [
    ["Messages", `${countText(messages)} in ${plural(segments, "segment")}`],
    ["Cost", `${plural(credits, "credit")}, ${kes(spend.kes)}`],
    ["Uncertain", uncertain.messages === 0 ? "" : page.paint.doubtful(doubt)],
    ["Test", testMessages === 0 ? "" : `${plural(testMessages, "message")}, not charged`],
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

/** Gaps that a person is shown, the largest. */
const mostGaps = 5;

function elsewhereText(spend: Spend, from: string): string {
  const { credits, uncertain } = elsewhereIn(spend);
  const gaps = spend.gaps.filter((gap) => gap.credits > 0).toSorted((a, b) => b.credits - a.credits);
  if (gaps.length === 0) return "";
  const lines = gaps
    .slice(0, mostGaps)
    .map((gap) => `  ${plural(gap.credits, "credit")} between\n    ${second(gap.after)} and ${second(gap.before)}\n`);
  const left = gaps.length - lines.length;
  const more = left > 0 ? `  and ${countText(left)} smaller: --json has all\n` : "";
  const doubt = uncertain > 0 ? `, and ${countText(uncertain)} more unless\nuncertain messages were charged` : "";
  return `\nLeft the account, and not sent ${from}:\nat least ${plural(credits, "credit")}${doubt}.\n${lines.join("")}${more}`;
}

function time(at: number): string {
  return new Date(at).toISOString();
}

/** A time in UTC to the second, as in `2026-11-02 08:15:30`. */
function second(at: number): string {
  return time(at).slice(0, 19).replace("T", " ");
}
