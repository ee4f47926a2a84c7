import type { Failure } from "../../message/outcome.ts";
import { type EndingKind, usageError } from "../../errors.ts";
import { type Guard, rulesOf } from "../../guards/guard.ts";
import type { Host } from "../../host.ts";
import { type KnownPrice, plural } from "../../output/text.ts";
import type { Wait } from "../../output/waiting.ts";
import { payerOf } from "../../profiles/payer.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { lastingFingerprint } from "../../profiles/keys.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import { cacheOutcome } from "../../profiles/state.ts";
import type { Due, Retry } from "../../runs/due.ts";
import { carryOutStages, type FirstStage, recordSummary, type RunPolicy } from "../../runs/execution.ts";
import { type FirstMessages, runChanged, type RunDestination, type RunTerms } from "../../record/header.ts";
import type { Consent, OpenRun } from "../../runs/planning.ts";
import { userAgent } from "../../version.ts";
import { confirmContinuing, confirmRun, type FirstFlags, sameRunText, stopAfterFirst } from "./confirmation.ts";
import type { Context } from "../shared/context.ts";
import { type Destination, openDestination, planOrigin, priceOf } from "../shared/destination.ts";
import { requireOpen, requireWithin } from "../shared/guards.ts";
import { anyTime, type HourFlags, hoursOf } from "../shared/hours.ts";
import { tierRates } from "../shared/option-values.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { type RunNotes, type RunPlan, runPlanText, runPlanView } from "./plan-view.ts";
import { showProgress } from "./progress.ts";
import { resumeCommand, runSummaryView } from "./summary-view.ts";

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

/** The credits of a sandbox for a run: a rehearsal must not run out of them. */
const endless = 1_000_000_000;

async function withDestination(
  { options, chosen, guards }: RunCommand,
  context: Context,
  use: (destination: Destination, policy: RunPolicy) => Promise<EndingKind>,
): Promise<EndingKind> {
  const destination = await openDestination(options, chosen, context, endless);
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

/** A command that sends a run, new or resumed. */
interface RunCommand {
  readonly options: GlobalOptions &
    PolicyFlags &
    HourFlags &
    FirstFlags & {
      readonly expect?: "test" | "live";
      readonly retry?: Retry;
      readonly exclude?: string;
      readonly again?: true;
    };
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

/** A run that a person can agree to. */
interface PreparedRun {
  readonly plan: RunPlan;
  /** When it may be sent. */
  readonly hours: readonly Guard[];
  /** What a new run begins with. */
  readonly terms: RunTerms;
  /** The command that sends the rest of it. */
  readonly resume: string;
}

/** Returns what a run would send, and when, for a person to agree to. */
async function prepareRun(
  { options, chosen, notes, guards, rehearsal }: RunCommand,
  due: Due,
  destination: Destination,
  { rate }: RunPolicy,
  { host }: Context,
): Promise<PreparedRun> {
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
  const { mode, isSandbox } = destination;
  const plan = { ...due, mode, isSandbox, origin: planOrigin(destination), rate, price, notes: all };
  const { profile, exclude, between } = options;
  const resume = resumeCommand(due.run, {
    profile,
    exclude: held.has("excluded") ? exclude : undefined,
    // A run keeps the hours that it began with; --between any is for one command.
    between: due.began !== undefined || between === anyTime ? between : undefined,
  });
  return { plan, hours, terms: rehearsal === undefined ? terms : { ...terms, isRehearsal: true }, resume };
}

/** What applies to a run besides its messages. */
interface TermsInForce {
  /** When it may be sent. */
  readonly hours: readonly Guard[];
  /** The same and the first messages in words, for the plan. */
  readonly rules: readonly string[];
  /** What a new run begins with. */
  readonly terms: RunTerms;
}

/**
 * Returns the terms of a run by the flags and the profile, and by what it `began` with. Throws `RUN_CHANGED` for another
 * --first.
 */
async function termsInForce(
  flags: HourFlags & FirstFlags & Pick<GlobalOptions, "profile">,
  began: RunTerms | undefined,
  chosen: ChosenProfile | undefined,
  { mode }: Destination,
  price: KnownPrice | undefined,
  host: Host,
): Promise<TermsInForce> {
  const { profile } = flags;
  const { guards, between } = await hoursOf(flags, began?.between, chosen, mode, host);
  const first = began === undefined ? firstOf(flags, price) : firstAgain(flags, began);
  const rule = first && `--first: ${plural(first.count, "message")}, then their charge is compared with the estimate`;
  return {
    hours: guards,
    rules: [...rulesOf(guards), ...(rule === undefined ? [] : [rule])],
    terms: { ...(first && { first }), ...(between && { between }), ...(profile !== undefined && { profile }) },
  };
}

function firstOf({ first }: FirstFlags, price: KnownPrice | undefined): FirstMessages | undefined {
  return first === undefined ? undefined : { count: first, ...(price && { kesPerCredit: price.kesPerCredit }) };
}

/** Returns the first messages of a run that has begun: on a resume the same are the first. */
function firstAgain({ first, acceptPrice }: FirstFlags, began: RunTerms): FirstMessages | undefined {
  if (first !== undefined && first !== began.first?.count) {
    throw runChanged(`the run began ${began.first ? `with --first ${began.first.count}` : "without --first"}`);
  }
  if (acceptPrice && began.first === undefined) {
    throw usageError("INVALID_OPTION", "--accept-price is for a run that began with --first", "leave it out");
  }
  return began.first;
}

/** The flags that say how a run is sent. */
export interface PolicyFlags {
  readonly rate?: number;
  readonly concurrency?: number;
  /** Seconds for one request. */
  readonly timeout: number;
  readonly retries: number;
  readonly maxCredits?: number;
}

/**
 * Requests in flight at most by default. The professional tier needs 10 against a service 100 ms away over https, where a new
 * connection and its request take three round trips.
 */
const defaultConcurrency = 16;

/**
 * Returns how a run is sent, by the flags, else the profile; `chosen` is undefined for a sandbox, where no rate is kept unless
 * one is given.
 */
function runPolicy(
  flags: PolicyFlags,
  chosen: ChosenProfile | undefined,
  retry: Retry = [],
): Omit<RunPolicy, "guards"> {
  const { rate, concurrency = defaultConcurrency, timeout, retries, maxCredits = Infinity } = flags;
  return {
    rate: rate ?? (chosen === undefined ? Infinity : (chosen.profile?.defaults.rate ?? tierRates.free)),
    concurrency,
    timeout: timeout * 1000,
    retries,
    maxCredits,
    retry,
  };
}

/** Returns what a resume of the run, or the same key of `--once` again, must not change. */
export function runDestination(destination: Destination, chosen: ChosenProfile | undefined): RunDestination {
  const { address, path, credentials, mode } = destination;
  // Each sandbox has an address of its own, but a run may go on in any of them.
  const baseUrl = mode === "sandbox" ? mode : address.origin + address.basePath;
  const lasting = lastingFingerprint(chosen?.profile, credentials);
  const payer = payerOf(destination, chosen?.profile);
  return { baseUrl, path, credentials: lasting, payer, mode };
}
