import { currentName, firstName } from "../profiles/payer.ts";
import { namedProfile, requireRecord } from "../profiles/record.ts";
import { loadStore } from "../profiles/resolve.ts";
import type { Context, Page, View } from "../terminal/context.ts";
import { warnOfUnread, whileReadingHistory } from "./reading.ts";
import { csvRecord } from "../recipients/formats/csv-text.ts";
import { listingText, plainView } from "../terminal/layout.ts";
import { alignedLines, kes, visible } from "../terminal/text.ts";
import { countText, plural } from "../words/count.ts";
import { type Division, readSpend, type Spend, type SpendQuery } from "./spend.ts";

interface SpendOptions extends Pick<SpendQuery, "period" | "division" | "profile"> {
  readonly isCsv: boolean;
}

export async function showSpend({ isCsv, ...options }: SpendOptions, { host, presenter }: Context): Promise<void> {
  const profile = namedProfile(host, options.profile);
  const history = await requireRecord(host, "the history", profile).history();
  const { profiles } = loadStore(host);
  const query = {
    ...options,
    profile: profile && firstName(profile),
    currentName: (first: string) => currentName(profiles, first),
  };
  const spend = await whileReadingHistory(presenter, (onShare) => readSpend(history, query, onShare));
  warnOfUnread(spend.unread, presenter);
  presenter.show(spendView(spend, options.division, isCsv));
}

function spendView(spend: Spend, division: Division, isCsv: boolean): View {
  if (isCsv) return plainView(csvText(spend, division));
  return {
    json: ({ redact }) => spendJson(spend, redact),
    quiet: () => [String(spend.credits)],
    text: (page) => spendText(spend, division, page),
  };
}

function spendJson(spend: Spend, redact: Page["redact"]) {
  const { period, testMessages, sandboxMessages, by, unread: _, ...amounts } = spend;
  return {
    from: new Date(period.from),
    to: new Date(period.to),
    ...amounts,
    test: { messages: testMessages },
    sandbox: { messages: sandboxMessages },
    by: by.map((sum) => ({ name: redact(sum.name), messages: sum.messages, credits: sum.credits, kes: sum.kes })),
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
  const all: readonly (readonly [string, string])[] = [
    ["Messages", `${countText(messages)} in ${plural(segments, "segment")}`],
    ["Cost", `${plural(credits, "credit")}, ${kes(spend.kes)}`],
    ["Uncertain", uncertain.messages === 0 ? "" : page.paint.doubtful(doubt)],
    ["Test", testMessages === 0 ? "" : `${plural(testMessages, "message")}, not charged`],
    ["Sandbox", sandboxMessages === 0 ? "" : `${plural(sandboxMessages, "message")}, not charged`],
  ];
  const rows = by.map((sum) => [
    page.foreign(sum.name),
    countText(sum.messages),
    countText(sum.credits),
    kes(sum.kes).replace("KES ", ""),
  ]);
  const month = new Date(period.from).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
  const lines = all.filter(([, text]) => text !== "");
  const heading = [division.toUpperCase(), "MESSAGES", "CREDITS", "KES"];
  return `${month} (UTC)\n${alignedLines(page, lines)}${rows.length === 0 ? "" : `\n${listingText(page, [heading, ...rows])}`}`;
}
