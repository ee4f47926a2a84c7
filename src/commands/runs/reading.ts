import { readingText } from "../../output/reading.ts";
import { type RunFiles, runFiles, watchedFiles } from "../../runs/run-files.ts";
import type { Context } from "../shared/context.ts";
import { stateOf } from "../shared/state.ts";

/** Does work that reads a run to check it and again to print it, and shows how far it is. */
export function whileReading<Result>(
  name: string,
  { host, presenter }: Pick<Context, "host" | "presenter">,
  work: (files: RunFiles) => Promise<Result>,
): Promise<Result> {
  const { files, share } = watchedFiles(runFiles(stateOf(host), name), { plans: 2, journals: 2 });
  return presenter.waitFor(
    () => readingText({ name: `run ${name}`, share }),
    () => work(files),
  );
}
