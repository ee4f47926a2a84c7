import { usageError } from "../../errors.ts";
import { removeOptOuts, strangersOf } from "../../guards/opt-out-edits.ts";
import type { OptOut } from "../../guards/opt-out-list.ts";
import { changeOptOuts, loadOptOuts } from "../../guards/opt-out-store.ts";
import { doneView } from "../../output/done.ts";
import { plural } from "../../output/text.ts";
import { confirmLoss } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { stateOf } from "../shared/state.ts";
import { readNumbers } from "./numbers.ts";

/** Removes numbers from the opt-outs, after asking. Throws a usage error `NOT_OPTED_OUT` for a number that is not among them. */
export async function removeFromOptOuts(
  texts: readonly string[],
  options: GlobalOptions & { readonly country?: string },
  { host, presenter }: Context,
): Promise<void> {
  const state = stateOf(host, "opt-outs");
  const numbers = await readNumbers(texts, options.country, host);
  const [stranger] = strangersOf(loadOptOuts(state), numbers);
  if (stranger !== undefined) {
    throw usageError("NOT_OPTED_OUT", `${stranger} has not opted out`, "`sms optout list` shows who has");
  }
  const [first = ""] = numbers;
  const who = numbers.length === 1 ? first : plural(numbers.length, "number");
  await confirmLoss(`Allow ${who} to be sent to again?`, options, host);
  const edit = (before: readonly OptOut[]) => removeOptOuts(before, numbers);
  await presenter.waitFor("Waiting to change the opt-outs", () => changeOptOuts(state, host, edit));
  presenter.show(doneView({ removed: numbers }, ...numbers.map((to) => `${to} can be sent to again.`)));
}
