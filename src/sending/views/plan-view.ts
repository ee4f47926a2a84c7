import { shownKey } from "../../key.ts";
import { credentialsSource } from "../../profiles/resolve.ts";
import { baseUrlOf } from "../../service/address.ts";
import { membersOf, type Message } from "../../message/fields.ts";
import { lineText } from "../../recipients/row.ts";
import { countsByReason } from "../../record/left-out.ts";
import type { DraftMessage, MessageCounts } from "../../record/plan.ts";
import type { Actor } from "../../record/runs.ts";
import { characterText } from "../../message/look-alikes.ts";
import { encodingOf, type SegmentCount } from "../../message/segments.ts";
import type { Sender } from "../../message/sender.ts";
import { shownText, wrapped } from "../../terminal/layout.ts";
import { countText, plural } from "../../words/count.ts";
import { actorText, estimateText, reachesPhone } from "../../terminal/text.ts";
import type { Page, View } from "../../terminal/context.ts";
import { type standingOf, type Destination, isInProcess, liveOf, type NotLoggedIn } from "../destination.ts";
import type { RowNotes } from "./note-texts.ts";

/** The counts are our own; the service's count is the bill. */
export interface ShownPlan extends MessageCounts {
  readonly single?: SegmentCount;
  readonly run?: string;
  readonly by?: Actor;
  readonly source?: string;
  /** Undefined if all messages are sent. */
  readonly ofAll?: string;
  readonly destination: Destination | NotLoggedIn;
  readonly account: Awaited<ReturnType<typeof standingOf>>;
  readonly rate: number;
  /** Undefined if a day has no limit. */
  readonly fitToday: number | undefined;
  readonly rules: readonly string[];
  readonly notes: RowNotes;
}

/** A dry run shows all lines. */
const mostLines = 6;

const mostLeftOut = 6;

export function planView(plan: ShownPlan): View {
  return {
    json: (page) => planJson(plan, page),
    text: (page) => `Dry run: nothing was sent.\n${planText(plan, page, Infinity)}`,
  };
}

function planJson(plan: ShownPlan, { redact }: Page) {
  const { single, run = null, source, messages, segments, sample, rate, destination, account, notes } = plan;
  const { first } = sample;
  const message = first && messageJson(first, { redact });
  const cost = { segments, totalCredits: segments, kesPerCredit: account.price?.kesPerCredit ?? null };
  const conditions = {
    mode: destination.kind === "service" ? destination.mode : null,
    guards: plan.rules.map(redact),
    ...serviceJson(plan),
  };
  if (single !== undefined)
    return { dryRun: true, ...message, encoding: single.encoding, units: single.units, ...cost, ...conditions };
  const balance = balanceOf(plan);
  return {
    type: "plan",
    dryRun: true,
    run,
    recipients: messages,
    ...cost,
    balance: balance ? { credits: balance.credits, at: balance.at, missing: balance.missing } : null,
    fitToday: plan.fitToday ?? null,
    rate: rate === Infinity ? null : rate,
    ...conditions,
    leftOut: notes.leftOut,
    firstLeftOut: firstLeftOutTexts(notes).map(redact),
    warnings: notes.warnings.map(redact),
    source: source === undefined ? null : redact(source),
    first: first === undefined ? null : { line: first.line, ...message },
  };
}

/** If a value is longer than `most` lines, it is cut; its control characters are made visible. */
type TextLine = readonly [label: string, value: string, most?: number];

/** The lines that decide stand first. A program that reads a pipe or a log looks for whole sentences. */
export function planText(plan: ShownPlan, page: Page, most = mostLines): string {
  const { foreign, paint, isTerminal, columns } = page;
  const [kind, count, ...facts] = decisionOf(plan);
  const lines: TextLine[] = [...(plan.single === undefined ? runLines(plan, page, most) : messageLines(plan, page))];
  for (const text of plan.rules) lines.push(["Guard", foreign(text)]);
  if (plan.source !== undefined) lines.push(["File", foreign(plan.source)]);
  if (plan.run !== undefined) lines.push(["Run", plan.run]);
  if (plan.by !== undefined) lines.push(["Begun by", actorText(plan.by)]);
  lines.push(...serviceLines(plan, page));
  const width = Math.max(kind.length, ...lines.map(([label]) => label.length));
  const fit = (value: string) => wrapped(shownText(value), isTerminal ? columns - width - 4 : Infinity);
  const row = (label: string, values: readonly string[], paintLabel = paint.faint) =>
    `  ${paintLabel(label.padEnd(width))}  ${values.join(`\n${" ".repeat(width + 4)}`)}\n`;
  const decision = [
    ...fit(count).map((line) => paint.strong(line)),
    ...facts.flatMap(fit),
    ...shortTexts(plan)
      .flatMap(fit)
      .map((line) => paint.bad(line)),
  ];
  const rest = lines.map(([label, value, mostOfValue]) => row(label, cut(fit(value), mostOfValue)));
  return `${row(kind, decision, kind === liveKind ? paint.charged : paint.strong)}\n${rest.join("")}`;
}

function messageLines({ single, sample: { first } }: ShownPlan, page: Page): readonly TextLine[] {
  if (first === undefined || single === undefined) return [];
  const { encoding, units } = single;
  return [
    ["To", first.to],
    ["From", senderText(first.sender, page)],
    ["Text", page.redact(first.text)],
    ["Encoding", `${encoding}, ${plural(units, encoding === "GSM-7" ? "septet" : "unit")}`],
  ];
}

function runLines({ source, sample, notes }: ShownPlan, page: Page, most: number): readonly TextLine[] {
  const { foreign, redact } = page;
  const { first, longest, sendersDiffer } = sample;
  const longer = longest !== undefined && longest.text.length > (first?.text.length ?? 0) ? longest : undefined;
  const mostOfText = longer === undefined ? most : most / 2;
  const lines: TextLine[] = [];
  if (first !== undefined) {
    lines.push(["From", `${senderText(first.sender, page)}${sendersDiffer ? ", and others named by rows" : ""}`]);
    lines.push(["First", placeOf(first, source)], ["Text", redact(first.text), mostOfText]);
  }
  if (longer !== undefined) {
    lines.push(["Longest", `${placeOf(longer, source)}, ${plural(longer.segments, "segment")}${unicodeText(longer)}`]);
    lines.push(["Text", redact(longer.text), mostOfText]);
  }
  for (const text of leftOutTexts(notes)) lines.push(["Left out", foreign(text)]);
  for (const text of notes.warnings) lines.push(["Warning", foreign(text)]);
  return lines;
}

const liveKind = "LIVE";

function decisionOf(plan: ShownPlan): readonly [kind: string, count: string, ...facts: string[]] {
  const { messages, segments, ofAll, destination, rate, account } = plan;
  const count = ofAll === undefined ? plural(messages, "message") : `${countText(messages)} of ${ofAll}`;
  const cost = (text: string) => (messages === 0 ? [] : [`${plural(segments, "segment")}${text}`]);
  if (destination.kind === "not-logged-in")
    return ["DRY RUN", `${count}; mode, key and price are not known (not logged in)`, ...cost("")];
  const minutes = messages / rate;
  const time = minutes < 1 ? "under a minute" : `about ${plural(Math.ceil(minutes), "minute")}`;
  const isTimed = plan.single === undefined && rate !== Infinity && messages > 0;
  const pace = isTimed ? [`${time}, at ${countText(rate)} a minute`] : [];
  const estimate = estimateText(segments, account.price);
  const isOne = messages === 1;
  if (reachesPhone(destination))
    return [liveKind, `${count}, to ${isOne ? "a real phone" : "real phones"}`, ...cost(`, ${estimate}`), ...pace];
  const [kind, payer] = destination.mode === "test" ? ["TEST", "a live key"] : ["SANDBOX", "a real send"];
  const sentence = `${count}; no phone receives ${isOne ? "it" : "them"}`;
  return [kind, sentence, ...cost(`; ${payer} would be charged ${estimate}`), ...pace];
}

function placeOf({ line, to }: DraftMessage, source: string | undefined): string {
  return source === undefined ? to : `${lineText(line)}, ${to}`;
}

function unicodeText({ text }: DraftMessage): string {
  const character = Array.from(text).find((each) => encodingOf(each) === "UCS-2");
  return character === undefined ? "" : `, ${characterText(character)} forces Unicode`;
}

/** Undefined if nothing is charged; one message is shown without the balance. */
function balanceOf({ single, segments, destination, account }: ShownPlan) {
  if (single !== undefined || liveOf(destination) === undefined) return undefined;
  return account.balance && { ...account.balance, missing: Math.max(0, segments - account.balance.credits) };
}

function shortTexts(plan: ShownPlan): readonly string[] {
  const { messages, fitToday = messages } = plan;
  const texts: string[] = [];
  const { missing = 0, credits = 0, ageDays = 0 } = balanceOf(plan) ?? {};
  if (missing > 0) {
    const when = ageDays === 0 ? "today" : `${plural(ageDays, "day")} ago`;
    texts.push(`${plural(missing, "credit")} too few: the balance was ${countText(credits)} ${when}`);
  }
  if (fitToday < messages) texts.push(`${countText(fitToday)} of ${countText(messages)} fit today`);
  return texts;
}

export function leftOutTexts({ leftOut, firstLeftOut, repeated, clean }: RowNotes): readonly string[] {
  const { repeated: _, ...ofList } = leftOut;
  const first = firstLeftOut.slice(0, mostLeftOut);
  const more = Object.values(ofList).reduce((sum, count) => sum + count, 0) - first.length;
  const isOfList = leftOut.duplicate !== undefined || leftOut.invalid !== undefined;
  const where =
    isOfList && clean !== undefined ? `: \`${clean} --json\` lists every row that is invalid or a duplicate` : "";
  const rest = more > 0 ? [`… and ${countText(more)} more${where}`] : [];
  return [...countsByReason(ofList), ...firstLeftOutTexts({ repeated, firstLeftOut: first }), ...rest];
}

function firstLeftOutTexts(notes: Pick<RowNotes, "repeated" | "firstLeftOut">): readonly string[] {
  const { repeated = [], firstLeftOut } = notes;
  return [repeated, firstLeftOut].flat();
}

function cut(lines: readonly string[], most = Infinity): readonly string[] {
  // The sentence takes a line as well.
  return lines.length <= most + 1 ? lines : [...lines.slice(0, most), `… and ${lines.length - most} more lines`];
}

function senderText(sender: Sender | undefined, { foreign }: Page): string {
  if (sender === undefined) return "the account's default sender";
  return foreign(sender.kind === "name" ? sender.name : sender.id);
}

export function messageJson(message: Message, { redact }: Pick<Page, "redact">) {
  return Object.fromEntries(Object.entries(membersOf(message)).map(([name, text]) => [name, redact(text)]));
}

/** Nothing is shown of the sandbox inside this process. */
function outerService({ destination }: ShownPlan): Destination | undefined {
  return destination.kind === "not-logged-in" || isInProcess(destination) ? undefined : destination;
}

function serviceJson(plan: ShownPlan) {
  const service = outerService(plan);
  if (service === undefined) return { baseUrl: null, key: null };
  const { address, credentials, key } = service;
  const ofKey =
    credentials.kind === "key" ? { name: key?.name ?? null, shown: shownKey(credentials.key.secret) } : null;
  return { baseUrl: baseUrlOf(address), key: ofKey };
}

function serviceLines(plan: ShownPlan, { foreign }: Page): readonly TextLine[] {
  const service = outerService(plan);
  if (service === undefined) return [];
  const { address, credentials, otherService = baseUrlOf(address) } = service;
  const source = `(from ${foreign(credentialsSource(service))})`;
  return [
    credentials.kind === "key"
      ? ["Key", `${shownKey(credentials.key.secret)} ${source}`]
      : ["Account", `${foreign(credentials.email)} ${source}`],
    ["Base URL", foreign(otherService)],
  ];
}
