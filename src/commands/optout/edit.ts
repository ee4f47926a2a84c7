import { addOptOuts } from "../../guards/opt-out-edits.ts";
import type { OptOut } from "../../guards/opt-out-list.ts";
import { changeOptOuts } from "../../guards/opt-out-store.ts";
import type { Context } from "../shared/context.ts";
import { stateOf } from "../shared/state.ts";

/** Changes the opt-outs and returns the new list. */
export function editOptOuts(
  edit: (before: readonly OptOut[]) => readonly OptOut[],
  { host, presenter }: Context,
): Promise<readonly OptOut[]> {
  const state = stateOf(host, "opt-outs");
  return presenter.waitFor("Waiting to change the opt-outs", () => changeOptOuts(state, host, edit));
}

/** Adds to the opt-outs. Returns the numbers that are new among them, and how many have opted out in all. */
export async function addToList(
  more: readonly OptOut[],
  context: Context,
): Promise<{ readonly added: readonly string[]; readonly optedOut: number }> {
  let added: readonly string[] = [];
  const list = await editOptOuts((before) => {
    const after = addOptOuts(before, more);
    ({ added } = after);
    return after.list;
  }, context);
  return { added, optedOut: list.length };
}
