import type { EndingKind } from "../../errors.ts";
import { type RunNotes, type RunPlan, runPlanText, runPlanView } from "../../output/run-plan.ts";
import { showProgress } from "../../output/run-progress.ts";
import { runSummaryView } from "../../output/run-summary.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import { cacheOutcome } from "../../profiles/state.ts";
import type { Due, Retry } from "../../runs/due.ts";
import { carryOutRun, type RunPolicy } from "../../runs/execution.ts";
import { fingerprint, type RunBinding } from "../../runs/header.ts";
import type { Approve, OpenRun } from "../../runs/planning.ts";
import { userAgent } from "../../version.ts";
import { confirmRun } from "./confirmation.ts";
import type { Context } from "./context.ts";
import { requireWithin } from "./credit-limit.ts";
import { type Destination, openDestination } from "./destination.ts";
import type { GlobalOptions } from "./options.ts";
import { priceOf } from "./price.ts";
import { stateOf } from "./state.ts";
import { type PolicyFlags, runPolicy } from "./run-policy.ts";

/** A command that sends a run, new or resumed. */
export interface RunCommand {
  /** The name of the run. */
  readonly name: string;
  readonly options: GlobalOptions & PolicyFlags & { readonly expect?: "test" | "live"; readonly retry?: Retry };
  /** Undefined for a run in the sandbox. */
  readonly chosen: ChosenProfile | undefined;
  /** Returns the notes on the input; called once it is read. */
  readonly notes: () => RunNotes;
}

/** Shows what a run would send. `count` counts it, and throws if the run would be refused. */
export function rehearse(
  command: RunCommand,
  context: Context,
  count: (binding: RunBinding) => Promise<Due>,
): Promise<EndingKind> {
  return withDestination(command, context, async (destination, policy) => {
    const due = await count(bindingOf(destination));
    context.presenter.show(runPlanView(planOf(command, due, destination, policy, context)));
    requireWithin(command.options.maxCredits, due.exposure + due.segments);
    return "accepted";
  });
}

/** Shows the plan of a run, has it confirmed, sends it and reports it. `open` begins or resumes the run once it is approved. */
export function conduct(
  command: RunCommand,
  context: Context,
  open: (binding: RunBinding, approve: Approve) => Promise<OpenRun>,
): Promise<EndingKind> {
  const { host, presenter } = context;
  return withDestination(command, context, async (destination, policy) => {
    const run = await open(bindingOf(destination), async (due) => {
      const plan = planOf(command, due, destination, policy, context);
      presenter.tell((page) => runPlanText(plan, page));
      requireWithin(command.options.maxCredits, due.exposure + due.segments);
      if (due.messages > 0) await confirmRun(command.options, destination, due.messages, host);
    });
    try {
      return await send(run, command, destination, policy, context);
    } finally {
      run.close();
    }
  });
}

async function withDestination(
  { options, chosen }: RunCommand,
  context: Context,
  use: (destination: Destination, policy: RunPolicy) => Promise<EndingKind>,
): Promise<EndingKind> {
  const destination = await openDestination(options, chosen, context);
  try {
    return await use(destination, runPolicy(options, chosen?.profile, options.retry));
  } finally {
    await destination.close();
  }
}

async function send(
  run: OpenRun,
  { name, notes }: RunCommand,
  destination: Destination,
  policy: RunPolicy,
  { host, presenter, redactor }: Context,
): Promise<EndingKind> {
  const { event, failures } = showProgress(presenter);
  const { wireLog } = presenter;
  const service = { ...destination, userAgent };
  const result = await carryOutRun(run, service, policy, host, { event, wireLog, redact: redactor.redactForeign });
  const { ending, tally, lastAccepted, error } = result;
  presenter.show(runSummaryView({ run: name, tally, ending, failures, notes: notes() }));
  if (lastAccepted !== undefined && destination.mode !== "sandbox") {
    cacheOutcome(stateOf(host), destination, lastAccepted, host.now());
  }
  if (error !== undefined) throw error;
  return ending;
}

function planOf(
  { name, notes }: RunCommand,
  due: Due,
  destination: Destination,
  { rate }: RunPolicy,
  { host }: Context,
): RunPlan {
  const { messages: recipients, segments } = due;
  const { mode } = destination;
  return { run: name, recipients, segments, mode, rate, price: priceOf(destination, host), notes: notes() };
}

/** Returns what a resume of the run must not change. */
function bindingOf({ address, path, credentials, mode }: Destination): RunBinding {
  // Each sandbox has an address of its own, but a run may go on in any of them.
  const baseUrl = mode === "sandbox" ? mode : address.origin + address.basePath;
  return { baseUrl, path, credentials: fingerprint(credentials), mode };
}
