import { isLive } from "../../service/credentials.ts";
import { membersOf, type Message } from "../../message/fields.ts";
import { lineText } from "../../recipients/row.ts";
import type { SampleMessage } from "../../record/plan.ts";
import { characterText } from "../../message/look-alikes.ts";
import { encodingOf } from "../../message/segments.ts";
import type { Sender } from "../../message/sender.ts";
import { shownText, wrapped } from "../../terminal/layout.ts";
import { countText, plural } from "../../words/count.ts";
import { actorText, estimateText, type KnownPrice, type Payment } from "../../terminal/text.ts";
import type { Page, View } from "../../terminal/presenter.ts";
import type { Due } from "../due.ts";
import type { accountOf, PlanOrigin } from "../destination.ts";
import type { SegmentCount } from "../../message/segments.ts";

export interface RunPlan
  extends Payment, Pick<Due, "by" | "source" | "all" | "messages" | "segments" | "sample" | "heldDue"> {
  /** Undefined for a dry run of a run without a name. */
  readonly run: string | undefined;
  /** Undefined in a sandbox. */
  readonly origin: PlanOrigin | undefined;
  /** Requests per minute at most; Infinity in a sandbox. */
  readonly rate: number;
  readonly price: KnownPrice | undefined;
  /** The last known balance of what pays; undefined if nothing is charged. */
  readonly balance: Awaited<ReturnType<typeof accountOf>>["balance"];
  /** How many messages fit what is left of the day's limit; undefined if a day has none. */
  readonly fitToday: number | undefined;
  readonly notes: RunNotes;
}

export interface RunNotes {
  readonly guards: readonly string[];
  readonly leftOut: Readonly<Record<string, number>>;
  /** The first of them, in sentences with their lines. */
  readonly firstLeftOut: readonly string[];
  readonly warnings: readonly string[];
  /** The command that lists every row of the list that cannot be used. */
  readonly clean?: string;
}

/** Lines of the first message that a terminal shows before a run. A dry run shows all. */
const mostLines = 6;

/** Rows left out that are shown. */
const mostLeftOut = 6;

export function runPlanView(plan: RunPlan): View {
  const { run, source, messages, segments, sample, rate, mode, origin, price, balance, notes } = plan;
  const { first } = sample;
  return {
    json: ({ redacted }) => ({
      type: "plan",
      dryRun: true,
      run: run ?? null,
      recipients: messages,
      segments,
      totalCredits: segments,
      kesPerCredit: price?.kesPerCredit ?? null,
      balance: balance ? { credits: balance.credits, at: balance.at, missing: missingCredits(plan) } : null,
      fitToday: plan.fitToday ?? null,
      rate: rate === Infinity ? null : rate,
      mode,
      guards: notes.guards.map(redacted),
      leftOut: notes.leftOut,
      firstLeftOut: notes.firstLeftOut.map(redacted),
      warnings: notes.warnings.map(redacted),
      source: source === undefined ? null : redacted(source),
      first: first === undefined ? null : { line: first.line, ...messageJson(first, { redacted }) },
      baseUrl: origin?.baseUrl ?? null,
      key: origin?.key ?? null,
    }),
    quiet: () => [],
    text: (page) => `Dry run: nothing was sent.\n${runPlanText(plan, page, Infinity)}`,
  };
}

export function runPlanText(plan: RunPlan, page: Page, most = mostLines): string {
  const { run, by, source, sample, origin, notes } = plan;
  const { foreign, redacted } = page;
  const { first, longest, sendersDiffer } = sample;
  const longer = longest !== undefined && longest.text.length > (first?.text.length ?? 0) ? longest : undefined;
  const mostOfText = longer === undefined ? most : most / 2;
  const lines: PlanLine[] = [];
  const add = (label: string, texts: readonly string[]) => {
    for (const text of texts) lines.push([label, foreign(text)]);
  };
  if (first !== undefined) {
    lines.push(["From", `${senderText(first.sender, page)}${sendersDiffer ? ", and others named by rows" : ""}`]);
    lines.push(["First", placeOf(first, source)], ["Text", redacted(first.text), mostOfText]);
  }
  if (longer !== undefined) {
    lines.push(["Longest", `${placeOf(longer, source)}, ${plural(longer.segments, "segment")}${unicodeText(longer)}`]);
    lines.push(["Text", redacted(longer.text), mostOfText]);
  }
  add("Left out", leftOutTexts(notes));
  add("Warning", notes.warnings);
  add("Guard", notes.guards);
  if (source !== undefined) add("File", [source]);
  if (run !== undefined) add("Run", [run]);
  if (by !== undefined) add("Begun by", [actorText(by)]);
  return planText(page, {
    decision: runDecision(plan),
    lines: [...lines, ...originLines(origin, page)],
    missing: shortTexts(plan),
  });
}

/** What decides whether a person agrees to a plan: its kind, in capitals, and the sentences that follow it. */
type Decision = readonly [kind: string, count: string, ...facts: string[]];

function decisionOf(
  { mode, isSandbox }: Payment,
  {
    count,
    messages,
    credits,
    price,
  }: {
    readonly count: string;
    readonly messages: number;
    readonly credits: number;
    readonly price: KnownPrice | undefined;
  },
): Decision {
  const isOne = messages === 1;
  const cost = (text: string) => (messages === 0 ? [] : [`${plural(credits, "segment")}${text}`]);
  const estimate = estimateText(credits, price);
  if (isLive(mode) && !isSandbox)
    return ["LIVE", `${count}, to ${isOne ? "a real phone" : "real phones"}`, ...cost(`, ${estimate}`)];
  const [kind, payer] = mode === "test" ? ["TEST", "a live key"] : ["SANDBOX", "a real send"];
  const sentence = `${count}; no phone receives ${isOne ? "it" : "them"}`;
  return [kind, sentence, ...cost(`; ${payer} would be charged ${estimate}`)];
}

function runDecision(plan: RunPlan): Decision {
  const { all, messages, segments, rate, price } = plan;
  const count =
    all === undefined ? plural(messages, "message") : `${countText(messages)} of ${plural(all, "message")} left`;
  const minutes = messages / rate;
  const time = minutes < 1 ? "under a minute" : `about ${plural(Math.ceil(minutes), "minute")}`;
  const isTimed = rate !== Infinity && messages > 0;
  return [
    ...decisionOf(plan, { count, messages, credits: segments, price }),
    ...(isTimed ? [`${time}, at ${countText(rate)} a minute`] : []),
  ];
}

function placeOf({ line, to }: { readonly line: number; readonly to: string }, source: string | undefined): string {
  return source === undefined ? to : `${lineText(line)}, ${to}`;
}

/** Names the character that makes a message cost more. */
function unicodeText({ text }: SampleMessage): string {
  const character = Array.from(text).find((each) => encodingOf(each) === "UCS-2");
  return character === undefined ? "" : `, ${characterText(character)} forces Unicode`;
}

/** Returns how many credits the balance lacks for the estimate; undefined if no balance is known. */
function missingCredits({ segments, balance }: RunPlan): number | undefined {
  return balance && Math.max(0, segments - balance.credits);
}

/** Says how much the balance and the day are short. */
function shortTexts(plan: RunPlan): readonly string[] {
  const { balance, messages, fitToday = messages } = plan;
  const texts: string[] = [];
  const missing = missingCredits(plan);
  if (balance !== undefined && missing) {
    const when = balance.ageDays === 0 ? "today" : `${plural(balance.ageDays, "day")} ago`;
    texts.push(`${plural(missing, "credit")} too few: the balance was ${countText(balance.credits)} ${when}`);
  }
  if (fitToday < messages) texts.push(`${countText(fitToday)} of ${countText(messages)} fit today`);
  return texts;
}

/** The words for each rule that leaves rows out, by its name in `leftOut`. */
const leftOutWords: Readonly<Record<string, string>> = {
  optedOut: "opted out",
  onlyTo: "not in the list of --only-to",
};

/** Says how many rows are left out by each rule, names the first, and says where the others are. */
export function leftOutTexts({
  leftOut,
  firstLeftOut,
  clean,
}: Pick<RunNotes, "leftOut" | "firstLeftOut" | "clean">): readonly string[] {
  const shown = firstLeftOut.slice(0, mostLeftOut);
  const more = Object.values(leftOut).reduce((sum, count) => sum + count, 0) - shown.length;
  const isOfList = leftOut["duplicate"] !== undefined || leftOut["invalid"] !== undefined;
  const where =
    isOfList && clean !== undefined ? `: \`${clean} --json\` lists every row that is invalid or a duplicate` : "";
  const counts = Object.entries(leftOut).map(([rule, count]) =>
    rule === "duplicate" ? plural(count, rule) : `${countText(count)} ${leftOutWords[rule] ?? rule}`,
  );
  return [...counts, ...shown, ...(more > 0 ? [`… and ${countText(more)} more${where}`] : [])];
}

/** A line of a plan. A value longer than `most` lines is cut; its control characters are made visible. */
type PlanLine = readonly [label: string, value: string, most?: number];

/**
 * Returns the text of a plan: what decides stands first. It is wrapped to the width of a terminal alone: what reads a pipe or a
 * log looks for whole sentences.
 */
function planText(
  { paint, isTerminal, columns }: Page,
  {
    decision: [kind, count, ...facts],
    lines,
    missing = [],
  }: {
    readonly decision: Decision;
    readonly lines: readonly PlanLine[];
    readonly missing?: readonly string[];
  },
): string {
  const width = Math.max(kind.length, ...lines.map(([label]) => label.length));
  const fit = (value: string) => wrapped(shownText(value), isTerminal ? columns - width - 4 : Infinity);
  const row = (label: string, values: readonly string[], paintLabel = paint.faint) =>
    `  ${paintLabel(label.padEnd(width))}  ${values.join(`\n${" ".repeat(width + 4)}`)}\n`;
  const short = missing.flatMap(fit).map((line) => paint.bad(line));
  const decisive = [...fit(count).map((line) => paint.strong(line)), ...facts.flatMap(fit), ...short];
  const rest = lines.map(([label, value, most]) => row(label, cut(fit(value), most)));
  return `${row(kind, decisive, paint.strong)}\n${rest.join("")}`;
}

function cut(lines: readonly string[], most = Infinity): readonly string[] {
  // The sentence takes a line as well.
  return lines.length <= most + 1 ? lines : [...lines.slice(0, most), `… and ${lines.length - most} more lines`];
}

function senderText(sender: Sender | undefined, { foreign }: Page): string {
  if (sender === undefined) return "the account's default sender";
  return foreign(sender.kind === "name" ? sender.name : sender.id);
}

/** Returns a message by the names of the service, without secrets. */
function messageJson(message: Message, { redacted }: Pick<Page, "redacted">) {
  return Object.fromEntries(Object.entries(membersOf(message)).map(([name, text]) => [name, redacted(text)]));
}

/** Returns the lines that say who pays and where it goes. A sandbox of this process has neither. */
function originLines(origin: PlanOrigin | undefined, { foreign }: Page): readonly PlanLine[] {
  if (origin === undefined) return [];
  const { baseUrl, otherService = baseUrl, key, email = "", credentialsSource } = origin;
  const payer = key === null ? foreign(email) : key.shown;
  return [
    [key === null ? "Account" : "Key", `${payer} (from ${foreign(credentialsSource)})`],
    ["Base URL", foreign(otherService)],
  ];
}

/** One message as sms counts it; the service's own count is the bill. */
interface SendPlan extends Message, Payment {
  /** Undefined in a sandbox. */
  readonly origin: PlanOrigin | undefined;
  readonly count: SegmentCount;
  readonly guards: readonly string[];
}

export function sendPlanView(plan: SendPlan, price: KnownPrice | undefined): View {
  const { to, text, sender, mode, origin, count, guards } = plan;
  const { encoding, units, segments } = count;
  return {
    json: ({ redacted }) => ({
      dryRun: true,
      ...messageJson(plan, { redacted }),
      encoding,
      units,
      segments,
      totalCredits: segments,
      kesPerCredit: price?.kesPerCredit ?? null,
      mode,
      guards: guards.map(redacted),
      baseUrl: origin?.baseUrl ?? null,
      key: origin?.key ?? null,
    }),
    quiet: () => [],
    text: (page) => {
      const unit = encoding === "GSM-7" ? "septet" : "unit";
      const lines = planText(page, {
        decision: decisionOf(plan, { count: "1 message", messages: 1, credits: segments, price }),
        lines: [
          ["To", to],
          ["From", senderText(sender, page)],
          ["Text", page.redacted(text)],
          ["Encoding", `${encoding}, ${plural(units, unit)}`],
          ...guards.map((rule) => ["Guard", page.foreign(rule)] as const),
          ...originLines(origin, page),
        ],
      });
      return `Dry run: nothing was sent.\n${lines}`;
    },
  };
}
