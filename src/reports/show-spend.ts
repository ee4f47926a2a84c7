import { currentName, firstName } from "../profiles/payer.ts";
import { namedProfile, requireRecord } from "../profiles/record.ts";
import { loadStore, profileInUse } from "../profiles/resolve.ts";
import { type Address, readAddress } from "../service/address.ts";
import type { Context, Page, View } from "../terminal/context.ts";
import { warnOfUnread, whileReadingHistory } from "./reading.ts";
import { csvRecord } from "../recipients/formats/csv-text.ts";
import { listingText, plainView } from "../terminal/layout.ts";
import { alignedLines, kes, visible } from "../terminal/text.ts";
import { countText, plural } from "../words/count.ts";
import { type Division, readSpend, type Spend, type SpendQuery } from "./spend.ts";

interface SpendOptions extends Pick<SpendQuery, "period" | "division" | "profile"> {
  readonly isCsv: boolean;
  readonly isSandboxAt: (address: Address) => Promise<boolean>;
}

export async function showSpend(
  { isCsv, isSandboxAt, ...options }: SpendOptions,
  { host, presenter }: Context,
): Promise<void> {
  const profile = namedProfile(host, options.profile);
  const history = await (await requireRecord(host, "the history", profile)).history();
  const { profiles } = loadStore(host);
  const query = {
    ...options,
    profile: profile && firstName(profile),
    currentName: (first: string) => currentName(profiles, first),
  };
  const read = (more: Partial<SpendQuery>) =>
    whileReadingHistory(presenter, (onShare) => readSpend(history, { ...query, ...more }, onShare));
  const inUse = profile ?? profileInUse(host, undefined);
  const address = inUse.baseUrl === undefined ? undefined : readAddress(inUse.baseUrl, "the profile");
  const there = address?.isLoopback ? await read({ profile: firstName(inUse), isSandbox: true }) : undefined;
  // A sandbox may have ended, and a tunnel to the real service is at this machine as well.
  const isSandbox =
    address !== undefined && there?.isAnyPaid === false && (there.isSandboxUsed || (await isSandboxAt(address)));
  const spend = isSandbox && there !== undefined ? there : await read({});
  warnOfUnread(spend.unread, presenter);
  const sandboxOf = isSandbox ? inUse.name : undefined;
  presenter.show(spendView(spend, { division: options.division, sandboxOf }, isCsv));
}

interface Extent {
  readonly division: Division;
  /** The profile whose sandbox has taken what counts. */
  readonly sandboxOf: string | undefined;
}

function spendView(spend: Spend, extent: Extent, isCsv: boolean): View {
  if (isCsv) return plainView(csvText(spend, extent.division));
  return {
    json: ({ redact }) => spendJson(spend, extent, redact),
    quiet: () => [String(spend.credits)],
    text: (page) => spendText(spend, extent, page),
  };
}

function spendJson(spend: Spend, { sandboxOf }: Extent, redact: Page["redact"]) {
  const { period, testMessages, sandboxMessages, isSandboxUsed: _, isAnyPaid: __, by, unread: ___, ...amounts } = spend;
  return {
    from: new Date(period.from),
    to: new Date(period.to),
    ...amounts,
    test: { messages: testMessages },
    sandbox: { messages: sandboxMessages, ...(sandboxOf !== undefined && { profile: redact(sandboxOf) }) },
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

function spendText(spend: Spend, { division, sandboxOf }: Extent, page: Page): string {
  const { period, messages, segments, credits, testMessages, sandboxMessages, uncertain, by } = spend;
  const doubt = `${plural(uncertain.messages, "message")}, up to ${plural(uncertain.credits, "credit")} more`;
  const lines: readonly (readonly [string, string])[] = [
    ["Messages", `${countText(messages)} in ${plural(segments, "segment")}`],
    [sandboxOf === undefined ? "Cost" : "Would cost", `${plural(credits, "credit")}, ${kes(spend.kes)}`],
    ["Uncertain", uncertain.messages === 0 ? "" : page.paint.doubtful(doubt)],
    ["Test", testMessages === 0 ? "" : `${plural(testMessages, "message")}, not charged`],
    ["Sandbox", sandboxText(sandboxMessages, sandboxOf)],
  ];
  const rows = by.map((sum) => [
    page.foreign(sum.name),
    countText(sum.messages),
    countText(sum.credits),
    kes(sum.kes).replace("KES ", ""),
  ]);
  const month = new Date(period.from).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
  const heading = [division.toUpperCase(), "MESSAGES", "CREDITS", "KES"];
  return `${month} (UTC)\n${alignedLines(page, lines)}${rows.length === 0 ? "" : `\n${listingText(page, [heading, ...rows])}`}`;
}

function sandboxText(messages: number, sandboxOf: string | undefined): string {
  if (sandboxOf !== undefined) return `only what profile ${visible(sandboxOf)} sent to its sandbox: nobody pays`;
  return messages === 0 ? "" : `${plural(messages, "message")}, not charged`;
}
