// reports: what is read from the record. Only `keepInHistory` and pruning change it.

import { fileError, SmsError, usageError } from "../errors.ts";
import type { Presenter, Context } from "../terminal/context.ts";
import { plural } from "../words/count.ts";
import { readingText } from "../terminal/reading-text.ts";
import type { ProfileInUse } from "../profiles/resolve.ts";
import type { OnShare, Unread } from "../record/history.ts";
import { historyOf } from "../profiles/record.ts";

/** The run is about to be removed. Throws `NOT_WRITTEN` if the history cannot take the run. A damaged run cannot be copied. */
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
  const text = () => readingText({ name: "the history", share: () => share });
  return waitFor(text, () => work((now) => (share = now)));
}

/** A sum without these would be too low, so this warns in every form. */
export function warnOfUnread({ broken, runs }: Unread, { always }: Pick<Presenter, "always">): void {
  for (const { name, reason } of runs) always(`Warning: run ${name} cannot be read: ${reason}`);
  if (broken > 0)
    always(`Warning: left out ${plural(broken, "broken line")} of the history, which a kill or a full disk cut off`);
}
