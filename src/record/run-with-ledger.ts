import { nearest } from "../words/nearest.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import type { Ledger } from "./ledger.ts";
import { type RecordedRun, type RunKeeper, unknownRun } from "./runs.ts";

export interface RunWithLedger extends RecordedRun {
  readonly ledger: Ledger;
}

export async function requireRun(runs: Pick<RunKeeper, "read" | "list">, name: string): Promise<RunWithLedger> {
  const run = await runs.read(name);
  if (run === undefined) throw await unknownAmong(runs, name);
  return withLedger(run);
}

export async function unknownAmong(runs: Pick<RunKeeper, "list">, name: string, prefix = ""): Promise<Error> {
  const names = (await runs.list()).map((listed) => (listed.kind === "run" ? listed.run.header.name : listed.name));
  const near = nearest(name, names);
  return unknownRun(name, near && prefix + near);
}

export async function withLedger(run: RecordedRun): Promise<RunWithLedger> {
  return { ...run, ledger: await run.readLedger() };
}

/** A rehearsal reached none of the people of its rows. */
export async function reachedBy(run: RecordedRun): Promise<NumberSet> {
  const numbers = new NumberSet();
  if (run.header.isRehearsal) return numbers;
  const { ledger } = await run.readTimes();
  const mayHaveIt = (index: number) => ["accepted", "uncertain"].includes(ledger.outcomeOf(index));
  for await (const { to } of run.readMessages(mayHaveIt)) numbers.add(numberKey(to));
  return numbers;
}
