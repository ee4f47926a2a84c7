import { readCountry, readNumber } from "../../core/number.ts";
import { variable } from "../../core/variable.ts";
import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { doneView } from "../../output/done.ts";
import { historyView } from "../../output/history.ts";
import { plural } from "../../output/text.ts";
import { configFolder, stateFolder } from "../../profiles/folders.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { masked } from "../../record/entry.ts";
import { numberHash } from "../../record/hash-key.ts";
import { listHistory } from "../../record/history-listing.ts";
import { pruneHistory } from "../../record/prune.ts";
import type { Context } from "../shared/context.ts";
import { whileReadingHistory } from "../shared/history-reading.ts";
import { stateOf } from "../shared/state.ts";
import { type Moment, timeOf } from "../shared/times.ts";
import { warnOfUnread } from "../shared/unread.ts";

interface HistoryFlags {
  readonly to?: string;
  readonly since?: Moment;
  readonly limit?: number;
}

/** Entries that a person is shown if no limit is given. */
const defaultLimit = 50;

/** Lists what this machine sent. */
export async function showHistory(
  { to, since, limit, json }: HistoryFlags & { readonly json: boolean },
  { host, presenter }: Context,
): Promise<void> {
  const number = to === undefined ? undefined : numberOf(to, host);
  const state = stateFolder(host);
  if (state === undefined) {
    await presenter.stream(historyView([]));
    presenter.note("Nothing is recorded.");
    return;
  }
  const most = limit ?? (json ? Infinity : defaultLimit);
  const query = {
    since: since === undefined ? 0 : timeOf(since, host.now()),
    ...(number !== undefined && { to: { number, hash: numberHash(configFolder(host), host.uid)?.(number) } }),
    limit: most,
  };
  const listing = await whileReadingHistory(presenter, (onShare) => listHistory(state, query, onShare));
  const { found } = listing;
  try {
    warnOfUnread(listing, presenter);
    if (number !== undefined && listing.unknown > 0) {
      presenter.trace(
        `Warning: ${plural(listing.unknown, "send")} to ${masked(number)} may be to this number, recorded without a hash of it`,
      );
    }
    await presenter.waitFor(`Listing ${plural(Math.min(found, most), "send")}`, () =>
      presenter.stream(historyView(listing.entries())),
    );
    if (found === 0) presenter.note("Nothing is recorded.");
    else if (found > most) presenter.note(`${plural(found - most, "earlier send")}: --limit shows more.`);
  } finally {
    listing.close();
  }
}

/** Deletes the entries that are older than a time span. */
export async function pruneEntries(
  { to, since, limit, prune }: HistoryFlags & { readonly prune: number },
  { host, presenter }: Context,
): Promise<void> {
  if (to !== undefined || since !== undefined || limit !== undefined) {
    throw usageError("INVALID_OPTION", "--prune goes with no other option", "list first, then prune");
  }
  const before = host.now() - prune;
  const deleted = await whileReadingHistory(presenter, (onShare) =>
    pruneHistory(stateOf(host, "the history"), before, onShare),
  );
  presenter.show(doneView({ pruned: deleted }, `Deleted ${plural(deleted, "line")} of the history.`));
}

/** Reads a number as a send does: without + in the country of the environment or the profile. Throws `INVALID_NUMBER`. */
function numberOf(text: string, host: Host): string {
  const { environment } = host;
  const ofProfile = () => chooseProfile(loadStore(host), environment, undefined).profile?.defaults.country;
  const country = text.trim().startsWith("+") ? undefined : (variable(environment, "SMS_COUNTRY") ?? ofProfile());
  const reading = readNumber(text, country === undefined ? undefined : readCountry(country));
  if (reading.kind === "number") return reading.e164;
  throw usageError(
    "INVALID_NUMBER",
    `${JSON.stringify(text)} is not a number to look for: ${reading.reason}`,
    reading.hint?.replace("give --country", "set SMS_COUNTRY"),
  );
}
