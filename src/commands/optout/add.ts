import { doneView } from "../../output/done.ts";
import { plural } from "../../output/text.ts";
import { addOptOuts } from "../../guards/opt-out-edits.ts";
import type { OptOut } from "../../guards/opt-out-list.ts";
import { changeOptOuts } from "../../guards/opt-out-store.ts";
import type { Context } from "../shared/context.ts";
import { timestamp } from "../shared/profile-store.ts";
import { stateOf } from "../shared/state.ts";
import { readNumbers } from "./numbers.ts";

/** Adds numbers to the opt-outs. */
export async function addToOptOuts(
  texts: readonly string[],
  { reason, country }: { readonly reason?: string; readonly country?: string },
  { host, presenter }: Context,
): Promise<void> {
  const numbers = await readNumbers(texts, country, host);
  const at = timestamp(host);
  const more = numbers.map((to) => ({ to, at, ...(reason !== undefined && { reason }) }));
  let added: readonly string[] = [];
  const state = stateOf(host, "opt-outs");
  const edit = (before: readonly OptOut[]) => {
    const after = addOptOuts(before, more);
    added = after.added;
    return after.list;
  };
  const list = await presenter.waitFor("Waiting to change the opt-outs", () => changeOptOuts(state, host, edit));
  const isNew = new Set(added);
  const already = numbers.filter((to) => !isNew.has(to));
  const lines = [
    ...added.map((to) => `Opted out ${to}: sms does not send to it any more.`),
    ...already.map((to) => `${to} has already opted out.`),
  ];
  presenter.show(doneView({ added, already, optedOut: list.length }, ...lines));
  if (added.length > 0) presenter.note(`${plural(list.length, "number")} opted out in all.`);
}
