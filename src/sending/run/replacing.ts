import { type RunHeader, runChanged } from "../../record/header.ts";
import type { PlanRow } from "../../record/plan.ts";
import type { OpenRun, RunKeeper } from "../../record/runs.ts";
import { unrecordedRun } from "../../record/unrecorded.ts";

/** The run of that name is removed once a new one begins. Beginning throws `RUN_CHANGED` if another process took the name. */
export function replacing(runs: RunKeeper, { name, started }: RunHeader, keep: () => Promise<void>): RunKeeper {
  const requireSame = async (isSame: (header?: RunHeader) => boolean) => {
    const run = await runs.read(name);
    if (!isSame(run?.header)) throw runChanged(`another command has begun the run ${name}`, "give the command again");
  };
  return {
    ...runs,
    open: async (_, onWait) => {
      const plan = unrecordedRun(name);
      let open: OpenRun = plan;
      return {
        ...plan,
        read: () => open.read(),
        begin: async (header, leftOut) => {
          await runs.remove(name, async () => {
            await requireSame((old) => old?.started === started);
            await keep();
          });
          open = await runs.open(name, onWait);
          await requireSame((old) => old === undefined);
          await open.plan(rowsOf(plan));
          await open.begin(header, leftOut);
        },
        openWriter: () => open.openWriter(),
        release: () => open.release(),
      };
    },
  };
}

async function* rowsOf({ readPlan, readLeftOut }: OpenRun): AsyncGenerator<PlanRow, void> {
  yield* readPlan();
  yield* readLeftOut();
}
