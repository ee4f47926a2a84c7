import { breakLock, holderText } from "../../files/lock.ts";
import { doneView } from "../../output/done.ts";
import { runFiles } from "../../runs/run-files.ts";
import { lockToBreak } from "../../runs/run-lock.ts";
import { confirmLoss } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { stateOf } from "../shared/state.ts";

/** Unlocks a run after asking: its holder is out of this machine's sight, and only a person knows that it is gone. */
export async function unlockRun(name: string, options: GlobalOptions, { host, presenter }: Context): Promise<void> {
  const files = runFiles(stateOf(host), name);
  const held = await lockToBreak(files, host.processes);
  const question = `Is ${holderText(held)} gone? If it still works on run ${name}, it stops at its next message.`;
  await confirmLoss(question, options, host);
  breakLock(held);
  presenter.show(doneView({ unlocked: name }, `Unlocked run ${name}. \`sms runs resume ${name}\` continues it.`));
}
