import { addedUp, type BegunRun } from "../record/begun-run.ts";
import { countText, plural } from "../words/count.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { lineText } from "../recipients/row.ts";
import { profileOption } from "../words/shell-word.ts";
import { interruption } from "../errors.ts";
import type { Host } from "../host.ts";
import {
  bindingOf,
  refuseChanges,
  runChanged,
  type RunDestination,
  type RunTerms,
  unknownRun,
} from "../record/header.ts";
import {
  type DraftMessage,
  messageKey,
  type NewPlan,
  type PlannedMessage,
  type PlanSummary,
  summarizePlan,
} from "../record/plan.ts";
import type { HeldRun, RunKeeper } from "../record/runs.ts";
import { otherName, refuseClosed } from "./close.ts";
import { sentLater } from "./later.ts";
import { countDue, type Due, dueMessages, type Selection } from "./due.ts";
import { findSameRuns, isOver, type SameRun } from "./same-run.ts";

export interface OpenRun extends BegunRun {
  readonly held: HeldRun;
}

/** Returns a name for a run that was given none: its start in UTC and four random characters. */
export function newRunName(now: number, random: number): string {
  const time = new Date(now)
    .toISOString()
    .replaceAll(/[-:]|\..*/g, "")
    .replace("T", "-");
  return `${time}-${Math.floor(random * 36 ** 4)
    .toString(36)
    .padStart(4, "0")}`;
}

export interface Consent {
  /** Shows what a run would send and asks whether it may. Returns what a new run begins with. Throws if it may not. */
  readonly approve: (due: Due) => Promise<RunTerms>;
  /** Asks whether a run of the same messages is to be continued instead: an unfinished one, or one that began meanwhile. Throws if not. */
  readonly mayContinue: (same: SameRun) => Promise<void>;
}

interface RunRequest extends Pick<Selection, "guards"> {
  readonly runs: RunKeeper;
  readonly name: string;
  /** Gets a sentence about a holder of the run that may be gone, which is waited for. */
  readonly onWait?: (text: string) => void;
  readonly source: string | undefined;
  readonly messages: AsyncIterable<DraftMessage>;
  readonly destination: RunDestination;
  /** Whether a run of the same messages is looked for. */
  readonly isSearched: boolean;
  /** Whether it takes the place of a run of that name, as a rehearsal does. */
  readonly isReplaced?: boolean;
  /** Whether the command names the run. */
  readonly isNamed: boolean;
}

/**
 * Begins a run once its plan is kept and approved, or continues the run of that name if its plan is the same, or another run
 * of the same messages. Returns undefined if there is nobody to send to: then no run begins.
 */
export async function planRun(request: RunRequest, host: Host, consent: Consent): Promise<OpenRun | undefined> {
  const { guards } = request;
  const planned = await hold(request, async (held) => {
    const begun = await held.read();
    if (begun !== undefined) {
      const run = await addedUp(begun);
      await consent.approve(await dueAgain(run, request));
      return { ...run, held };
    }
    const other = await begin(request, { held, host }, consent);
    if (other === undefined) return openRun(held);
    await held.release();
    return other === "nobody" ? undefined : other.name;
  });
  if (typeof planned !== "string") return planned;
  return resumeRun({ ...request, name: planned }, { retry: [], guards }, consent);
}

/** Returns what the same command without `--dry-run` would send, and records nothing. */
export async function previewRun(request: RunRequest, now: number): Promise<Due> {
  const { runs, name, isReplaced } = request;
  const begun = isReplaced ? undefined : await runs.read(name);
  if (begun !== undefined) return dueAgain(await addedUp(begun), request);
  const plan = await summarizePlan(request.messages);
  const [same] = await sameRuns(request, plan, now);
  return dueAtFirst(request, plan, same);
}

/** Opens a run to send the rest of it, once that is approved. Throws `UNKNOWN_RUN`, or `RUN_CHANGED` for another destination. */
export async function resumeRun(
  request: Pick<RunRequest, "runs" | "name" | "destination" | "onWait">,
  selection: Selection,
  { approve }: Pick<Consent, "approve">,
): Promise<OpenRun> {
  // First, so that nobody holds a run that does not exist.
  if ((await request.runs.read(request.name)) === undefined) throw unknownRun(request.name);
  return hold(request, async (held) => {
    const run = await openRun(held);
    refuseClosed(run);
    refuseChanges(run.header, request.destination);
    await approve(await countLeft(request.runs, run, selection));
    return run;
  });
}

/**
 * Removes the rehearsal of that name, if it has begun, once `keep` returns. Throws a usage error `RUN_CHANGED` if the run of
 * that name is not a rehearsal.
 */
export async function removeRehearsal(runs: RunKeeper, name: string, keep: () => Promise<void>): Promise<void> {
  const run = await runs.read(name);
  if (run === undefined) return;
  if (run.header.isRehearsal) return runs.remove(name, keep);
  throw runChanged(`the run ${name} is not a rehearsal, so it is not replaced`, "give another name with --run");
}

async function hold<Result>(
  { runs, name, onWait }: Pick<RunRequest, "runs" | "name" | "onWait">,
  work: (held: HeldRun) => Promise<Result>,
): Promise<Result> {
  const held = await runs.hold(name, onWait);
  try {
    return await work(held);
  } catch (error) {
    await held.release();
    throw error;
  }
}

async function openRun(held: HeldRun): Promise<OpenRun> {
  const run = await held.read();
  if (run === undefined) throw unknownRun(held.name);
  return { ...(await addedUp(run)), held };
}

async function sameRuns(request: RunRequest, plan: NewPlan, now: number): Promise<readonly SameRun[]> {
  const { runs, destination, isSearched } = request;
  return isSearched ? findSameRuns(runs, { ...request, plan, binding: destination, now }) : [];
}

/** Begins a run, and returns undefined; or returns a run of the same messages that is to be continued, or that nobody is to be sent to. */
async function begin(
  request: RunRequest,
  { held, host }: { readonly held: HeldRun; readonly host: Host },
  { approve, mayContinue }: Consent,
): Promise<SameRun | "nobody" | undefined> {
  const plan = await held.plan(request.messages);
  if (plan.messages === 0) return "nobody";
  const before = await sameRuns(request, plan, host.now());
  const approved = async () => {
    const terms = await approve(dueAtFirst(request, plan, before[0]));
    return beginAlone(request, { held, plan, terms, before }, host);
  };
  const other = before.find((same) => isInTheWay(same, request, host)) ?? (await approved());
  if (other !== undefined) await mayContinue(other);
  return other;
}

/**
 * Whether no other run may begin beside this one of the same messages. A command without a name yields to an unfinished run, and
 * every command to a run that began after it did. A run from the future began by another clock, and is no newer for that.
 */
function isInTheWay(same: SameRun, { isNamed }: RunRequest, host: Host): boolean {
  return (!isNamed && !isOver(same)) || (same.began > host.began && same.began <= host.now());
}

interface Approved {
  readonly held: HeldRun;
  readonly plan: NewPlan;
  readonly terms: RunTerms;
  /** The runs of the same messages that the person knew of. */
  readonly before: readonly SameRun[];
}

/** Begins a run, and returns undefined; or returns a run of the same messages that another command began meanwhile. */
async function beginAlone(
  request: RunRequest,
  { held, plan, terms, before }: Approved,
  host: Host,
): Promise<SameRun | undefined> {
  const { runs, source, destination, isSearched } = request;
  const beginNow = async () => {
    const { stop } = host.interruption();
    if (stop.aborted) throw interruption(stop, "unsent", "interrupted before anything was sent");
    const { messages, segments, digests } = plan;
    const { payer } = destination;
    await held.begin({
      version: 1,
      name: held.name,
      started: new Date(host.now()).toISOString(),
      binding: bindingOf(destination),
      ...(payer && { payer }),
      plan: { messages, segments, digests },
      ...(source !== undefined && { source }),
      ...terms,
    });
    return undefined;
  };
  if (!isSearched) return beginNow();
  return runs.alone(async () => {
    const known = new Set(before.map(({ name }) => name));
    const now = await sameRuns(request, plan, host.now());
    return now.find((same) => !known.has(same.name) || isInTheWay(same, request, host)) ?? beginNow();
  });
}

/** Compares a command that is given again with the run that it began, and counts what is left to send. */
async function dueAgain(begun: BegunRun, { runs, source, messages, destination, guards }: RunRequest): Promise<Due> {
  const { header } = begun;
  refuseClosed(begun);
  refuseChanges(header, destination);
  const changes = await comparePlan(
    header.plan,
    begun.readMessages(),
    messages,
    (source ?? header.source) !== undefined,
  );
  if (changes === undefined) return countLeft(runs, begun, { retry: [], guards });
  const of = profileOption(header.profile);
  const resume = `sms runs resume ${header.name}${of}`;
  const hint = `\`${resume}\` sends what is left of it; if it is not to go on, \`sms runs close ${header.name}${of}\`, then \`${otherName(header.name)}\` sends these rows to those it did not reach`;
  throw runChanged(`the run ${header.name} began with ${changes.words}`, hint);
}

/** Counts what is left of a run, and who of these was sent to by a later one. */
async function countLeft(runs: RunKeeper, run: BegunRun, selection: Selection): Promise<Due> {
  const due = await countDue(run, selection);
  return due.messages === 0 ? due : { ...due, later: await sentLater(runs, run, dueMessages(run, selection)) };
}

interface PlanChanges {
  /** How many rows differ, and the first of them. */
  readonly words: string;
  /** Whether a number of the plan has another text or sender now. */
  readonly isOtherText: boolean;
}

/** Compares the rows of a command with the plan of a run. Returns undefined if they have the same messages, in whichever order. */
export async function comparePlan(
  plan: PlanSummary,
  messages: AsyncIterable<PlannedMessage>,
  drafts: AsyncIterable<DraftMessage>,
  hasFile: boolean,
): Promise<PlanChanges | undefined> {
  const planned = new NumberSet();
  const numbers = new NumberSet();
  for await (const message of messages) {
    planned.add(messageKey(message));
    numbers.add(numberKey(message.to));
  }
  let same = 0;
  let changed = 0;
  let first = 0;
  let isOtherText = false;
  const compared = async function* compared(): AsyncGenerator<DraftMessage, void> {
    for await (const draft of drafts) {
      yield draft;
      if (planned.has(messageKey(draft))) same++;
      else if (draft.held === undefined) {
        if (changed++ === 0) first = draft.line;
        isOtherText ||= numbers.has(numberKey(draft.to));
      }
    }
  };
  const { digests } = await summarizePlan(compared());
  if (digests.messages === plan.digests.messages) return undefined;
  const missing = plan.messages - same;
  const words =
    changed === 0
      ? `${plural(missing, "row")} more`
      : `other rows: ${countText(changed)} ${changed === 1 ? "differs" : "differ"}, first ${lineText(first, hasFile)}`;
  return { words, isOtherText };
}

function dueAtFirst(
  { name, source }: RunRequest,
  { messages, segments, sample }: NewPlan,
  same: SameRun | undefined,
): Due {
  const counts = { messages, segments, held: new Map(), heldDue: 0, firstHeld: [], exposure: 0 };
  return { run: name, source, began: undefined, all: undefined, ...counts, sample, later: undefined, same };
}
