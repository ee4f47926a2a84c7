import type { Failure } from "../../core/outcome.ts";
import type { EndingKind } from "../../errors.ts";
import { resumeCommand } from "../../output/next-steps.ts";
import { type RunNotes, runPlanText, runPlanView } from "../../output/run-plan.ts";
import { showProgress } from "../../output/run-progress.ts";
import { runSummaryView } from "../../output/run-summary.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { cacheOutcome } from "../../profiles/state.ts";
import type { Due } from "../../runs/due.ts";
import { recordSummary, type RunPolicy } from "../../runs/execution.ts";
import type { RunDestination } from "../../runs/header.ts";
import type { Consent, OpenRun } from "../../runs/planning.ts";
import { carryOutStages, type FirstStage } from "../../runs/stages.ts";
import { userAgent } from "../../version.ts";
import { confirmContinuing, confirmRun } from "./confirmation.ts";
import type { Context } from "./context.ts";
import { requireWithin } from "./credit-limit.ts";
import { type Destination, openDestination } from "./destination.ts";
import { stopAfterFirst } from "./first-stage.ts";
import { requireOpen } from "./guards.ts";
import { type PreparedRun, prepareRun, type RunCommand } from "./prepared-run.ts";
import { runDestination } from "./run-destination.ts";
import { runPolicy } from "./run-policy.ts";

/** Shows what a run would send. `run` is its name if it was given one. `count` counts it, and throws if it would be refused. */
export function showPlan(
  command: RunCommand,
  run: string | undefined,
  context: Context,
  count: (destination: RunDestination) => Promise<Due>,
): Promise<EndingKind> {
  return withDestination(command, context, async (destination, policy) => {
    const { presenter, host } = context;
    const due = await presenter.waitFor(command.planning, () => count(runDestination(destination, command.chosen)));
    const prepared = await prepareRun(command, due, destination, policy, context);
    presenter.show(runPlanView({ ...prepared.plan, run }));
    if (due.messages > 0) requireSendable(due, prepared, command.options, host);
    return "accepted";
  });
}

/** Shows the plan of a run, has it confirmed, sends it and reports it. `open` begins or resumes the run once it is approved. */
export function confirmAndSend(
  command: RunCommand,
  context: Context,
  open: (destination: RunDestination, consent: Consent) => Promise<OpenRun>,
): Promise<EndingKind> {
  const { host, presenter } = context;
  const { options, chosen } = command;
  return withDestination(command, context, async (destination, policy) => {
    let approved: PreparedRun | undefined;
    const approve = async (due: Due) => {
      const prepared = await prepareRun(command, due, destination, policy, context);
      const { plan, terms } = prepared;
      presenter.tell((page) => runPlanText(plan, page));
      // What was charged before stops nothing if nothing is left to send.
      if (due.messages > 0) {
        requireSendable(due, prepared, options, host);
        await confirmRun(options, plan, due, host);
      }
      approved = prepared;
      return terms;
    };
    // A question has the terminal for itself.
    const consent: Consent = {
      mayContinue: (same) => presenter.waitFor(undefined, () => confirmContinuing(options, same, host)),
      approve: (due) => presenter.waitFor(undefined, () => approve(due)),
    };
    const destined = runDestination(destination, chosen);
    const run = await presenter.waitFor(command.planning, () => open(destined, consent));
    try {
      return await send(run, approved, options, destination, policy, context);
    } finally {
      run.close();
    }
  });
}

/** Throws an error of kind `limit` if what is due could cost more than `--max-credits`, or if the hours are closed. */
function requireSendable(
  due: Due,
  { hours, resume }: PreparedRun,
  { maxCredits }: RunCommand["options"],
  host: Context["host"],
): void {
  requireWithin(maxCredits, due.segments, due.exposure);
  requireOpen(hours, due.began === undefined ? "the same command" : `\`${resume}\``, host);
}

async function withDestination(
  { options, chosen, guards }: RunCommand,
  context: Context,
  use: (destination: Destination, policy: RunPolicy) => Promise<EndingKind>,
): Promise<EndingKind> {
  const destination = await openDestination(options, chosen, context);
  try {
    return await use(destination, { ...runPolicy(options, chosen, options.retry), guards });
  } finally {
    await destination.close();
  }
}

async function send(
  run: OpenRun,
  approved: PreparedRun | undefined,
  options: RunCommand["options"],
  destination: Destination,
  policy: RunPolicy,
  context: Context,
): Promise<EndingKind> {
  const { host, presenter, redactor } = context;
  const { notes = noNotes, heldDue: held = 0, messages: due = 0 } = approved?.plan ?? {};
  const { accepted: acceptedBefore } = run.ledger.tally();
  let { resume = resumeCommand(run.files.name, options) } = approved ?? {};
  const { event, failures, wait } = showProgress(presenter, run.ledger, { due, held }, host.now);
  const { wireLog } = presenter;
  const service = { ...destination, userAgent };
  const observer = { event, wireLog, redact: redactor.redactForeign };
  const all = { ...policy, guards: [...policy.guards, ...(approved?.hours ?? [])] };
  const stopAfter = (stage: FirstStage) => {
    if (!stage.charge.isAsEstimated) resume += " --accept-price";
    return stopAfterFirst(stage, resume, options, context);
  };
  const result = await presenter.waitFor(wait, () => carryOutStages(run, service, all, host, observer, stopAfter));
  const { ending, lastAccepted, error } = result;
  const newlyHeld = Object.fromEntries(result.held);
  const stopped = result.stopped && withCommand(result.stopped, resume);
  // The summary has it in its other forms.
  if (options.quiet && !options.json && stopped) presenter.trace(`Stopping: ${stopped.error}`);
  if (error instanceof Error && ending === "accepted") {
    presenter.warn(`run ${run.files.name} is not recorded to its end: ${error.message}`);
  }
  presenter.show(
    runSummaryView({
      ...result,
      stopped,
      run: run.files.name,
      due,
      acceptedNow: result.tally.accepted - acceptedBefore,
      mode: destination.mode,
      isSandbox: destination.isSandbox,
      service: destination.otherService,
      failures,
      notes: { ...notes, leftOut: addCounts(notes.leftOut, newlyHeld) },
      held: held + sum(result.held.values()),
      resume,
    }),
  );
  if (lastAccepted !== undefined && destination.mode !== "sandbox") {
    cacheOutcome(stateFolder(host), destination, lastAccepted, host.now());
  }
  if (error !== undefined) {
    if (ending !== "accepted") throw error;
    return ending;
  }
  // What is shown twice costs nothing; a list that counts as ended too early is sent twice.
  if ((due > 0 || !run.ledger.hasSummary) && (await presenter.hasWritten())) await endRun(run, presenter);
  return ending;
}

async function endRun(run: OpenRun, { trace }: Context["presenter"]): Promise<void> {
  try {
    await recordSummary(run);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    trace(`Warning: for a day, the same list counts as unfinished: ${why}`);
  }
}

/** Adds the command to type at the next opening, with which the sentence of a stop at closing time ends. */
function withCommand(stopped: Failure, resume: string): Failure {
  if (stopped.errorCode !== "OUTSIDE_HOURS") return stopped;
  return { ...stopped, error: `${stopped.error}: type \`${resume}\` then` };
}

const noNotes: RunNotes = { guards: [], leftOut: {}, firstLeftOut: [], warnings: [] };

function addCounts(some: RunNotes["leftOut"], more: RunNotes["leftOut"]): RunNotes["leftOut"] {
  const names = new Set([...Object.keys(some), ...Object.keys(more)]);
  return Object.fromEntries([...names].map((name) => [name, (some[name] ?? 0) + (more[name] ?? 0)]));
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((total, count) => total + count, 0);
}
