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
import type { RunPolicy } from "../../runs/execution.ts";
import type { RunDestination, RunTerms } from "../../runs/header.ts";
import type { Consent, OpenRun } from "../../runs/planning.ts";
import { carryOutStages, type FirstStage } from "../../runs/stages.ts";
import { userAgent } from "../../version.ts";
import { confirmContinuing, confirmRun, sameRunText } from "./confirmation.ts";
import type { Context } from "./context.ts";
import { requireWithin } from "./credit-limit.ts";
import { type Destination, openDestination, planOrigin } from "./destination.ts";
import { type FirstFlags, stopAfterFirst } from "./first-stage.ts";
import { requireOpen } from "./guards.ts";
import type { HourFlags } from "./hours.ts";
import type { GlobalOptions } from "./options.ts";
import { priceOf } from "./price.ts";
import { type PolicyFlags, runPolicy } from "./run-policy.ts";
import { termsInForce } from "./run-terms.ts";

/** A command that sends a run, new or resumed. */
export interface RunCommand {
  readonly options: GlobalOptions &
    PolicyFlags &
    HourFlags &
    FirstFlags & { readonly expect?: "test" | "live"; readonly retry?: Retry; readonly exclude?: string };
  /** Undefined for a run in the sandbox. */
  readonly chosen: ChosenProfile | undefined;
  /** What is waited for until the run is planned; undefined while a person types the recipients. */
  readonly planning: Wait | undefined;
  /** Returns the notes on the input, called once it is read; absent for a run that is resumed. */
  readonly notes?: () => Pick<RunNotes, "leftOut" | "firstLeftOut" | "warnings">;
  readonly guards: readonly Guard[];
  /** What a rehearsal sends instead, in words; called once the input is read. */
  readonly rehearsal?: (() => string) | undefined;
}

/** Shows what a run would send. `run` is its name if it was given one. `count` counts it, and throws if it would be refused. */
export function rehearse(
  command: RunCommand,
  run: string | undefined,
  context: Context,
  count: (destination: RunDestination) => Promise<Due>,
): Promise<EndingKind> {
  return withDestination(command, context, async (destination, policy) => {
    const { presenter, host } = context;
    const due = await presenter.waitFor(command.planning, () => count(runDestination(destination, command.chosen)));
    const { plan, hours } = await prepare(command, due, destination, policy, context);
    presenter.show(runPlanView({ ...plan, run }));
    requireWithin(command.options.maxCredits, due.exposure + due.segments);
    requireOpen(hours, commandFor(due), host);
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
    let approved: Prepared | undefined;
    const approve = async (due: Due) => {
      const prepared = await prepare(command, due, destination, policy, context);
      const { plan, hours, terms } = prepared;
      presenter.tell((page) => runPlanText(plan, page));
      requireWithin(options.maxCredits, due.exposure + due.segments);
      if (due.messages > 0) {
        requireOpen(hours, commandFor(due), host);
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
  approved: Prepared | undefined,
  options: RunCommand["options"],
  destination: Destination,
  policy: RunPolicy,
  context: Context,
): Promise<EndingKind> {
  const { host, presenter, redactor } = context;
  const { notes = noNotes, held = new Map(), messages: due = 0 } = approved?.plan ?? {};
  const { event, failures, wait } = showProgress(presenter, run.ledger, { due, held: sum(held.values()) }, host.now);
  const { wireLog } = presenter;
  const service = { ...destination, userAgent };
  const observer = { event, wireLog, redact: redactor.redactForeign };
  const all = { ...policy, guards: [...policy.guards, ...(approved?.hours ?? [])] };
  const stopAfter = (stage: FirstStage) => stopAfterFirst(stage, run.files.name, options, context);
  const result = await presenter.waitFor(wait, () => carryOutStages(run, service, all, host, observer, stopAfter));
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
      exclude: held.has("excluded") ? options.exclude : undefined,
    }),
  );
  if (lastAccepted !== undefined && destination.mode !== "sandbox") {
    cacheOutcome(stateFolder(host), destination, lastAccepted, host.now());
  }
  if (error !== undefined) throw error;
  return ending;
}

/** A run that a person can say yes to. */
interface Prepared {
  readonly plan: RunPlan;
  readonly hours: readonly Guard[];
  readonly terms: RunTerms;
}

async function prepare(
  { options, chosen, notes, guards, rehearsal }: RunCommand,
  due: Due,
  destination: Destination,
  { rate }: RunPolicy,
  { host }: Context,
): Promise<Prepared> {
  const price = priceOf(destination, host);
  const { hours, rules, terms } = await termsInForce(options, due.began, chosen, destination, price, host);
  const { held, firstHeld, same } = due;
  // A command that is given again has read the rows of the messages that are held back.
  const { leftOut, firstLeftOut, warnings } = notes?.() ?? {
    leftOut: Object.fromEntries(held),
    firstLeftOut: firstHeld,
    warnings: [],
  };
  const all = {
    guards: [...(rehearsal === undefined ? [] : [rehearsal()]), ...rulesOf(guards), ...rules],
    leftOut,
    firstLeftOut,
    warnings: [...warnings, ...(same === undefined ? [] : [sameRunText(same, host.now())])],
  };
  const { mode } = destination;
  const plan = { ...due, mode, origin: planOrigin(destination), rate, price, notes: all };
  return { plan, hours, terms: rehearsal === undefined ? terms : { ...terms, isRehearsal: true } };
}

/** Returns the command that sends a run later, in words. */
function commandFor({ run, began }: Due): string {
  return began === undefined ? "the same command" : `\`sms runs resume ${run}\``;
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
