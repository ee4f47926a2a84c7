import { tierRates } from "./limits.ts";
import { isLive } from "../service/credentials.ts";
import type { EndingKind } from "../errors.ts";
import type { Host } from "../host.ts";
import { type Guard, rulesOf } from "../guards/guard.ts";
import type { Sample } from "../record/plan.ts";
import { type Gate, openGate } from "../guards/gate.ts";
import { profileOption } from "../words/shell-word.ts";
import type { Wait } from "../terminal/waiting.ts";
import { lastingPayerId, payerOf } from "../profiles/payer.ts";
import { type ChosenProfile, profilesByBaseUrl } from "../profiles/resolve.ts";
import type { Due } from "./due.ts";
import { carryOutRun, recordSummary } from "./execution.ts";
import type { RunDestination, RunTerms } from "../record/header.ts";
import type { Consent, OpenRun } from "./planning.ts";
import { userAgent } from "../version.ts";
import { confirmContinuing, confirmRun, laterText, requireNew, type RunOptions, sameRunText } from "./approval.ts";
import type { Context } from "../terminal/context.ts";
import { accountOf, type Destination, openDestination, planOrigin } from "./destination.ts";
import { noteOutcome } from "../profiles/record.ts";
import { type OpenGuards, requireAllowed, warnOfSpending } from "../guards/open.ts";
import { type RunNotes, leftOutTexts, type RunPlan, runPlanText, runPlanView } from "./views/run-plan.ts";
import { showProgress } from "./views/run-progress.ts";
import { leftText, nobodyText, nobodyView, resumeCommand, runSummaryView } from "./views/run-summary.ts";

interface RunCommand {
  readonly name: string | undefined;
  readonly options: RunOptions;
  /** Undefined for a run in the sandbox. */
  readonly chosen: ChosenProfile | undefined;
  readonly guards: OpenGuards;
  /** Whether all recipients were typed in the command itself. */
  readonly isTyped?: boolean;
  /** What is waited for until the run is planned; undefined while a person types the recipients. */
  readonly planning: Wait | undefined;
  /** Returns the notes on the input, called once it is read; absent for a run that is resumed. */
  readonly notes?: () => Omit<RunNotes, "guards">;
  /** What a rehearsal sends instead, in words; called once the input is read. */
  readonly rehearsal?: (() => string) | undefined;
}

interface RunSteps {
  /** Counts what would be sent, and throws if it would be refused; given for a dry run. */
  readonly preview?: ((destination: RunDestination) => Promise<Due>) | undefined;
  /** Begins or resumes the run once it is approved. Returns undefined if there is nobody to send to. */
  readonly open: (destination: RunDestination, consent: Consent) => Promise<OpenRun | undefined>;
}

/** The credits of a sandbox for a run: a rehearsal must not run out of them. */
const endless = 1_000_000_000;

/** Shows the plan of a run, has it confirmed, sends it and reports it; a dry run only shows it. */
export async function planAndSend(
  command: RunCommand,
  context: Context,
  { preview, open }: RunSteps,
): Promise<EndingKind> {
  const { options, chosen, planning, isTyped = false } = command;
  const { host, presenter } = context;
  const service = await openDestination({ expect: options.expect, chosen }, context, endless);
  const { baseUrl, credentials } = service.sources;
  const isOfProfile = baseUrl === "profile" && credentials === "profile";
  const destination = {
    ...runDestination(service, chosen),
    ...(isOfProfile && { profiles: profilesByBaseUrl(host) }),
  };
  let approved: PreparedRun | undefined;
  const approve = async (due: Due) => {
    requireNew(options, due, host);
    // Without --yes the question says who was sent to later.
    approved = await prepareRun(command, { due: options.yes ? due : { ...due, later: undefined }, service }, host);
    const { plan, terms, requireSendable } = approved;
    presenter.tell((page) => runPlanText(plan, page));
    // What was charged before stops nothing if nothing is left to send.
    if (due.messages > 0) {
      await requireSendable();
      await confirmRun(options, { plan, due, isTyped }, host);
    }
    return terms;
  };
  // A question has the terminal for itself.
  const consent: Consent = {
    mayContinue: (same) => presenter.waitFor(undefined, () => confirmContinuing(options, same, host)),
    approve: (due) => presenter.waitFor(undefined, () => approve(due)),
  };
  try {
    if (preview !== undefined) {
      const due = await presenter.waitFor(planning, () => preview(destination));
      const { plan, requireSendable } = await prepareRun(command, { due, service }, host);
      presenter.show(runPlanView({ ...plan, run: command.name }));
      if (due.messages > 0) await requireSendable();
      return "accepted";
    }
    const run = await presenter.waitFor(planning, () => open(destination, consent));
    if (run === undefined) {
      const { warnings = [], leftOut = {}, firstLeftOut = [] } = command.notes?.() ?? {};
      for (const text of [...warnings, ...leftOutTexts({ leftOut, firstLeftOut })]) presenter.warn(text);
      if (options.quiet && !options.json) presenter.trace(nobodyText);
      presenter.show(nobodyView(leftOut));
      return "accepted";
    }
    try {
      if (approved === undefined) throw new Error("a run was opened that nobody approved");
      return await send(run, approved, { command, service, context });
    } finally {
      await run.held.release();
    }
  } finally {
    await service.close();
  }
}

async function send(
  run: OpenRun,
  { plan, guards, resume }: PreparedRun,
  {
    command,
    service,
    context,
  }: { readonly command: RunCommand; readonly service: Destination; readonly context: Context },
): Promise<EndingKind> {
  const { host, presenter, redactor } = context;
  const { options } = command;
  const { notes, heldDue: held, messages: due } = plan;
  const { accepted: acceptedBefore } = run.ledger.tally();
  const { event, failures, wait } = showProgress(presenter, { ledger: run.ledger, messages: { due, held } }, host.now);
  const gate = openGate(guards, host.wallClock);
  const policy = runPolicy(command, gate);
  const observer = { event, wireLog: presenter.wireLog, redact: redactor.redactForeign };
  const result = await presenter.waitFor(wait, () =>
    carryOutRun(run, { service: { ...service, userAgent }, policy, host }, observer),
  );
  const { ending, lastAccepted, stopped, error } = result;
  const leftOut: Record<string, number> = { ...notes.leftOut };
  for (const [rule, count] of result.held) leftOut[rule] = (leftOut[rule] ?? 0) + count;
  if (error instanceof Error && ending === "accepted") {
    presenter.warn(`run ${run.header.name} is not recorded to its end: ${error.message}`);
  }
  const { mode, isSandbox, otherService } = service;
  const summary = {
    ...result,
    run: run.header.name,
    due,
    acceptedNow: result.tally.accepted - acceptedBefore,
    mode,
    isSandbox,
    service: otherService,
    failures,
    notes: { ...notes, leftOut },
    held: [...result.held.values()].reduce((total, count) => total + count, held),
    resume,
    show: `sms runs show ${run.header.name}${profileOption(options.profile)}`,
  };
  if (options.quiet && !options.json) {
    if (stopped !== undefined) presenter.trace(`Stopping: ${stopped.error}`);
    const left = leftText(summary);
    if (left !== undefined) presenter.trace(left);
  }
  presenter.show(runSummaryView(summary));
  if (lastAccepted !== undefined && mode !== "sandbox") {
    await warnOfSpending(guards, result.tally.newBalance, presenter);
    await noteOutcome(service, lastAccepted, { host, chosen: command.chosen });
  }
  if (error !== undefined && ending !== "accepted") throw error;
  // What is shown twice costs nothing; a list that counts as ended too early is sent twice.
  const hasEnded = error === undefined && (due > 0 || !run.ledger.hasSummary);
  if (!hasEnded || !(await presenter.hasWritten())) return ending;
  try {
    await recordSummary(run, host.now());
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    presenter.trace(`Warning: for a day, the same list counts as unfinished: ${why}`);
  }
  return ending;
}

/** A run that a person can agree to. */
interface PreparedRun {
  readonly plan: RunPlan;
  readonly guards: readonly Guard[];
  readonly terms: RunTerms;
  /** The command that sends the rest of it. */
  readonly resume: string;
  /** Throws an error of kind `limit` if the guards do not allow what is due. */
  readonly requireSendable: () => Promise<void>;
}

/** Returns what a run would send, and when, for a person to agree to. */
async function prepareRun(
  command: RunCommand,
  { due, service }: { readonly due: Due; readonly service: Destination },
  host: Host,
): Promise<PreparedRun> {
  const { options, chosen, rehearsal } = command;
  const { profile, exclude, between, wait } = options;
  const { began, held, firstHeld, later, same } = due;
  const { mode, isSandbox } = service;
  const { price, balance } = await accountOf(service, host, chosen);
  const { guards, terms } = await command.guards.at(service, began?.guards);
  // A command that is given again has read the rows of the messages that are held back.
  const { leftOut, firstLeftOut, warnings, clean } = command.notes?.() ?? {
    leftOut: Object.fromEntries(held),
    firstLeftOut: firstHeld,
    warnings: [],
    clean: undefined,
  };
  const notes = {
    guards: [...(rehearsal === undefined ? [] : [rehearsal()]), ...(await rulesOf(guards))],
    leftOut,
    firstLeftOut,
    clean,
    warnings: [
      ...warnings,
      ...(same === undefined ? [] : [sameRunText(same, host.now())]),
      ...(later === undefined ? [] : [laterText(later)]),
    ],
  };
  const resume = resumeCommand(due.run, {
    profile,
    exclude: held.has("excluded") ? exclude : undefined,
    // A run keeps the hours that it began with; --between any is for one command.
    between: began !== undefined || terms["hours"] === undefined ? between : undefined,
  });
  return {
    plan: {
      ...due,
      mode,
      isSandbox,
      origin: planOrigin(service),
      rate: rateOf(command),
      price,
      balance: isLive(mode) ? balance : undefined,
      fitToday: await fittingToday(guards, due.sample.order),
      notes,
    },
    guards,
    terms: {
      ...(Object.keys(terms).length > 0 && { guards: terms }),
      ...(profile !== undefined && { profile }),
      ...(rehearsal !== undefined && { isRehearsal: true }),
      ...(isSandbox && { isSandbox: true }),
    },
    resume,
    requireSendable: () => {
      const { segments, exposure, sample } = due;
      const [first = 1, longest = first] = [sample.first?.segments, sample.longest?.segments];
      return requireAllowed(guards, { segments, exposure, first, longest, wait }, host);
    },
  };
}

/** Returns how many messages of a plan fit today; undefined if no guard limits that. */
async function fittingToday(guards: readonly Guard[], order: Sample["order"]): Promise<number | undefined> {
  const counts = await Promise.all(guards.flatMap(({ fitting }) => fitting?.(order) ?? []));
  return counts.length === 0 ? undefined : Math.min(...counts);
}

/**
 * Requests in flight: one at first, so that what stops a run at once has cost one message. At the professional tier 64 are enough
 * for a service that takes two seconds.
 */
const inFlight = { first: 1, most: 64 };

function runPolicy(command: RunCommand, gate: Gate) {
  const { timeout, retries, maxCredits = Infinity, retry = [], wait } = command.options;
  const time = { kind: "per-request", ms: timeout * 1000 } as const;
  const guards = command.guards.ofRows;
  return { rate: rateOf(command), inFlight, time, retries, maxCredits, retry, wait, guards, gate };
}

/** Returns the requests a minute, by the option, else the profile; a sandbox keeps no rate unless one is given. */
function rateOf({ options, chosen }: Pick<RunCommand, "options" | "chosen">): number {
  return options.rate ?? (chosen === undefined ? Infinity : (chosen.profile?.defaults.rate ?? tierRates.free));
}

/** Returns what a resume of the run, or the same key of `--once` again, must not change. */
export function runDestination(destination: Destination, chosen: ChosenProfile | undefined): RunDestination {
  const { address, path, credentials, mode } = destination;
  const payer = payerOf(destination, chosen?.profile);
  // Each sandbox has an address of its own, but a run may go on in any of them.
  if (mode === "sandbox") return { baseUrl: mode, path, credentials: mode, payer, mode };
  const lasting = lastingPayerId(address, credentials, chosen?.profile);
  return { baseUrl: address.origin + address.basePath, path, credentials: lasting, payer, mode };
}
