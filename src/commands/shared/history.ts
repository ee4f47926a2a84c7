import { variable } from "../../message/variable.ts";
import { fileError, SmsError, usageError } from "../../errors.ts";
import type { OnShare } from "../../record/folder/line-file.ts";
import type { Host } from "../../host.ts";
import type { Presenter } from "../../output/presenter.ts";
import { plural, readingText } from "../../output/text.ts";
import { stateFolder } from "../../profiles/folders.ts";
import type { Profile } from "../../profiles/stored.ts";
import type { StateFolder } from "../../files/state-folder.ts";
import type { UnreadableRun } from "../../record/runs.ts";
import type { Context } from "./context.ts";
import { stateOf } from "./profile.ts";

/** Returns where a send is recorded; undefined if SMS_HISTORY or the profile turns the history off, or there is no folder. */
export function historyOf(host: Host, profile: Profile | undefined): StateFolder | undefined {
  const setting = variable(host.environment, "SMS_HISTORY") ?? profile?.defaults.history;
  if (setting !== undefined && setting !== "on" && setting !== "off") {
    throw usageError("INVALID_OPTION", `SMS_HISTORY does not take ${JSON.stringify(setting)}`, "set it to on or off");
  }
  return setting === "off" ? undefined : stateFolder(host);
}

/**
 * Copies a run that is about to be removed into the history, unless SMS_HISTORY is off. Throws `NOT_WRITTEN` if that fails,
 * and warns of a damaged run, of which there is nothing to copy.
 */
export async function keepInHistory(name: string, { host, presenter }: Context): Promise<void> {
  if (historyOf(host, undefined) === undefined) return;
  const { keepRun } = await import("../../record/removed-runs.ts");
  try {
    await keepRun(stateOf(host), name);
  } catch (error) {
    const known = error instanceof SmsError ? error : fileError(error);
    if (known === undefined) throw error;
    if (known.errorCode !== "RUN_DAMAGED") {
      throw usageError(
        "NOT_WRITTEN",
        `run ${name} is not removed, because the history would lose it: ${known.message}`,
        `${known.hint ?? "make the history writable"}; with SMS_HISTORY=off it is removed, and \`sms spend\` no longer counts it`,
      );
    }
    presenter.warn(`run ${name} is not in the history any more: ${known.message}`);
  }
}

/** Does work that reads the history, and shows how far it is. */
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

/** What of a history could not be read. */
interface Unread {
  /** Lines that are no entries. */
  readonly broken: number;
  readonly unreadable: readonly UnreadableRun[];
}

/** Warns of what is missing in a history, in every form: a sum without it would be too low. */
export function warnOfUnread({ broken, unreadable }: Unread, { trace }: Pick<Presenter, "trace">): void {
  for (const { name, reason } of unreadable) trace(`Warning: run ${name} cannot be read: ${reason}`);
  if (broken > 0)
    trace(`Warning: left out ${plural(broken, "broken line")} of the history, which a kill or a full disk cut off`);
}
