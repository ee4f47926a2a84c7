import { readCountry } from "../message/number.ts";
import type { Outcome } from "../message/outcome.ts";
import type { Host } from "../host.ts";
import { currentName, firstName } from "../profiles/payer.ts";
import { namedProfile, openRecord, recordWords, requireRecord } from "../profiles/record.ts";
import { loadStore, profileInUse } from "../profiles/resolve.ts";
import { variable } from "../profiles/environment.ts";
import { leftOutWords } from "../record/left-out.ts";
import { type HistoryEntry, type HistoryKeeper, nothingUnread, type OnShare } from "../record/history.ts";
import type { Context, LongView, Page } from "../terminal/context.ts";
import { type DetailedRow, detailedText, doneView } from "../terminal/layout.ts";
import { plural, countText } from "../words/count.ts";
import { warnOfUnread, whileReadingHistory } from "./reading.ts";
import { csvRecord } from "../recipients/formats/csv-text.ts";
import { requireNumber } from "../recipients/one-message.ts";
import { explainedBy, withoutCountryOption } from "../recipients/ways-on.ts";
import { actorText, failureHeading, kes, visible } from "../terminal/text.ts";

interface HistoryQuery {
  readonly since: number;
  readonly to?: string;
  readonly profile?: string;
  readonly outcomes?: readonly Outcome["kind"][];
  readonly limit: number;
}

export async function showHistory(query: HistoryQuery, form: HistoryForm, { host, presenter }: Context): Promise<void> {
  const profile = namedProfile(host, query.profile);
  const to = query.to === undefined ? undefined : await numberOf(query.to, query.profile, host);
  const history = await (await openRecord(host, profile))?.history();
  const { profiles } = loadStore(host);
  const { rest } = await whileReadingHistory(presenter, async (onShare) => {
    const list = latestEntries(history, { ...query, to, profile: profile && firstName(profile) }, onShare);
    await presenter.stream(historyView(list.entries, form, profiles));
    return list;
  });
  warnOfUnread(rest.unread, presenter);
  if (rest.count === 0) presenter.note(nothingText(rest.lookedThrough, query.since));
  else if (rest.hasMore) presenter.note("There are earlier sends: --limit shows more.");
}

function nothingText(
  { singles, ofRuns }: { readonly singles: number; readonly ofRuns: number },
  since: number,
): string {
  const count = `looked through ${plural(singles, "single message")} and ${countText(ofRuns)} of runs`;
  if (singles + ofRuns > 0) return `Nothing of this: ${count}.`;
  return since > 0 ? `Nothing is recorded since then: ${count}.` : "Nothing is recorded.";
}

export async function pruneHistory(age: number, { host, presenter }: Context): Promise<void> {
  const history = await (await requireRecord(host, "the history")).history();
  const count = await whileReadingHistory(presenter, (onShare) => history.prune(host.now() - age, onShare));
  presenter.show(
    doneView({ pruned: count }, `Deleted ${plural(count, "line")} of the history${recordWords(host).of}.`),
  );
}

/** Without + the number is read in the country of the environment or the profile, as a send does. */
async function numberOf(text: string, profile: string | undefined, host: Host): Promise<string> {
  const ofProfile = () => profileInUse(host, profile).defaults.country;
  const country = text.trim().startsWith("+") ? undefined : (variable(host.environment, "SMS_COUNTRY") ?? ofProfile());
  const home = country === undefined ? undefined : readCountry(country);
  return (await explainedBy(withoutCountryOption, requireNumber(text, home, "--to"))).e164;
}

/** The profile has its first name. `rest` is complete once the entries are read. */
function latestEntries(
  history: Pick<HistoryKeeper, "newest"> | undefined,
  { since, to, profile, outcomes, limit }: HistoryQuery,
  onShare: OnShare = () => {},
) {
  const lookedThrough = { singles: 0, ofRuns: 0 };
  const rest = { unread: nothingUnread(), count: 0, hasMore: false, lookedThrough };
  const matches = (entry: HistoryEntry) =>
    (to === undefined || entry.to === to) &&
    (profile === undefined || entry.profile === profile) &&
    outcomes?.some((kind) => kind === entry.outcome) !== false;
  async function* read(): AsyncGenerator<HistoryEntry, void> {
    for await (const entries of history?.newest(since, { unread: rest.unread, onShare, to }) ?? []) {
      for (const { kind, outcome } of entries)
        if (outcome !== "left-out") lookedThrough[kind === "run" ? "ofRuns" : "singles"]++;
      for (const entry of entries.filter(matches)) {
        if (rest.count === limit) return void (rest.hasMore = true);
        rest.count++;
        yield entry;
      }
    }
  }
  return { entries: read(), rest };
}

const headings = ["TO", "OUTCOME", "CREDITS", "KES", "DETAILS"] as const;

interface HistoryForm {
  readonly isCsv: boolean;
  readonly localTime: (at: number) => string;
}

function historyView(
  entries: AsyncIterable<HistoryEntry>,
  { isCsv, localTime }: HistoryForm,
  profiles: Parameters<typeof currentName>[0],
): LongView {
  const rowOf = (entry: HistoryEntry, redact: Page["redact"]) => {
    const { sender, messageId, profile } = entry;
    const row = {
      ...entry,
      profile: profile && currentName(profiles, profile),
      sender: sender && redact(sender),
      messageId: messageId && redact(messageId),
    };
    return Object.fromEntries(columns.map((name) => [name, row[name]]));
  };
  return {
    isList: true,
    json: async function* json({ redact }) {
      for await (const entry of entries) yield rowOf(entry, redact);
    },
    text: async function* text(page) {
      if (isCsv) {
        yield `${columns.join(",")}\n`;
        for await (const entry of entries) yield csvLine(rowOf(entry, page.redact));
        return;
      }
      const rows: DetailedRow[] = [];
      for await (const entry of entries) rows.push(rowText(entry, localTime, page));
      yield detailedText(page, [page.isTerminal ? "LOCAL TIME" : "TIME (UTC)", ...headings], rows);
    },
  };
}

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
  "reason",
  "details",
  "user",
  "machine",
] as const satisfies readonly (keyof HistoryEntry)[];

function csvLine(row: Readonly<Record<string, string | number | null | undefined>>): string {
  const values = columns.map((name) => row[name] ?? undefined);
  return `${csvRecord(values.map((value) => (typeof value === "string" ? visible(value) : value)))}\n`;
}

function outcomeWords(outcome: HistoryEntry["outcome"]): string {
  if (outcome === "left-out") return "left out";
  return outcome === "accepted" ? outcome : failureHeading[outcome].toLowerCase();
}

function rowText(entry: HistoryEntry, localTime: HistoryForm["localTime"], { foreign, isTerminal }: Page): DetailedRow {
  const { at, to, outcome, mode, totalCredits, totalCostKes, key, run, sender, machine, errorCode, reason } = entry;
  const isFree = mode === "test" || mode === "sandbox";
  const details = [
    run && `run ${run}`,
    key,
    sender,
    machine && `by ${actorText({ ...entry, machine })}`,
    // A terminal has no room for the id.
    isTerminal ? undefined : entry.messageId,
  ];
  const cells = [
    isTerminal ? localTime(Date.parse(at)) : `${at.slice(0, 10)} ${at.slice(11, 16)}`,
    to,
    `${outcomeWords(outcome)}${isFree ? ` (${mode})` : ""}`,
    totalCredits === undefined || isFree ? "" : countText(totalCredits),
    totalCostKes === undefined || isFree ? "" : kes(totalCostKes).replace("KES ", ""),
  ];
  const why = reason === undefined ? errorCode : leftOutWords({ ...entry, reason });
  return { cells, why: why && foreign(why), details: details.flatMap((detail) => (detail ? foreign(detail) : [])) };
}
