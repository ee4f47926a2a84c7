import { earlierFingerprint } from "../../profiles/fingerprint.ts";
import type { EndingKind } from "../../errors.ts";
import { type Guard, rulesOf } from "../../guards/guard.ts";
import { type RunNotes, type RunPlan, runPlanText, runPlanView } from "../../output/run-plan.ts";
import { showProgress } from "../../output/run-progress.ts";
import { runSummaryView } from "../../output/run-summary.ts";
import type { Wait } from "../../output/waiting.ts";
import { lastingFingerprint } from "../../profiles/keys.ts";
import { payerOf } from "../../profiles/payer.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { cacheOutcome } from "../../profiles/state.ts";
import type { Due, Retry } from "../../runs/due.ts";
import { carryOutRun, type RunPolicy } from "../../runs/execution.ts";
import type { RunDestination } from "../../runs/header.ts";
import type { Consent, OpenRun } from "../../runs/planning.ts";
import { userAgent } from "../../version.ts";
import { confirmContinuing, confirmRun, sameRunText } from "./confirmation.ts";
import type { Context } from "./context.ts";
import { requireWithin } from "./credit-limit.ts";
import { type Destination, openDestination, planOrigin } from "./destination.ts";
import { requireOpen } from "./guards.ts";
import type { GlobalOptions } from "./options.ts";
import { priceOf } from "./price.ts";
import { type PolicyFlags, runPolicy } from "./run-policy.ts";

/** A command that sends a run, new or resumed. */
export interface RunCommand {
  readonly options: GlobalOptions &
    PolicyFlags & { readonly expect?: "test" | "live"; readonly retry?: Retry; readonly exclude?: string };
  /** Undefined for a run in the sandbox. */
  readonly chosen: ChosenProfile | undefined;
  /** What is waited for until the run is planned; undefined while a person types the recipients. */
  readonly planning: Wait | undefined;
  /** Returns the notes on the input, called once it is read; absent for a run that is resumed. */
  readonly notes?: () => Pick<RunNotes, "leftOut" | "firstLeftOut" | "warnings">;
  readonly guards: readonly Guard[];
}

/** Shows what a run would send. `run` is its name if it was given one. `count` counts it, and throws if it would be refused. */
export function rehearse(
  command: RunCommand,
  run: string | undefined,
  context: Context,
  count: (destination: RunDestination) => Promise<Due>,
): Promise<EndingKind> {
  return withDestination(command, context, async (destination, policy) => {
    const { presenter } = context;
    const due = await presenter.waitFor(command.planning, () => count(runDestination(destination, command.chosen)));
    const plan = { ...planOf(command, due, destination, policy, context), run };
    presenter.show(runPlanView(plan));
    requireWithin(command.options.maxCredits, due.exposure + due.segments);
    requireOpen(command.guards, context.host);
    return "accepted";
  });
}

/** Shows the plan of a run, has it confirmed, sends it and reports it. `open` begins or resumes the run once it is approved. */
export function conduct(
  command: RunCommand,
  context: Context,
  open: (destination: RunDestination, consent: Consent) => Promise<OpenRun>,
): Promise<EndingKind> {
  const { host, presenter } = context;
  const { options, chosen } = command;
  return withDestination(command, context, async (destination, policy) => {
    let approved: RunPlan | undefined;
    const approve = async (due: Due) => {
      const plan = planOf(command, due, destination, policy, context);
      presenter.tell((page) => runPlanText(plan, page));
      requireWithin(options.maxCredits, due.exposure + due.segments);
      requireOpen(command.guards, host);
      if (due.messages > 0) await confirmRun(options, plan, due, host);
      approved = plan;
    };
    // A question has the terminal for itself.
    const consent: Consent = {
      mayContinue: (same) => presenter.waitFor(undefined, () => confirmContinuing(options, same, host)),
      approve: (due) => presenter.waitFor(undefined, () => approve(due)),
    };
    const destined = runDestination(destination, chosen);
    const run = await presenter.waitFor(command.planning, () => open(destined, consent));
    try {
      return await send(run, approved, options.exclude, destination, policy, context);
    } finally {
      run.close();
    }
  });
}

async function withDestination(
  { options, chosen, guards }: RunCommand,
  context: Context,
  use: (destination: Destination, policy: RunPolicy) => Promise<EndingKind>,
): Promise<EndingKind> {
  const destination = await openDestination(options, chosen, context);
  try {
    return await use(destination, { ...runPolicy(options, chosen?.profile, options.retry), guards });
  } finally {
    await destination.close();
  }
}

async function send(
  run: OpenRun,
  plan: RunPlan | undefined,
  exclude: string | undefined,
  destination: Destination,
  policy: RunPolicy,
  { host, presenter, redactor }: Context,
): Promise<EndingKind> {
  const { notes = noNotes, held = new Map(), messages: due = 0 } = plan ?? {};
  const { event, failures, wait } = showProgress(presenter, run.ledger, { due, held: sum(held.values()) }, host.now);
  const { wireLog } = presenter;
  const service = { ...destination, userAgent };
  const observer = { event, wireLog, redact: redactor.redactForeign };
  const result = await presenter.waitFor(wait, () => carryOutRun(run, service, policy, host, observer));
  const { ending, lastAccepted, error } = result;
  const newlyHeld = Object.fromEntries(result.held);
  presenter.show(
    runSummaryView({
      ...result,
      run: run.files.name,
      service: destination.otherService,
      failures,
      notes: { ...notes, leftOut: addCounts(notes.leftOut, newlyHeld) },
      held: sum(held.values()) + sum(result.held.values()),
      exclude: held.has("excluded") ? exclude : undefined,
    }),
  );
  if (lastAccepted !== undefined && destination.mode !== "sandbox") {
    cacheOutcome(stateFolder(host), destination, lastAccepted, host.now());
  }
  if (error !== undefined) throw error;
  return ending;
}

function planOf(
  { notes, guards }: RunCommand,
  due: Due,
  destination: Destination,
  { rate }: RunPolicy,
  { host }: Context,
): RunPlan {
  const { held, firstHeld, same } = due;
  // A command that is given again has read the rows of the messages that are held back.
  const { leftOut, firstLeftOut, warnings } = notes?.() ?? {
    leftOut: Object.fromEntries(held),
    firstLeftOut: firstHeld,
    warnings: [],
  };
  const all = {
    guards: rulesOf(guards),
    leftOut,
    firstLeftOut,
    warnings: [...warnings, ...(same === undefined ? [] : [sameRunText(same, host.now())])],
  };
  const { mode } = destination;
  return { ...due, mode, origin: planOrigin(destination), rate, price: priceOf(destination, host), notes: all };
}

const noNotes: RunNotes = { guards: [], leftOut: {}, firstLeftOut: [], warnings: [] };

/** Adds counts by name. */
function addCounts(some: RunNotes["leftOut"], more: RunNotes["leftOut"]): RunNotes["leftOut"] {
  const names = new Set([...Object.keys(some), ...Object.keys(more)]);
  return Object.fromEntries([...names].map((name) => [name, (some[name] ?? 0) + (more[name] ?? 0)]));
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((total, count) => total + count, 0);
}

/** Returns what a resume of the run must not change. */
function runDestination(destination: Destination, chosen: ChosenProfile | undefined): RunDestination {
  const { address, path, credentials, mode } = destination;
  // Each sandbox has an address of its own, but a run may go on in any of them.
  const baseUrl = mode === "sandbox" ? mode : address.origin + address.basePath;
  const earlierCredentials = earlierFingerprint(credentials);
  const lasting = lastingFingerprint(chosen?.profile, credentials);
  const payer = payerOf(destination, chosen?.profile);
  return { baseUrl, path, credentials: lasting, earlierCredentials, payer, mode };
}
