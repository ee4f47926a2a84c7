import { runsView } from "../../output/runs.ts";
import { plural } from "../../output/text.ts";
import { listRuns } from "../../runs/run-list.ts";
import type { Context } from "../shared/context.ts";
import { stateFolder } from "../../profiles/folders.ts";
import type { GlobalOptions } from "../shared/options.ts";

/** What a person sees without `--limit`; a script gets all. */
const mostListed = 20;

/** Lists the latest runs, and names those that cannot be read. */
export async function listRecordedRuns(
  { json, quiet, limit = json || quiet ? Infinity : mostListed }: GlobalOptions & { readonly limit?: number },
  { host, presenter }: Context,
): Promise<void> {
  const state = stateFolder(host);
  const none = { runs: [], earlier: 0, damaged: [] };
  const { runs, earlier, damaged } =
    state === undefined ? none : await presenter.waitFor("Reading the runs", () => listRuns(state, limit));
  for (const { name, reason } of damaged) presenter.trace(`Warning: run ${name} cannot be read: ${reason}`);
  if (runs.length + damaged.length === 0) {
    presenter.note("No runs are recorded: `sms send` with --recipients, --run or several --to begins one.");
  }
  presenter.show(runsView(runs, host.now()));
  if (earlier > 0) presenter.note(`${plural(earlier, "earlier run")}: \`sms runs list --limit ${limit + earlier}\``);
}
