import { membersOf, type Message } from "../../message/fields.ts";
import { lineText, placesText } from "../../recipients/row.ts";
import type { Sample } from "../../record/plan.ts";
import { costlierThanUsual } from "../../runs/costlier.ts";
import type { Sender } from "../../message/sender.ts";
import { shownText, wrapped } from "../../output/layout.ts";
import {
  alignedLines,
  countText,
  estimateText,
  type KnownPrice,
  modeText,
  type Payment,
  plural,
} from "../../output/text.ts";
import type { Page, View } from "../../output/presenter.ts";
import type { Due } from "../../runs/due.ts";
import type { PlanOrigin } from "../shared/destination.ts";
import type { SegmentCount } from "../../message/segments.ts";

export interface RunPlan extends Payment, Pick<Due, "source" | "all" | "messages" | "segments" | "sample" | "heldDue"> {
  /** Undefined for a dry run of a run without a name. */
  readonly run: string | undefined;
  /** Undefined in a sandbox. */
  readonly origin: PlanOrigin | undefined;
  /** Requests per minute at most; Infinity in a sandbox. */
  readonly rate: number;
  readonly price: KnownPrice | undefined;
  /** The last known balance of what pays; undefined if nothing is charged. */
  readonly balance: KnownBalance | undefined;
  /** What was left out and what else should be known, in words. */
  readonly notes: RunNotes;
}

/** A balance in credits, when an answer gave it (ISO 8601), and whole days since. */
interface KnownBalance {
  readonly credits: number;
  readonly at: string;
  readonly ageDays: number;
}

/** What a person should know of a run besides its counts. */
export interface RunNotes {
  /** What the guards do, in words. */
  readonly guards: readonly string[];
  /** How many rows each rule left out. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** The first of them, in sentences with their lines. */
  readonly firstLeftOut: readonly string[];
  readonly warnings: readonly string[];
}

/** Lines of the first message, and rows left out, that a terminal shows before a run. A dry run shows all. */
const mostLines = 6;

export function runPlanView(plan: RunPlan): View {
  const { run, source, messages, segments, sample, rate, mode, origin, price, balance, notes } = plan;
  const { first, longest } = sample;
  return {
    json: ({ redacted }) => ({
      type: "plan",
      dryRun: true,
      run: run ?? null,
      recipients: messages,
      segments,
      totalCredits: segments,
      kesPerCredit: price?.kesPerCredit ?? null,
      balance:
        balance === undefined
          ? null
          : { credits: balance.credits, at: balance.at, missing: missingCredits(plan, balance) },
      rate: rate === Infinity ? null : rate,
      mode,
      guards: notes.guards.map(redacted),
      leftOut: notes.leftOut,
      firstLeftOut: notes.firstLeftOut.map(redacted),
      warnings: notes.warnings.map(redacted),
      source: source === undefined ? null : redacted(source),
      first: first === undefined ? null : { line: first.line, ...messageJson(first, { redacted }) },
      longest:
        longest === undefined
          ? null
          : { line: longest.line, ...messageJson(longest, { redacted }), segments: longest.segments },
      costlier: costlierThanUsual(sample).map((group) => ({
        ...group,
        first: group.first.map(({ line, why }) => ({ line, why: redacted(why) })),
      })),
      ...originJson(origin),
    }),
    quiet: () => [],
    text: (page) => `Dry run: nothing was sent.\n${runPlanText(plan, page, Infinity)}`,
  };
}

export function runPlanText(plan: RunPlan, page: Page, most = mostLines): string {
  const { run, source, all, messages, segments, sample, origin, rate, price, balance, notes } = plan;
  const { isTerminal, foreign, redacted } = page;
  const { first, longest, sendersDiffer } = sample;
  const hasLonger = longest !== undefined && longest.text.length > (first?.text.length ?? 0);
  const mostOfText = hasLonger ? most / 2 : most;
  const missing = balance === undefined ? 0 : missingCredits(plan, balance);
  const minutes = messages / rate;
  const time = minutes < 1 ? "under a minute" : `about ${plural(Math.ceil(minutes), "minute")}`;
  const pace = rate === Infinity ? "no limit in a sandbox" : `${time}, at ${countText(rate)} a minute`;
  return planText(page, [
    ...(run === undefined ? [] : [["Run", foreign(run)] as const]),
    ...(source === undefined ? [] : [["File", foreign(source)] as const]),
    all === undefined
      ? ["Recipients", countText(messages)]
      : ["Left to send", `${countText(messages)} of ${countText(all)}`],
    ...leftOutTexts(notes, isTerminal ? most : Infinity).map((text) => ["Left out", foreign(text)] as const),
    ...notes.guards.map((text) => ["Guard", foreign(text)] as const),
    ...notes.warnings.map((text) => ["Warning", foreign(text)] as const),
    ...(first === undefined
      ? []
      : ([
          ["From", `${senderText(first.sender, page)}${sendersDiffer ? ", and others named by rows" : ""}`],
          ["First", placeOf(first, source)],
          ["Text", redacted(first.text), mostOfText],
          ...(hasLonger
            ? ([
                ["Longest", `${placeOf(longest, source)}, ${plural(longest.segments, "segment")}`],
                ["Text", redacted(longest.text), mostOfText],
              ] as const)
            : []),
          ["Segments", countText(segments)],
          ...costlierTexts(sample, source !== undefined, isTerminal ? most : Infinity).map(
            (text) => ["Costs more", foreign(text)] as const,
          ),
          ["Estimate", estimateText(segments, price)],
          ...(balance === undefined || missing === 0 ? [] : [["Balance", balanceText(balance, missing)] as const]),
          ["Time", pace],
        ] as const)),
    ...originLines(origin, plan, page),
  ]);
}

function placeOf({ line, to }: { readonly line: number; readonly to: string }, source: string | undefined): string {
  return source === undefined ? to : `${lineText(line)}, ${to}`;
}

/** Returns how many credits a balance lacks for the estimate. */
function missingCredits({ segments }: Pick<RunPlan, "segments">, { credits }: KnownBalance): number {
  return Math.max(0, segments - credits);
}

function balanceText({ credits, ageDays }: KnownBalance, missing: number): string {
  const when = ageDays === 0 ? "today" : `${plural(ageDays, "day")} ago`;
  return `${plural(credits, "credit")} ${when}, ${countText(missing)} fewer than the estimate`;
}

/** Says which rows cost more than most, by segments and cause. */
function costlierTexts(sample: Sample, hasFile: boolean, most: number): readonly string[] {
  const texts = costlierThanUsual(sample).flatMap(({ segments, messages, first }) => {
    const count = plural(segments, "segment");
    const causes = [...new Set(first.map(({ why }) => why))].map((cause) => {
      const same = first.filter(({ why }) => why === cause);
      return `${placesText(same.map(({ line }) => lineText(line, hasFile)))}: ${count}, ${cause}`;
    });
    const more = messages - first.length;
    return more === 0 ? causes : [...causes, `${plural(more, "more row")}: ${count}`];
  });
  return texts.slice(0, most);
}

/** The words for each rule that leaves rows out, by its name in `leftOut`. */
const leftOutWords: Readonly<Record<string, string>> = {
  optedOut: "opted out",
  onlyTo: "not in the list of --only-to",
  hours: "outside the hours",
};

function leftOutTexts({ leftOut, firstLeftOut }: RunNotes, most: number): readonly string[] {
  const counts = Object.entries(leftOut).map(([rule, count]) =>
    rule === "duplicate" ? plural(count, rule) : `${countText(count)} ${leftOutWords[rule] ?? rule}`,
  );
  return [...counts, ...firstLeftOut.slice(0, most)];
}

/** A line of a plan. A value longer than `most` lines is cut; its control characters are made visible. */
type PlanLine = readonly [label: string, value: string, most?: number];

/** Returns the text of a plan, wrapped to the width of a terminal: what reads a pipe or a log looks for whole sentences. */
function planText({ paint, isTerminal, columns }: Page, lines: readonly PlanLine[]): string {
  const width = columns - Math.max(...lines.map(([label]) => label.length)) - 4;
  const shown = (value: string) => wrapped(shownText(value), isTerminal ? width : Infinity);
  return alignedLines(
    { paint, columns, isTerminal: false },
    lines.map(([label, value, most]) => [label, cut(shown(value), most).join("\n")]),
  );
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

/** Returns the lines that say who pays, where it goes and whether phones receive it. A sandbox has no origin. */
function originLines(origin: PlanOrigin | undefined, payment: Payment, { foreign }: Page): readonly PlanLine[] {
  const modeLine = ["Mode", modeText(payment)] as const;
  if (origin === undefined) return [modeLine];
  const { baseUrl, otherService = baseUrl, payer, credentialsSource } = origin;
  const source = foreign(credentialsSource);
  const payerLine =
    payer.kind === "key"
      ? (["Key", `${payer.shown} (from ${source})`] as const)
      : (["Account", `${foreign(payer.email)} (from ${source})`] as const);
  return [payerLine, ["Base URL", foreign(otherService)], modeLine];
}

/** Returns what a plan says of its origin in JSON. */
function originJson(origin: PlanOrigin | undefined) {
  const key = origin?.payer.kind === "key" ? { name: origin.payer.name, shown: origin.payer.shown } : null;
  return { baseUrl: origin?.baseUrl ?? null, key };
}

/** One message as sms counts it; the service's own count is the bill. */
interface SendPlan extends Message, Payment {
  /** Undefined in a sandbox. */
  readonly origin: PlanOrigin | undefined;
  readonly count: SegmentCount;
  /** What the guards do, in words. */
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
      ...originJson(origin),
    }),
    quiet: () => [],
    text: (page) => {
      const unit = encoding === "GSM-7" ? "septet" : "unit";
      const lines = planText(page, [
        ["To", to],
        ["From", senderText(sender, page)],
        ["Text", page.redacted(text)],
        ["Encoding", `${encoding}, ${plural(units, unit)}`],
        ...guards.map((rule) => ["Guard", page.foreign(rule)] as const),
        ["Segments", countText(segments)],
        ["Estimate", estimateText(segments, price)],
        ...originLines(origin, plan, page),
      ]);
      return `Dry run: nothing was sent.\n${lines}`;
    },
  };
}
