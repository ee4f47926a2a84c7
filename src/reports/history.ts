import { readCountry, readNumber } from "../message/number.ts";
import type { Outcome } from "../message/outcome.ts";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import { currentName, firstName } from "../profiles/payer.ts";
import { namedProfile, openRecord, recordWords, requireRecord } from "../profiles/record.ts";
import { loadStore, profileInUse } from "../profiles/resolve.ts";
import { variable } from "../profiles/variable.ts";
import { type Entry, type HistoryKeeper, nothingUnread, type OnShare } from "../record/history.ts";
import type { Context } from "../terminal/context.ts";
import { doneView } from "../terminal/layout.ts";
import { plural } from "../words/count.ts";
import { type HistoryForm, historyView } from "./history-view.ts";
import { warnOfUnread, whileReadingHistory } from "./reading.ts";

interface HistoryQuery {
  readonly since: number;
  readonly to?: string;
  readonly profile?: string;
  readonly outcomes?: readonly Outcome["kind"][];
  readonly limit: number;
}

export async function showHistory(query: HistoryQuery, form: HistoryForm, { host, presenter }: Context): Promise<void> {
  const profile = namedProfile(host, query.profile);
  const to = query.to === undefined ? undefined : numberOf(query.to, query.profile, host);
  const history = await openRecord(host, profile)?.history();
  const { profiles } = loadStore(host);
  const { rest } = await whileReadingHistory(presenter, async (onShare) => {
    const list = latestEntries(history, { ...query, to, profile: profile && firstName(profile) }, onShare);
    await presenter.stream(historyView(list.entries, form, (first) => currentName(profiles, first)));
    return list;
  });
  warnOfUnread(rest.unread, presenter);
  if (rest.count === 0) presenter.note("Nothing is recorded.");
  else if (rest.hasMore) presenter.note("There are earlier sends: --limit shows more.");
}

export async function pruneHistory(age: number, { host, presenter }: Context): Promise<void> {
  const history = await requireRecord(host, "the history").history();
  const count = await whileReadingHistory(presenter, (onShare) => history.prune(host.now() - age, onShare));
  presenter.show(
    doneView({ pruned: count }, `Deleted ${plural(count, "line")} of the history${recordWords(host).of}.`),
  );
}

/** Without + the number is read in the country of the environment or the profile, as a send does. */
function numberOf(text: string, profile: string | undefined, host: Host): string {
  const ofProfile = () => profileInUse(host, profile).defaults.country;
  const country = text.trim().startsWith("+") ? undefined : (variable(host.environment, "SMS_COUNTRY") ?? ofProfile());
  const reading = readNumber(text, country === undefined ? undefined : readCountry(country));
  if (reading.kind === "number") return reading.e164;
  throw usageError(
    "INVALID_NUMBER",
    `${JSON.stringify(text)} is not a number to look for: ${reading.reason}`,
    reading.hint?.replace("give --country", "set SMS_COUNTRY"),
  );
}

/** The profile has its first name. `rest` is complete once the entries are read. */
export function latestEntries(
  history: Pick<HistoryKeeper, "newest"> | undefined,
  { since, to, profile, outcomes, limit }: HistoryQuery,
  onShare: OnShare = () => {},
) {
  const rest = { unread: nothingUnread(), count: 0, hasMore: false };
  const matches = (entry: Entry) =>
    (to === undefined || entry.to === to) &&
    (profile === undefined || entry.profile === profile) &&
    outcomes?.includes(entry.outcome) !== false;
  async function* read(): AsyncGenerator<Entry, void> {
    for await (const entries of history?.newest(since, { unread: rest.unread, onShare }) ?? []) {
      for (const entry of entries.filter(matches)) {
        if (rest.count === limit) return void (rest.hasMore = true);
        rest.count++;
        yield entry;
      }
    }
  }
  return { entries: read(), rest };
}
