import { Command } from "@commander-js/extra-typings";
import { readCountry, readNumber } from "../message/number.ts";
import { csvRecord } from "../recipients/formats/csv-text.ts";
import { variable } from "../profiles/variable.ts";
import { localText, readZone, startOfDay, type Zone } from "../guards/hours.ts";
import { invalidOption, usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { LongView, Page } from "../terminal/presenter.ts";
import { doneView, listingText } from "../terminal/layout.ts";
import { visible } from "../terminal/redact.ts";
import { countText, plural } from "../words/count.ts";
import { actorText, failureHeading, kes } from "../terminal/text.ts";
import { currentName, firstName } from "../profiles/payer.ts";
import { profileInUse, loadStore } from "../profiles/resolve.ts";
import type { Store } from "../profiles/stored.ts";
import type { Entry } from "../record/history.ts";
import { latestEntries } from "../reports/history.ts";
import type { Context, Runner } from "../terminal/context.ts";
import { type OptionsOf, withExamples, withGlobalOptions } from "./shared/options.ts";
import { warnOfUnread, whileReadingHistory } from "../reports/kept.ts";
import { number, wordOf, single, someOf, span } from "./shared/option-values.ts";
import { type Moment, moment } from "./shared/times.ts";
import { zoneHere } from "../profiles/defaults.ts";
import { namedProfile, openRecord, recordWords, requireRecord } from "../profiles/record.ts";

export function historyCommand(run: Runner) {
  const history = historyOptions().action(({ prune, ...flags }, command) =>
    run(command, (options, context) =>
      prune === undefined
        ? showHistory({ ...flags, ...options }, context)
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

async function showHistory(
  { to, since, outcome, format, limit, profile: name, json }: HistoryOptions,
  { host, presenter }: Context,
): Promise<void> {
  if (format !== undefined && json) {
    throw invalidOption("--format csv and --json are both given", "give one of them");
  }
  const profile = namedProfile(host, name);
  const recipient = to === undefined ? undefined : numberOf(to, name, host);
  const history = await openRecord(host, profile)?.history();
  const most = limit ?? (json || format === "csv" ? Infinity : defaultLimit);
  const zone = readZone(zoneHere(host), "the time zone");
  const query = {
    since: since === undefined ? 0 : timeOf(since, zone, host.now()),
    to: recipient,
    profile: profile && firstName(profile),
    outcomes: outcome,
    limit: most,
  };
  const form = { isCsv: format === "csv", zone, profiles: loadStore(host).profiles };
  const { rest } = await whileReadingHistory(presenter, async (onShare) => {
    const list = latestEntries(history, query, onShare);
    await presenter.stream(historyView(list.entries, form));
    return list;
  });
  warnOfUnread(rest.unread, presenter);
  if (rest.count === 0) presenter.note("Nothing is recorded.");
  else if (rest.hasMore) presenter.note("There are earlier sends: --limit shows more.");
}

async function pruneEntries(
  { to, since, outcome, format, limit, profile }: HistoryOptions,
  prune: number,
  { host, presenter }: Context,
): Promise<void> {
  if ([to, since, outcome, format, limit, profile].some((other) => other !== undefined)) {
    throw invalidOption("--prune takes no other option", "list first, then prune");
  }
  const before = host.now() - prune;
  const history = await requireRecord(host, "the history").history();
  const deleted = await whileReadingHistory(presenter, (onShare) => history.prune(before, onShare));
  presenter.show(
    doneView({ pruned: deleted }, `Deleted ${plural(deleted, "line")} of the history${recordWords(host).of}.`),
  );
}

/** Reads a number as a send does: without + in the country of the environment or the profile. Throws `INVALID_NUMBER`. */
function numberOf(text: string, profile: string | undefined, host: Host): string {
  const { environment } = host;
  const ofProfile = () => profileInUse(host, profile).defaults.country;
  const country = text.trim().startsWith("+") ? undefined : (variable(environment, "SMS_COUNTRY") ?? ofProfile());
  const reading = readNumber(text, country === undefined ? undefined : readCountry(country));
  if (reading.kind === "number") return reading.e164;
  throw usageError(
    "INVALID_NUMBER",
    `${JSON.stringify(text)} is not a number to look for: ${reading.reason}`,
    reading.hint?.replace("give --country", "set SMS_COUNTRY"),
  );
}

function timeOf(since: Moment, zone: Zone, now: number): number {
  switch (since.kind) {
    case "at":
      return since.ms;
    case "ago":
      return now - since.ms;
    case "day":
      return startOfDay(zone, now, since.ago);
  }
}

const headings = ["TO", "OUTCOME", "CREDITS", "KES", "DETAILS"] as const;

interface HistoryForm {
  readonly isCsv: boolean;
  /** In which a terminal shows times. */
  readonly zone: Zone;
  readonly profiles: Store["profiles"];
}

function historyView(entries: AsyncIterable<Entry>, { isCsv, zone, profiles }: HistoryForm): LongView {
  return {
    isList: true,
    json: async function* json({ redacted }) {
      for await (const entry of entries) yield entryRow(entry, profiles, redacted);
    },
    text: async function* text(page) {
      if (isCsv) {
        yield `${columns.join(",")}\n`;
        for await (const entry of entries) yield csvLine(entryRow(entry, profiles, page.redacted));
        return;
      }
      const rows: (readonly string[])[] = [[page.isTerminal ? "LOCAL TIME" : "TIME (UTC)", ...headings]];
      for await (const entry of entries) rows.push(cells(entry, zone, page));
      if (rows.length > 1) yield listingText(page, rows, true);
    },
  };
}

/** What a list shows of an entry: all but what only `sms` itself needs. */
const columns = [
  "at",
  "kind",
  "run",
  "profile",
  "key",
  "mode",
  "to",
  "sender",
  "outcome",
  "messageId",
  "segments",
  "totalCredits",
  "totalCostKes",
  "newBalance",
  "httpStatus",
  "errorCode",
  "user",
  "machine",
] as const satisfies readonly (keyof Entry)[];

function entryRow(entry: Entry, profiles: Store["profiles"], redacted: Page["redacted"]) {
  const { sender, messageId, profile } = entry;
  const row = {
    ...entry,
    profile: profile && currentName(profiles, profile),
    sender: sender === null ? null : redacted(sender),
    messageId: messageId === undefined ? undefined : redacted(messageId),
  };
  return Object.fromEntries(columns.map((name) => [name, row[name]]));
}

function csvLine(row: ReturnType<typeof entryRow>): string {
  const values = columns.map((name) => row[name] ?? undefined);
  return `${csvRecord(values.map((value) => (typeof value === "string" ? visible(value) : value)))}\n`;
}

function cells(entry: Entry, zone: Zone, { foreign, isTerminal }: Page): readonly string[] {
  const { at, to, outcome, mode, totalCredits, totalCostKes, key, run, sender, machine, errorCode } = entry;
  const isFree = mode === "test" || mode === "sandbox";
  const details = [
    errorCode,
    run && `run ${run}`,
    key,
    sender,
    machine && `by ${actorText({ ...entry, machine })}`,
    // A terminal has no room for it.
    isTerminal ? undefined : entry.messageId,
  ];
  return [
    isTerminal ? localText(zone, Date.parse(at)) : `${at.slice(0, 10)} ${at.slice(11, 16)}`,
    to,
    `${outcome === "accepted" ? outcome : failureHeading[outcome].toLowerCase()}${isFree ? ` (${mode})` : ""}`,
    totalCredits === undefined || isFree ? "" : countText(totalCredits),
    totalCostKes === undefined || isFree ? "" : kes(totalCostKes).replace("KES ", ""),
    foreign(details.filter(Boolean).join(", ")),
  ];
}
