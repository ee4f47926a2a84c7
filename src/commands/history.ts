import { Command } from "@commander-js/extra-typings";
import { readCountry, readNumber } from "../message/number.ts";
import { variable } from "../message/variable.ts";
import { invalidOption, usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { LongView, Page } from "../output/presenter.ts";
import { doneView, listingText } from "../output/layout.ts";
import { actorText, countText, failureHeading, kes, plural } from "../output/text.ts";
import { currentName } from "../profiles/payer.ts";
import { chooseProfile, loadStore } from "../profiles/resolve.ts";
import type { Store } from "../profiles/stored.ts";
import { type Entry, latestEntries } from "../record/history.ts";
import type { Context, Run } from "./shared/context.ts";
import { type OptionsOf, withExamples, withGlobalOptions } from "./shared/options.ts";
import { warnOfUnread, whileReadingHistory } from "./shared/history.ts";
import { moment, number, single, span, timeOf } from "./shared/option-values.ts";
import { openRecord, recordWords, requireRecord } from "./shared/record.ts";

export function historyCommand(run: Run) {
  const history = historyOptions().action(({ prune, ...flags }, command) =>
    run(command, (options, context) =>
      prune === undefined
        ? showHistory({ ...flags, ...options }, context)
        : pruneEntries({ ...flags, ...options }, prune, context),
    ),
  );
  return withExamples(
    withGlobalOptions(history, ["json"]),
    [
      "sms history",
      "sms history --to +254712345678 --since 7d",
      "sms history --since 2026-11-01 --json",
      "sms history --prune 90d",
    ],
    "SMS_HISTORY=off, or `sms profiles set history off`, turns the history off.",
  );
}

function historyOptions() {
  return new Command("history")
    .summary("list what was sent, with the outcomes")
    .description(
      "List every send of this machine, or of the team that shares its record, single messages and runs, the latest first: when, with which key, to which number, the outcome and the cost. The text is never kept, and of a number only enough to recognise it is shown.",
    )
    .option("--to <number>", "only to this number", single("--to"))
    .option("--since <time>", "only since a date, or within a time span such as 7d or 24h", moment("--since"))
    .option(
      "--limit <n>",
      "at most n, the latest (default: 50; with --json all)",
      number("--limit", "a whole number of entries", 1, 1_000_000_000),
    )
    .option("--prune <span>", "delete what is older than a time span such as 90d", span("--prune"));
}

type HistoryOptions = Omit<OptionsOf<typeof historyOptions>, "prune">;

const defaultLimit = 50;

async function showHistory({ to, since, limit, json }: HistoryOptions, { host, presenter }: Context): Promise<void> {
  const recipient = to === undefined ? undefined : numberOf(to, host);
  const history = await openRecord(host)?.history();
  const most = limit ?? (json ? Infinity : defaultLimit);
  const query = {
    since: since === undefined ? 0 : timeOf(since, host.now()),
    ...(recipient !== undefined && { to: recipient }),
    limit: most,
  };
  const list = history && (await whileReadingHistory(presenter, (onShare) => latestEntries(history, query, onShare)));
  const { entries, found, unread } = list ?? { entries: [], found: 0, unread: undefined };
  if (unread !== undefined) warnOfUnread(unread, presenter);
  await presenter.waitFor(`Listing ${plural(Math.min(found, most), "send")}`, () =>
    presenter.stream(historyView(entries, loadStore(host).profiles)),
  );
  if (found === 0) presenter.note("Nothing is recorded.");
  else if (found > most) presenter.note(`${plural(found - most, "earlier send")}: --limit shows more.`);
}

async function pruneEntries(
  { to, since, limit }: HistoryOptions,
  prune: number,
  { host, presenter }: Context,
): Promise<void> {
  if (to !== undefined || since !== undefined || limit !== undefined) {
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
function numberOf(text: string, host: Host): string {
  const { environment } = host;
  const ofProfile = () => chooseProfile(host, undefined).profile?.defaults.country;
  const country = text.trim().startsWith("+") ? undefined : (variable(environment, "SMS_COUNTRY") ?? ofProfile());
  const reading = readNumber(text, country === undefined ? undefined : readCountry(country));
  if (reading.kind === "number") return reading.e164;
  throw usageError(
    "INVALID_NUMBER",
    `${JSON.stringify(text)} is not a number to look for: ${reading.reason}`,
    reading.hint?.replace("give --country", "set SMS_COUNTRY"),
  );
}

/** The last column has what tells a send from others: key, run, sender, who sent it, and how it failed. */
const heading = ["TIME (UTC)", "TO", "OUTCOME", "CREDITS", "KES", ""] as const;

function historyView(entries: readonly Entry[], profiles: Store["profiles"]): LongView {
  return {
    isList: true,
    json: async function* json({ redacted }) {
      for (const entry of entries) yield entryJson(entry, profiles, redacted);
    },
    text: async function* text(page) {
      const rows: (readonly string[])[] = [heading];
      for (const entry of entries) {
        // While a long list is read, the terminal is still drawn and Ctrl-C still works.
        if (rows.push(cells(entry, page)) % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      if (rows.length > 1) yield listingText(page, rows);
    },
  };
}

/** Returns enough of a number to recognise it, and too little to call it, such as `+2547…678`. */
function masked(to: string): string {
  return `${to.slice(0, Math.max(1, Math.min(5, to.length - 7)))}…${to.slice(-3)}`;
}

/** Returns an entry without what only `sms` itself needs. */
function entryJson(entry: Entry, profiles: Store["profiles"], redacted: Page["redacted"]) {
  const { at, kind, run, key, mode, to, sender, outcome, messageId, segments } = entry;
  const { totalCredits, totalCostKes, newBalance, httpStatus, errorCode, user, machine } = entry;
  const texts = {
    sender: sender === null ? null : redacted(sender),
    outcome,
    messageId: messageId === undefined ? undefined : redacted(messageId),
  };
  const profile = entry.profile && currentName(profiles, entry.profile);
  const charge = { segments, totalCredits, totalCostKes, newBalance };
  return {
    at,
    kind,
    run,
    profile,
    key,
    mode,
    to: masked(to),
    ...texts,
    ...charge,
    httpStatus,
    errorCode,
    user,
    machine,
  };
}

function cells(entry: Entry, { foreign, isTerminal }: Page): readonly string[] {
  const { at, to, outcome, mode, totalCredits, totalCostKes, key, run, sender, machine, errorCode } = entry;
  const isFree = mode === "test" || mode === "sandbox";
  const details = [
    key,
    run && `run ${run}`,
    sender,
    machine && `by ${actorText({ ...entry, machine })}`,
    errorCode,
    // A terminal has no room for it.
    isTerminal ? undefined : entry.messageId,
  ];
  return [
    `${at.slice(0, 10)} ${at.slice(11, 16)}`,
    masked(to),
    `${outcome === "accepted" ? outcome : failureHeading[outcome].toLowerCase()}${isFree ? ` (${mode})` : ""}`,
    totalCredits === undefined || isFree ? "" : countText(totalCredits),
    totalCostKes === undefined || isFree ? "" : kes(totalCostKes).replace("KES ", ""),
    foreign(details.filter(Boolean).join(", ")),
  ];
}
