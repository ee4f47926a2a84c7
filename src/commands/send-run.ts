import { rmdirSync } from "node:fs";
import { fingerprint, type RunBinding } from "../delivery/run-header.ts";
import type { DraftMessage, PlanSummary } from "../delivery/run-plan.ts";
import { checkRunName, lockRun, newRunName, readRun, type RunFiles, runFiles } from "../delivery/runs.ts";
import type { EndingKind } from "../errors.ts";
import { acquireLock } from "../files/lock.ts";
import { humanRunReporter, jsonRunReporter, type RunPlan, type RunReporter } from "../output/run-reporter.ts";
import { plural } from "../output/text.ts";
import { stateFolder } from "../profiles/folders.ts";
import { chooseProfile, loadStore } from "../profiles/resolve.ts";
import { carryOutRun } from "./carry-out-run.ts";
import { confirmRun } from "./confirm-run.ts";
import type { Context } from "./context.ts";
import { type Destination, openDestination } from "./destination.ts";
import { requireWithin } from "./limit.ts";
import { planRun } from "./plan-run.ts";
import { priceOf } from "./price.ts";
import { openRunInputs, type RunNotes } from "./run-inputs.ts";
import { runPolicy } from "./run-policy.ts";
import type { SendOptions } from "./send.ts";
import { sendDefaults } from "./send-request.ts";

/** Plans, shows, confirms and sends a run, or continues the one of that name. Throws for what stops it before it begins. */
export async function sendRun(options: SendOptions, context: Context): Promise<EndingKind> {
  const { host } = context;
  const { environment } = host;
  const chosen = options.sandbox ? undefined : chooseProfile(loadStore(host), environment, options.profile);
  const defaults = chosen === undefined ? {} : sendDefaults(environment, chosen.profile);
  const state = stateFolder(environment, host.platform, host.home());
  const files = runFiles(state, checkRunName(options.run ?? newRunName(host.now(), host.random())));
  const { drafts, notes } = await openRunInputs(options, defaults, host);
  const destination = await openDestination(options, chosen, host);
  try {
    const reporter = await runReporterFor(context, options);
    const policy = runPolicy(options, chosen?.profile);
    const describe = (plan: Pick<PlanSummary, "messages" | "segments">): RunPlan => ({
      run: files.name,
      recipients: plan.messages,
      segments: plan.segments,
      mode: destination.mode,
      rate: policy.rate,
      price: priceOf(destination, host),
      leftOut: leftOutText(notes),
    });
    if (options.dryRun) {
      reporter.planned(describe(await countOnly(drafts)), true);
      return "accepted";
    }
    const lock = await lockRun(files, (path) => acquireLock(path, host.processes));
    try {
      await planRun(files, drafts, bindingOf(destination), host, async (plan) => {
        reporter.planned(describe(plan), false);
        requireWithin(options.maxCredits, plan.segments);
        await confirmRun(options, destination, plan.messages, host);
      });
      const begun = await readRun(files);
      if (begun === undefined) throw new Error("the run that was just planned is gone");
      const ending = await carryOutRun(files, begun, destination, policy, context, reporter.event);
      reporter.ended(files.name, begun.ledger.tally(), ending);
      return ending;
    } finally {
      await lock.release();
      forgetIfEmpty(files);
    }
  } finally {
    await destination.close();
  }
}

/** The reporter of a run for a style. */
export function runReporterFor(
  { host, redactor }: Context,
  options: SendOptions | { json: boolean; quiet: boolean },
): Promise<RunReporter> {
  if (options.json) return Promise.resolve(jsonRunReporter(host, redactor));
  return humanRunReporter(host, redactor, options.quiet);
}

/** What a run is bound to. */
export function bindingOf({ address, path, credentials, mode }: Destination): RunBinding {
  return { baseUrl: address.origin + address.basePath, path, credentials: fingerprint(credentials), mode };
}

/** A run that never began leaves no folder behind. */
function forgetIfEmpty({ folder }: RunFiles): void {
  try {
    rmdirSync(folder);
  } catch {
    // It has begun, or somebody else is beginning it.
  }
}

async function countOnly(
  drafts: AsyncIterable<DraftMessage>,
): Promise<{ messages: number; segments: number }> {
  const count = { messages: 0, segments: 0 };
  for await (const { segments } of drafts) {
    count.messages++;
    count.segments += segments;
  }
  return count;
}

function leftOutText({ skipped, firstSkipped, unassigned, replaced }: RunNotes): readonly string[] {
  const counts = Object.entries(skipped).filter(([, count]) => count > 0);
  return [
    ...counts.map(([why, count]) => `${count} ${why}`),
    ...firstSkipped,
    ...(unassigned > 0
      ? [`not left out: ${plural(unassigned, "number")} in no range known to be in use`]
      : []),
    ...(replaced > 0 ? [`look-alikes replaced in ${plural(replaced, "text")}`] : []),
  ];
}
