import { doneView } from "../../output/done.ts";
import { plural } from "../../output/text.ts";
import type { Context } from "../shared/context.ts";
import { timestamp } from "../shared/times.ts";
import { addToList } from "./edit.ts";
import { readNumbers } from "./numbers.ts";

/** Adds numbers to the opt-outs. */
export async function addToOptOuts(
  texts: readonly string[],
  { reason, country }: { readonly reason?: string; readonly country?: string },
  context: Context,
): Promise<void> {
  const { host, presenter } = context;
  const numbers = await readNumbers(texts, country, host);
  const at = timestamp(host);
  const more = numbers.map((to) => ({ to, at, ...(reason !== undefined && { reason }) }));
  const { added, optedOut } = await addToList(more, context);
  const isNew = new Set(added);
  const already = numbers.filter((to) => !isNew.has(to));
  const lines = [
    ...added.map((to) => `Opted out ${to}: sms does not send to it any more.`),
    ...already.map((to) => `${to} has already opted out.`),
  ];
  presenter.show(doneView({ added, already, optedOut }, ...lines));
  if (added.length > 0) presenter.note(`${plural(optedOut, "number")} opted out in all.`);
}
