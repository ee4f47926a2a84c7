import { Command } from "@commander-js/extra-typings";
import { statSync } from "node:fs";
import { csvRecord } from "../message/csv.ts";
import { rounded } from "../message/outcome.ts";
import { invalidOption, usageError } from "../errors.ts";
import { alignedLines, countText, kes, plural } from "../output/text.ts";
import { replaceFile } from "../files/durable.ts";
import type { Page, View } from "../output/presenter.ts";
import { visible } from "../output/redact.ts";
import { plainView } from "../output/layout.ts";
import { type Division, divisions, type Period, readSpend, type Spend, type Sum } from "../record/spend.ts";
import type { Context, Run } from "./shared/context.ts";
import { type GlobalOptions, withExamples, withGlobalOptions } from "./shared/options.ts";
import { warnOfUnread, whileReadingHistory } from "./shared/history.ts";
import { oneOf, single } from "./shared/option-values.ts";
import { requireRecord } from "./shared/record.ts";
import { recordWords } from "./shared/team.ts";

/** `sms spend`: its flags and its help. */
export function spendCommand(run: Run) {
  const spend = new Command("spend")
    .summary("sum what messages cost in a month")
    .description(
      "Sum what the messages of this machine, or of the team that shares its record, cost in a month, in credits and in KES. It also shows how much uncertain messages may have cost, and how many credits others used from the account, as far as the balances on the receipts show.",
    )
    .option("--month <month>", "the month, such as 2026-11 (default: this month)", single("--month"))
    .option("--by <what>", "group by day, key, run or sender (default: key)", oneOf("--by", divisions))
    .option("--format <name>", "csv, or prometheus: metrics of all months", oneOf("--format", formats))
    .option("--csv", "the same as --format csv")
    .option("--output <file>", "replace this file, with --format prometheus", single("--output"))
    .action((flags, command) => run(command, async (options, context) => showAny({ ...flags, ...options }, context)));
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

interface SpendOptions extends GlobalOptions {
  readonly month?: string;
  readonly by?: Division;
  readonly format?: (typeof formats)[number];
  readonly csv?: boolean;
  readonly output?: string;
}

const formats = ["csv", "prometheus"] as const;

/** Shows what a month cost, or the metrics of all that is recorded. Throws for options that do not go together. */
async function showAny(options: SpendOptions, context: Context): Promise<void> {
  const { month, by, format, csv = false, output, json } = options;
  const named = csv ? "--csv" : `--format ${format}`;
  if (csv && format === "prometheus") throw together("--csv", "--format prometheus");
  if ((csv || format !== undefined) && json) throw together(named, "--json");
  if (format !== "prometheus") {
    if (output !== undefined) {
      throw invalidOption("--output needs --format prometheus", "redirect with > what is printed");
    }
    return showSpend({ ...options, csv: csv || format === "csv" }, context);
  }
  const other = month === undefined ? by && "--by" : "--month";
  if (other !== undefined) throw together(named, other);
  return showMetrics(output, context);
}

function together(one: string, other: string): Error {
  return invalidOption(`${one} and ${other} are both given`, "give one of them");
}

/** What others may read: the collector of metrics is another user. */
const readableMode = 0o644;

/** Prints metrics, or replaces a file by them. */
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

/** Shows what a month cost. */
async function showSpend(
  { month, by: division = "key", csv = false }: SpendOptions,
  { host, presenter }: Context,
): Promise<void> {
  const period = monthFrom(month ?? new Date(host.now()).toISOString().slice(0, 7));
  const history = await requireRecord(host, "the history").history();
  const spend = await whileReadingHistory(presenter, (onShare) => readSpend(history, period, division, onShare));
  warnOfUnread(spend.unread, presenter);
  const { from } = recordWords(host);
  presenter.show(spendView(spend, { division, csv, from }));
}

/** Returns the month of a text such as `2026-11`. Throws a usage error `INVALID_OPTION`. */
function monthFrom(text: string): Period {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year !== undefined && month !== undefined) {
    return { from: Date.UTC(Number(year), Number(month) - 1), to: Date.UTC(Number(year), Number(month)) };
  }
  throw invalidOption(`--month takes a month, not ${JSON.stringify(text)}`, "give year and month, as in 2026-11");
}

/** How the spend of a month is shown. */
interface SpendForm {
  readonly division: Division;
  readonly csv: boolean;
  /** Who sent the messages, in words that follow their number. */
  readonly from: string;
}

/** What a month cost: a summary with bars, a table for a spreadsheet, or JSON. `--quiet` prints the credits alone. */
function spendView(spend: Spend, { division, csv, from }: SpendForm): View {
  return {
    json: ({ redacted }) => spendJson(spend, redacted),
    quiet: () => (csv ? csvLines(spend, division) : [String(spend.credits)]),
    text: (page) =>
      csv
        ? csvLines(spend, division)
            .map((line) => `${line}\n`)
            .join("")
        : spendText(spend, from, page),
  };
}

function spendJson(spend: Spend, redacted: Page["redacted"]) {
  const { period, messages, segments, credits, kes: amount, uncertain, testMessages, gaps, by } = spend;
  const elsewhere = elsewhereIn(spend);
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
      ...elsewhere,
      gaps: gaps.map((gap) => ({
        after: time(gap.after),
        before: time(gap.before),
        credits: gap.credits,
        uncertain: gap.uncertain,
      })),
    },
    by: by.map((sum) => ({ name: redacted(sum.name), messages: sum.messages, credits: sum.credits, kes: sum.kes })),
  };
}

function elsewhereIn({ gaps }: Spend) {
  const sum = (name: "credits" | "uncertain") => rounded(gaps.reduce((all, gap) => all + gap[name], 0));
  return { credits: sum("credits"), uncertain: sum("uncertain") };
}

function csvLines({ by }: Spend, division: Division): readonly string[] {
  return [
    `${division},messages,segments,credits,kes,uncertainMessages,uncertainCredits`,
    ...by.map(({ name, messages, segments, credits, kes: amount, uncertain }) =>
      [
        csvRecord([visible(name)]),
        messages,
        segments,
        credits,
        amount.toFixed(2),
        uncertain.messages,
        uncertain.credits,
      ].join(","),
    ),
  ];
}

function spendText(spend: Spend, from: string, page: Page): string {
  const { period, messages, segments, testMessages, uncertain } = spend;
  const { paint } = page;
  const elsewhere = elsewhereIn(spend);
  const lines: (readonly [string, string] | undefined)[] = [
    ["Messages", `${countText(messages)} in ${plural(segments, "segment")}`],
    ["Cost", costText(spend)],
    uncertain.messages === 0
      ? undefined
      : [
          "Uncertain",
          paint.doubtful(`${plural(uncertain.messages, "message")}, up to ${plural(uncertain.credits, "credit")} more`),
        ],
    elsewhere.credits === 0
      ? undefined
      : ["Elsewhere", paint.doubtful(`at least ${plural(elsewhere.credits, "credit")}`)],
    testMessages === 0 ? undefined : ["Test", `${plural(testMessages, "message")}, not charged`],
  ];
  const shown = lines.filter((line) => line !== undefined);
  return `${monthOf(period.from)} (UTC)\n${alignedLines(page, shown)}${barsText(spend, page)}${elsewhereText(spend, from)}`;
}

function costText({ credits, kes: amount }: Pick<Sum, "credits" | "kes">): string {
  return `${plural(credits, "credit")}, ${kes(amount)}`;
}

const longestName = 24;
const longestBar = 40;

/** Names, on a terminal a bar for the credits of each, and costs. */
function barsText({ by }: Spend, { columns, isTerminal, foreign, paint }: Page): string {
  const rows = by.map((sum) => ({ name: cut(foreign(sum.name)), credits: sum.credits, cost: costText(sum) }));
  const widthOf = (of: (row: (typeof rows)[number]) => string) =>
    rows.reduce((most, row) => Math.max(most, of(row).length), 0);
  const names = widthOf(({ name }) => name);
  const room = Math.min(longestBar, columns - names - widthOf(({ cost }) => cost) - 6);
  const most = rows.reduce((highest, { credits }) => Math.max(highest, credits), 0);
  const hasBars = isTerminal && room >= 5 && most > 0;
  const lines = rows.map(({ name, credits, cost }) => {
    const bar = "█".repeat(Math.max(credits > 0 ? 1 : 0, Math.round((credits / most) * room)));
    return `  ${name.padEnd(names)}  ${hasBars ? `${paint.good(bar)}${" ".repeat(room - bar.length)}  ` : ""}${cost}\n`;
  });
  return lines.length === 0 ? "" : `\n${lines.join("")}`;
}

/** Gaps that a person is shown, the largest. */
const mostGaps = 5;

function elsewhereText(spend: Spend, from: string): string {
  const { credits, uncertain } = elsewhereIn(spend);
  const gaps = spend.gaps.filter((gap) => gap.credits > 0);
  if (gaps.length === 0) return "";
  const shown = gaps.toSorted((a, b) => b.credits - a.credits).slice(0, mostGaps);
  const lines = shown.map((gap) => [
    `  ${plural(gap.credits, "credit")} between\n`,
    `    ${second(gap.after)} and ${second(gap.before)}\n`,
  ]);
  const more =
    gaps.length > shown.length ? `  and ${countText(gaps.length - shown.length)} smaller: --json has all\n` : "";
  const doubt = uncertain > 0 ? `, and ${countText(uncertain)} more unless\nuncertain messages were charged` : "";
  return `\nLeft the account, and not sent ${from}:\nat least ${plural(credits, "credit")}${doubt}.\n${lines.flat().join("")}${more}`;
}

function cut(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
}

function time(at: number): string {
  return new Date(at).toISOString();
}

/** A time in UTC to the second, as in `2026-11-02 08:15:30`. */
function second(at: number): string {
  return time(at).slice(0, 19).replace("T", " ");
}

const months = "January February March April May June July August September October November December".split(" ");

function monthOf(from: number): string {
  const date = new Date(from);
  return `${months[date.getUTCMonth()] ?? ""} ${date.getUTCFullYear()}`;
}
