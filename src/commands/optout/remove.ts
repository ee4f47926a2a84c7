import { usageError } from "../../errors.ts";
import { notOptedOut, removeOptOuts } from "../../guards/opt-out-edits.ts";
import { loadOptOuts } from "../../guards/opt-out-store.ts";
import { doneView } from "../../output/done.ts";
import { plural } from "../../output/text.ts";
import { confirmLoss } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { stateOf } from "../shared/state.ts";
import { editOptOuts } from "./edit.ts";
import { readNumbers } from "./numbers.ts";

/** Removes numbers from the opt-outs, after asking. Throws a usage error `NOT_OPTED_OUT` for a number that is not among them. */
export async function removeFromOptOuts(
  texts: readonly string[],
  options: GlobalOptions & { readonly country?: string },
  context: Context,
): Promise<void> {
  const { host, presenter } = context;
  const numbers = await readNumbers(texts, options.country, host);
  const [other] = notOptedOut(loadOptOuts(stateOf(host, "opt-outs")), numbers);
  if (other !== undefined) {
    throw usageError("NOT_OPTED_OUT", `${other} has not opted out`, "`sms optout list` shows who has");
  }
  const [first = ""] = numbers;
  const who = numbers.length === 1 ? first : plural(numbers.length, "number");
  await confirmLoss(`Allow messages to ${who} again?`, options, host);
  await editOptOuts((before) => removeOptOuts(before, numbers), context);
  presenter.show(doneView({ removed: numbers }, ...numbers.map((to) => `${to} can get messages again.`)));
}
