import { namedProfile, requireRecord } from "../profiles/record.ts";
import { type RunWithLedger, requireRun } from "../record/run-with-ledger.ts";
import type { RunHeader } from "../record/header.ts";
import type { Tally } from "../record/ledger.ts";
import { type RecordedRun, type RunKeeper, unreadableRun, type UnreadableRun } from "../record/runs.ts";
import type { Context } from "../terminal/context.ts";

export interface RunListing extends Pick<RecordedRun, "header" | "by"> {
  readonly tally: Tally;
}

interface RunList {
  readonly runs: readonly RunListing[];
  readonly earlier: number;
  readonly damaged: readonly UnreadableRun[];
}

export async function listRuns(
  keeper: Pick<RunKeeper, "list">,
  limit: number,
  isWanted: (header: RunHeader) => boolean = () => true,
): Promise<RunList> {
  const all = await keeper.list();
  const damaged: UnreadableRun[] = all.filter((each) => each.kind === "unreadable");
  const readable = all.flatMap((each) => (each.kind === "run" && isWanted(each.run.header) ? [each.run] : []));
  readable.sort((a, b) => b.header.started.localeCompare(a.header.started));
  const runs: RunListing[] = [];
  for (const { header, by, readTimes } of readable.slice(0, limit)) {
    try {
      runs.push({ header, by, tally: (await readTimes()).ledger.tally() });
    } catch (error) {
      damaged.push(unreadableRun(header.name, error));
    }
  }
  return { runs, earlier: Math.max(0, readable.length - limit), damaged };
}

/** Throws `UNKNOWN_RUN` with the nearest name. */
export async function whileReading<Result>(
  name: string,
  profile: string | undefined,
  { host, presenter }: Context,
  work: (run: RunWithLedger, runs: RunKeeper) => Promise<Result>,
): Promise<Result> {
  const runs = await (await requireRecord(host, "runs", namedProfile(host, profile))).runs();
  return presenter.waitFor(`Reading run ${name}`, async () => work(await requireRun(runs, name), runs));
}
