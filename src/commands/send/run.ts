import { rmdirSync } from "node:fs";
import { fingerprint, type RunBinding } from "../../runs/header.ts";
import type { DraftMessage, PlanSummary } from "../../runs/plan.ts";
import { checkRunName, lockRun, newRunName, readRun, type RunFiles, runFiles } from "../../runs/runs.ts";
import { type EndingKind, interruption } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { acquireLock } from "../../files/lock.ts";
import {
  humanRunReporter,
  jsonRunReporter,
  type RunPlan,
  type RunReporter,
} from "../../output/run-reporter.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { carryOutRun } from "../shared/carry-out.ts";
import { confirmRun } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import { type Destination, openDestination } from "../shared/destination.ts";
import { requireWithin } from "../shared/credit-limit.ts";
import { planRun, rehearseRun } from "../../runs/planning.ts";
import { priceOf } from "../shared/price.ts";
import { openRunInputs } from "./inputs.ts";
import { leftOutTexts, warningTexts } from "./notes.ts";
import { runPolicy } from "../shared/run-policy.ts";
import type { SendOptions } from "./definition.ts";
import { sendDefaults } from "./request.ts";

/** Plans, shows, confirms and sends a run, or continues the one of that name. Throws for what stops it before it begins. */
export async function sendRun(options: SendOptions, context: Context): Promise<EndingKind> {
  const { host } = context;
  const { environment } = host;
  const chosen = options.sandbox ? undefined : chooseProfile(loadStore(host), environment, options.profile);
  const defaults = chosen === undefined ? {} : sendDefaults(environment, chosen.profile);
  const state = stateFolder(environment, host.platform, host.home());
  const files = runFiles(state, checkRunName(options.run ?? newRunName(host.now(), host.random())));
  const { drafts, notes } = await openRunInputs(options, defaults, host);
  const destination = await openDestination(options, chosen, context);
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
      leftOut: leftOutTexts(notes),
      warnings: warningTexts(notes),
    });
    const binding = bindingOf(destination);
    if (options.dryRun) {
      const due = await rehearseRun(files, drafts, binding);
      reporter.planned(describe(due), true);
      requireWithin(options.maxCredits, due.exposure + due.segments);
      return "accepted";
    }
    const lock = await lockRun(files, (path) => acquireLock(path, host.processes));
    try {
      await planRun(files, untilStopped(drafts, host), binding, host, async (due) => {
        reporter.planned(describe(due), false);
        requireWithin(options.maxCredits, due.exposure + due.segments);
        if (due.messages > 0) await confirmRun(options, destination, due.messages, host);
      });
      const begun = await readRun(files);
      if (begun === undefined) throw new Error("the run that was just planned is gone");
      return await carryOutRun(files, begun, destination, policy, context, reporter);
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
  // Each sandbox has an address of its own, and they are all the same to a run.
  const baseUrl = mode === "sandbox" ? mode : address.origin + address.basePath;
  return { baseUrl, path, credentials: fingerprint(credentials), mode };
}

/** A run that never began leaves no folder behind. */
function forgetIfEmpty({ folder }: RunFiles): void {
  try {
    rmdirSync(folder);
  } catch {
    // It has begun, or somebody else is beginning it.
  }
}

/** The same until somebody stops us: then a plan that is half written is thrown away with the error. */
async function* untilStopped(drafts: AsyncIterable<DraftMessage>, host: Host): AsyncGenerator<DraftMessage> {
  const { stop } = host.interruption();
  for await (const draft of drafts) {
    if (stop.aborted) throw interruption(stop, "unsent", "interrupted before anything was sent");
    yield draft;
  }
}
