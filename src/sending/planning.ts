import { addedUp, type BegunRun } from "../record/begun-run.ts";
import { countText } from "../words/count.ts";
import { differences } from "../message/fields.ts";
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
  addToSample,
  type DraftMessage,
  type NewPlan,
  newSample,
  type PlannedMessage,
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

interface RunRequest extends Pick<Selection, "guards" | "first"> {
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
  const { guards, first } = request;
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
  return resumeRun({ ...request, name: planned }, { retry: [], guards, first }, consent);
}

/** Returns what the same command without `--dry-run` would send, and records nothing. */
export async function previewRun(request: RunRequest, now: number): Promise<Due> {
  const { runs, name, isReplaced } = request;
  const begun = isReplaced ? undefined : await runs.read(name);
  if (begun !== undefined) return dueAgain(await addedUp(begun), request);
  const counted = countingFirst(request);
  const plan = await summarizePlan(counted.messages);
  const [same] = await sameRuns(request, plan, now);
  return dueAtFirst(request, counted.due(plan), same);
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
  const counted = countingFirst(request);
  const plan = await held.plan(counted.messages);
  if (plan.messages === 0) return "nobody";
  const before = await sameRuns(request, plan, host.now());
  const approved = async () => {
    const terms = await approve(dueAtFirst(request, counted.due(plan), before[0]));
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
async function dueAgain(
  begun: BegunRun,
  { runs, source, messages, destination, guards, first }: RunRequest,
): Promise<Due> {
  const { header } = begun;
  refuseClosed(begun);
  refuseChanges(header, destination);
  const changes = await comparePlan(begun.readMessages(), messages, (source ?? header.source) !== undefined);
  if (changes === undefined) return countLeft(runs, begun, { retry: [], guards, first });
  const message = `the run ${header.name} began with other rows: ${changes.words.join(", ")}`;
  const of = profileOption(header.profile);
  const resume = `sms runs resume ${header.name}${of}`;
  const hint = `\`${resume}\` sends what is left of it; if it is not to go on, \`sms runs close ${header.name}${of}\`, then \`${otherName(header.name)}\` sends these rows to those it did not reach`;
  throw runChanged(message, hint, changes.first);
}

/** Counts what is left of a run, and who of these was sent to by a later one. */
async function countLeft(runs: RunKeeper, run: BegunRun, selection: Selection): Promise<Due> {
  const due = await countDue(run, selection);
  return due.messages === 0 ? due : { ...due, later: await sentLater(runs, run, dueMessages(run, selection)) };
}

interface PlanChanges {
  /** How many rows have another value of a field, and from where on the recipients differ. */
  readonly words: readonly string[];
  /** The first of the changes, a line each. */
  readonly first: readonly string[];
}

const mostNamed = 3;

/**
 * Compares rows with a plan, up to the first that is for another recipient. Returns undefined if all fields of all messages are
 * the same: which lines they are on does not count, nor rows that are held back and were not planned either. Without a file the
 * rows are numbers of --to.
 */
export async function comparePlan(
  plan: AsyncGenerator<PlannedMessage, void>,
  drafts: AsyncIterable<DraftMessage>,
  hasFile: boolean,
): Promise<PlanChanges | undefined> {
  const changed = new Map<string, number>();
  const first: string[] = [];
  const note = (sentence: string) => {
    if (first.length < mostNamed) first.push(sentence);
  };
  const result = (other?: string): PlanChanges | undefined => {
    const words = [...changed].map(([noun, count]) => `${countText(count)} with another ${noun}`);
    if (other !== undefined) words.push(`other recipients ${other}`);
    return words.length === 0 ? undefined : { words, first };
  };
  try {
    let was = await nextOf(plan);
    for await (const is of drafts) {
      if (is.held !== undefined && is.to !== was?.to) continue;
      const at = lineText(is.line, hasFile);
      if (was?.to !== is.to) {
        note(was === undefined ? `${at}: ${is.to} is new` : `${at}: ${is.to} is in the place of ${was.to}`);
        return result(`from ${at} on`);
      }
      for (const { noun, words } of differences(was, is)) {
        changed.set(noun, (changed.get(noun) ?? 0) + 1);
        const how = words === undefined ? "different" : `${words.is}, and was ${words.was}`;
        note(`${at}: the ${noun} for ${is.to} is ${how}`);
      }
      was = await nextOf(plan);
    }
    if (was === undefined) return result();
    note(`${was.to}, which was ${lineText(was.line, hasFile)}, is missing now`);
    return result("at the end");
  } finally {
    await plan.return();
  }
}

async function nextOf<Item>(items: AsyncGenerator<Item, void>): Promise<Item | undefined> {
  const next = await items.next();
  return next.done === true ? undefined : next.value;
}

type CountDue = Pick<Due, "messages" | "segments" | "sample" | "rest">;

/** Counts the first messages while their plan is made, if these alone are to be sent. */
function countingFirst({ messages, first = Infinity }: RunRequest) {
  if (first === Infinity) return { messages, due: (plan: NewPlan): CountDue => ({ ...plan, rest: 0 }) };
  const sample = newSample();
  let count = 0;
  let segments = 0;
  async function* counted(): AsyncGenerator<DraftMessage, void> {
    for await (const message of messages) {
      if (message.held === undefined && count < first) {
        count++;
        segments += message.segments;
        addToSample(sample, message);
      }
      yield message;
    }
  }
  return {
    messages: counted(),
    due: (plan: NewPlan): CountDue => ({ messages: count, segments, sample, rest: plan.messages - count }),
  };
}

function dueAtFirst(
  { name, source }: RunRequest,
  { messages, segments, sample, rest }: CountDue,
  same: SameRun | undefined,
): Due {
  const counts = { messages, segments, rest, held: new Map(), heldDue: 0, firstHeld: [], exposure: 0 };
  return { run: name, source, began: undefined, all: undefined, ...counts, sample, later: undefined, same };
}
