import { type Charge, type Evidence, weighEvidence } from "./evidence.ts";
import type { RunHeader } from "./header.ts";
import { type MessageResult, readJournal, readResults } from "./journal-reader.ts";
import { Ledger, type Tally } from "./ledger.ts";
import { requireRun } from "./run.ts";
import type { RunFiles } from "./run-files.ts";

/** A run as its files describe it, and the outcome of each message. */
export interface RunReport {
  readonly header: RunHeader;
  readonly tally: Tally;
  /** What the balances say about the uncertain messages; undefined if there are none, or for a test key, which moves no balance. */
  readonly evidence: Evidence | undefined;
  /** Reads the outcomes anew, in the order of the plan. */
  readonly results: () => AsyncGenerator<MessageResult, void>;
}

/** Reads what became of a run, of which at most `inFlight` requests were in flight. Throws `UNKNOWN_RUN` and `RUN_DAMAGED`. */
export async function reportRun(files: RunFiles, inFlight: number): Promise<RunReport> {
  const { header, ledger } = await requireRun(files);
  const tally = ledger.tally();
  const empty = () => new Ledger(new Uint8Array(ledger.messages));
  const isCharged = header.binding.mode !== "test";
  const evidence = isCharged && tally.uncertain > 0 ? await evidenceOf(files, empty(), inFlight) : undefined;
  return { header, tally, evidence, results: () => readResults(files, empty()) };
}

async function evidenceOf(files: RunFiles, ledger: Ledger, inFlight: number): Promise<Evidence> {
  const charges: Charge[] = [];
  await readJournal(files.journal, ledger, (entry) => {
    if (entry.kind === "accepted") charges.push(entry.receipt);
  });
  return weighEvidence(charges, inFlight);
}
