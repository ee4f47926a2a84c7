import type { Outcome } from "../../core/outcome.ts";
import { Journal, openJournalFile } from "../../runs/journal.ts";
import { openPace } from "../../delivery/pace.ts";
import { run } from "../../runs/sending.ts";
import { readPlan } from "../../runs/plan.ts";
import { type BegunRun, isDue, readRun, type RunFiles } from "../../runs/runs.ts";
import type { EndingKind, OutcomeKind } from "../../errors.ts";
import type { RunReporter } from "../../output/run-reporter.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { cacheOutcome } from "../../profiles/state.ts";
import { openConnections, reusesConnections } from "../../service/connection.ts";
import { sendFields, wireRequest } from "../../service/request.ts";
import { userAgent } from "../../version.ts";
import type { Context } from "./context.ts";
import type { Destination } from "./destination.ts";

/** How a run is to be sent. */
export interface RunPolicy {
  /** Requests per minute at most. */
  readonly rate: number;
  readonly concurrency: number;
  /** Seconds for one request. */
  readonly timeout: number;
  readonly retries: number;
  /** Infinity for no limit. */
  readonly maxCredits: number;
  /** What is sent again beside what is pending and unsent. */
  readonly retry: readonly Extract<OutcomeKind, "rejected" | "uncertain">[];
}

/** Sends what is left of a run that has begun, whose lock the caller holds, reports it, and gives how it ended. */
export async function carryOutRun(
  files: RunFiles,
  begun: BegunRun,
  destination: Destination,
  policy: RunPolicy,
  context: Context,
  reporter: RunReporter,
): Promise<EndingKind> {
  try {
    const ending = await sendRest(files, begun, destination, policy, context, reporter);
    reporter.ended(files.name, begun.ledger.tally(), ending);
    return ending;
  } catch (error) {
    // What could not be recorded counts as the files have it, since that is what a resume will go by.
    const recorded = await readRun(files).catch(() => undefined);
    reporter.ended(files.name, (recorded ?? begun).ledger.tally(), "fault");
    throw error;
  }
}

async function sendRest(
  files: RunFiles,
  { ledger, journalLength, lastWritten }: BegunRun,
  destination: Destination,
  policy: RunPolicy,
  { host }: Context,
  reporter: RunReporter,
): Promise<EndingKind> {
  const messages = readPlan(files.plan, isDue(ledger, policy.retry));
  const journal = new Journal(openJournalFile(files.journal, journalLength), files.journal);
  let last: Outcome | undefined;
  try {
    const limits = { ...policy, timeout: policy.timeout * 1000 };
    const sending = run(messages, limits, {
      ...host,
      connections: await openConnections(
        destination.address.origin,
        destination.proxy,
        reusesConnections(policy.rate),
      ),
      request: (message) => wireRequest(destination, sendFields(message), userAgent),
      journal,
      ledger,
      pace: openPace(policy.rate, journalLength === 0 ? undefined : lastWritten),
      interruption: host.interruption(),
    });
    let step = await sending.next();
    for (; step.done !== true; step = await sending.next()) {
      if (step.value.kind === "settled" && step.value.outcome.kind === "accepted") last = step.value.outcome;
      reporter.event(step.value, ledger.tally());
    }
    return step.value;
  } finally {
    await journal.close();
    if (last !== undefined && destination.mode !== "sandbox") {
      cacheOutcome(stateFolder(host.environment, host.platform, host.home()), destination, last, host.now());
    }
  }
}
