import type { Presenter } from "../../output/presenter.ts";
import { plural } from "../../output/text.ts";
import type { UnreadableRun } from "../../runs/run-list.ts";

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
