import { numberKey } from "../core/number-key.ts";
import { NumberSet } from "../core/number-set.ts";
import type { OptOut } from "./opt-out-list.ts";

/** What is kept of a reason, in UTF-16 code units: the list is read a chunk at a time. */
const longestReason = 500;

/** Adds opt-outs whose numbers are not in the list. Those in it keep their date and reason. A long reason is cut. */
export function addOptOuts(list: readonly OptOut[], more: readonly OptOut[]) {
  const known = setOf(list);
  const added = more.filter(({ to }) => known.add(numberKey(to))).map(withShortReason);
  return { list: added.length === 0 ? list : [...list, ...added], added: added.map(({ to }) => to) };
}

function withShortReason(optOut: OptOut): OptOut {
  const { reason } = optOut;
  if (reason === undefined || reason.length <= longestReason) return optOut;
  return { ...optOut, reason: `${reason.slice(0, longestReason - 1)}…` };
}

/** Removes numbers from the list. */
export function removeOptOuts(list: readonly OptOut[], numbers: readonly string[]): readonly OptOut[] {
  const removed = new Set(numbers);
  return list.filter(({ to }) => !removed.has(to));
}

/** Returns those of the numbers that are not in the list. */
export function notOptedOut(list: readonly OptOut[], numbers: readonly string[]): readonly string[] {
  const known = setOf(list);
  return numbers.filter((to) => !known.has(numberKey(to)));
}

function setOf(list: readonly OptOut[]): NumberSet {
  const numbers = new NumberSet(list.length);
  for (const { to } of list) numbers.add(numberKey(to));
  return numbers;
}
