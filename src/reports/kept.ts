// reports: what is read from the record. They change nothing but what is pruned.

import { fileError, SmsError, usageError } from "../errors.ts";
import type { Presenter } from "../terminal/presenter.ts";
import { plural } from "../words/count.ts";
import { readingText } from "../terminal/text.ts";
import type { ProfileInUse } from "../profiles/resolve.ts";
import type { OnShare, Unread } from "../record/history.ts";
import type { Context } from "../terminal/context.ts";
import { historyOf } from "../profiles/record.ts";

/**
 * Copies a run that is about to be removed into the history, unless SMS_HISTORY is off. Throws `NOT_WRITTEN` if that fails,
 * and warns of a damaged run, of which there is nothing to copy.
 */
export async function keepInHistory(
  run: string,
  profile: ProfileInUse | undefined,
  { host, presenter }: Context,
): Promise<void> {
  const history = await historyOf(host, profile);
  try {
    await history?.keepRun(run);
  } catch (error) {
    const cause = error instanceof SmsError ? error : fileError(error);
    if (cause === undefined) throw error;
    if (cause.errorCode !== "RUN_DAMAGED") {
      throw usageError(
        "NOT_WRITTEN",
        `run ${run} is not removed, because the history would lose it: ${cause.message}`,
        `${cause.hint ?? "make the history writable"}; with SMS_HISTORY=off it is removed, and \`sms spend\` no longer counts it`,
      );
    }
    presenter.warn(`run ${run} is not in the history any more: ${cause.message}`);
  }
}

export function whileReadingHistory<Result>(
  { waitFor }: Pick<Presenter, "waitFor">,
  work: (onShare: OnShare) => Promise<Result>,
): Promise<Result> {
  let share = 0;
  const reading = { name: "the history", share: () => share };
  return waitFor(
    () => readingText(reading),
    () => work((now) => (share = now)),
  );
}

/** Warns of what is missing in a history, in every form: a sum without it would be too low. */
export function warnOfUnread({ broken, runs }: Unread, { trace }: Pick<Presenter, "trace">): void {
  for (const { name, reason } of runs) trace(`Warning: run ${name} cannot be read: ${reason}`);
  if (broken > 0)
    trace(`Warning: left out ${plural(broken, "broken line")} of the history, which a kill or a full disk cut off`);
}
