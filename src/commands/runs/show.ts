import { type Charge, type Evidence, weighEvidence } from "../../runs/evidence.ts";
import { readJournal, readResults } from "../../runs/journal-reader.ts";
import { Ledger } from "../../runs/ledger.ts";
import type { RunHeader } from "../../runs/header.ts";
import type { RunFiles } from "../../runs/runs.ts";
import { endings } from "../../errors.ts";
import { paintFor } from "../../output/paint.ts";
import { failureLine, recipientJson, summaryJson, summaryText } from "../../output/run-reporter.ts";
import { jsonLine, visible } from "../../output/sanitize.ts";
import { plural } from "../../output/text.ts";
import type { Context } from "../shared/context.ts";
import { mostInFlight } from "../shared/limits.ts";
import type { GlobalOptions } from "../shared/options.ts";

/** Of those who were not accepted, as many are shown where nobody asks for all. */
const mostShown = 10;

/** Shows what became of a run, who was not accepted, and what evidence there is of the uncertain. */
export async function showRun(
  files: RunFiles,
  header: RunHeader,
  ledger: Ledger,
  options: GlobalOptions & { readonly failed: boolean },
  { host, redactor }: Context,
): Promise<void> {
  const { stdout } = host;
  const tally = ledger.tally();
  const evidence = tally.uncertain > 0 ? await evidenceOf(files, ledger) : undefined;
  const results = readResults(files.plan, files.journal, new Ledger(new Uint8Array(ledger.messages)));
  const exitCode = endings[tally.accepted === ledger.messages ? "accepted" : "incomplete"].exitCode;
  const { started, binding } = header;
  if (options.json) {
    for await (const { message, outcome } of results) {
      if (!options.failed || outcome?.kind !== "accepted")
        stdout.write(jsonLine(recipientJson(message, outcome, redactor)));
    }
    const summary = summaryJson(files.name, tally, exitCode);
    stdout.write(jsonLine({ ...summary, started, baseUrl: binding.baseUrl, mode: binding.mode, evidence }));
    return;
  }
  const paint = await paintFor(stdout.hasColor() && options.color);
  stdout.write(summaryText(files.name, tally, paint));
  stdout.write(`  begun ${started}, ${binding.mode}, at ${visible(binding.baseUrl)}\n`);
  let others = 0;
  const foreign = (text: string) => visible(redactor.redactForeign(text));
  for await (const { message, outcome } of results) {
    if (outcome?.kind === "accepted" || (outcome === undefined && !options.failed)) continue;
    others++;
    if (options.failed || others <= mostShown) stdout.write(`  ${failureLine(message, outcome, foreign)}\n`);
  }
  if (!options.failed && others > mostShown)
    stdout.write(`  and ${others - mostShown} more: --failed lists them\n`);
  if (evidence !== undefined) stdout.write(`  ${evidenceText(evidence, tally.uncertain)}\n`);
}

async function evidenceOf(files: RunFiles, ledger: Ledger): Promise<Evidence> {
  const charges: Charge[] = [];
  await readJournal(files.journal, new Ledger(new Uint8Array(ledger.messages)), (entry) => {
    if (entry.kind === "accepted") charges.push(entry.receipt);
  });
  // No more answers than were in flight can have overtaken each other.
  return weighEvidence(charges, mostInFlight);
}

function evidenceText(evidence: Evidence, uncertain: number): string {
  const of = plural(uncertain, "uncertain message");
  switch (evidence.kind) {
    case "none":
      return `Evidence: the receipts do not tell whether any of ${of} was charged.`;
    case "topped-up":
      return `Evidence: credits came in meanwhile, so the balances do not tell whether any of ${of} was charged.`;
    case "told":
      return evidence.surplus === 0
        ? `Evidence: no balance shows a charge without a receipt. That does not prove that none of ${of} went out.`
        : `Evidence: the balance fell by ${plural(evidence.surplus, "credit")} more than the receipts say. That may be some of ${of}, or another program on this account.`;
  }
}
