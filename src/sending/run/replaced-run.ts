import { type RunHeader, runChanged } from "../../record/header.ts";
import type { PlanRow } from "../../record/plan.ts";
import type { OwnRun, RunKeeper } from "../../record/runs.ts";
import { unrecordedRun } from "../../record/unrecorded.ts";

/** Nothing is locked or written until the new run begins, which removes the old one of that name. Beginning throws `RUN_CHANGED` if another process took the name. */
export function replacing(runs: RunKeeper, { name, started }: RunHeader, keep: () => Promise<void>): RunKeeper {
  const requireSame = async (isSame: (header?: RunHeader) => boolean) => {
    const run = await runs.read(name);
    if (!isSame(run?.header)) throw runChanged(`another command has begun the run ${name}`, "give the command again");
  };
  return {
    ...runs,
    open: async (_, onWait) => {
      const inMemory = unrecordedRun(name);
      let ownRun: OwnRun = inMemory;
      return {
        ...inMemory,
        read: () => ownRun.read(),
        begin: async (header, entries) => {
          await runs.remove(name, async () => {
            await requireSame((old) => old?.started === started);
            await keep();
          });
          ownRun = await runs.open(name, onWait);
          await requireSame((old) => old === undefined);
          await ownRun.writePlan(rowsOf(inMemory));
          await ownRun.begin(header, entries);
        },
        openWriter: () => ownRun.openWriter(),
        release: () => ownRun.release(),
      };
    },
  };
}

async function* rowsOf({ readPlan, readLeftOut }: OwnRun): AsyncGenerator<PlanRow, void> {
  yield* readPlan();
  yield* readLeftOut();
}
