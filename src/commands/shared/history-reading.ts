import type { OnShare } from "../../files/read-share.ts";
import type { Presenter } from "../../output/presenter.ts";
import { readingText } from "../../output/reading.ts";

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
