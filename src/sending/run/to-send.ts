import type { PlannedMessage } from "../../record/plan.ts";
import type { RunWithLedger } from "../../record/run-with-ledger.ts";
import type { AnySend } from "../opening.ts";

export async function* readToSend(
  { ledger, readMessages }: RunWithLedger,
  { options }: Pick<AnySend, "options">,
  isLeftOut: (index: number) => boolean = () => false,
): AsyncGenerator<PlannedMessage, void> {
  const isWanted = isToSend(ledger, options.retry);
  yield* readMessages((index) => isWanted(index) && !isLeftOut(index));
}

export function isToSend(ledger: RunWithLedger["ledger"], retry: readonly string[] = []): (index: number) => boolean {
  return (index) => ledger.isDue(index) || (retry.includes(ledger.outcomeOf(index)) && !ledger.isLeftOut(index));
}
