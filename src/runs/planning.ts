import { statSync } from "node:fs";
import { join } from "node:path";
import { differences } from "../message/fields.ts";
import { lineText } from "../recipients/row.ts";
import { profileOption } from "../message/shell-word.ts";
import { interruption } from "../errors.ts";
import { removeQuietly } from "../files/durable.ts";
import { withLock } from "../files/lock.ts";
import type { StateFolder } from "../files/state-folder.ts";
import type { Host } from "../host.ts";
import { countDue, type Due, dueAtFirst, type Selection } from "./due.ts";
import {
  bindingOf,
  refuseChanges,
  requireHeader,
  runChanged,
  type RunDestination,
  type RunTerms,
} from "../record/header.ts";
import { type DraftMessage, type NewPlan, readPlan, summarizePlan, writePlan } from "../record/plan.ts";
import type { RunFiles } from "../record/folder/run-files.ts";
import {
  beginRun,
  type BegunRun,
  lockRun,
  notRecordable,
  readRun,
  releaseRun,
  requireRun,
} from "../record/folder/runs.ts";
import { findSameRun, type SameRun } from "./run-list.ts";

/** How long another command may take to begin a run. Milliseconds. */
const timeoutMs = 10_000;

/** A run that this process alone may carry out, until it closes it. */
export interface OpenRun extends BegunRun {
  /** Whether the run's lock is still ours. */
  readonly isOurs: () => boolean;
  readonly close: () => void;
}

/** What a person is asked before a run is sent. */
export interface Consent {
  /** Shows what a run would send and asks whether it may. Returns what a new run begins with. Throws if it may not. */
  readonly approve: (due: Due) => Promise<RunTerms>;
  /** Asks whether a run of the same messages is to be continued instead: an unfinished one, or one that began meanwhile. Throws if not. */
  readonly mayContinue: (same: SameRun) => Promise<void>;
}

/** The run that a command plans. */
interface RunRequest extends Pick<Selection, "guards"> {
  readonly files: RunFiles;
  /** The file of the recipients, if there is one. */
  readonly source: string | undefined;
  readonly messages: AsyncIterable<DraftMessage>;
  readonly destination: RunDestination;
  /** The state folder whose runs are searched for the same one; undefined for a run that was named, or that reaches nobody. */
  readonly searched: StateFolder | undefined;
}

/**
 * Begins a run once its plan is written and approved, or continues the run of that name if its plan is the same, or another
 * run of the same messages.
 */
export async function planRun(request: RunRequest, host: Host, consent: Consent): Promise<OpenRun> {
  const { files, destination, guards } = request;
  const planned = await underLock(files, host, async (hold) => {
    const begun = await readRun(files);
    if (begun === undefined) {
      const other = await begin(request, host, consent);
      if (other !== undefined) {
        hold.close();
        return other.files;
      }
    } else await consent.approve(await dueAgain(begun, request));
    return { ...(await requireRun(files)), ...hold };
  });
  return "close" in planned ? planned : resumeRun(planned, destination, { retry: [], guards }, host, consent);
}

/** Returns what the same command without `--dry-run` would send, and writes nothing. A run that it replaces does not count. */
export async function previewRun(request: RunRequest, isReplaced: boolean, now: number): Promise<Due> {
  const { files, source, messages, destination, searched, guards } = request;
  const begun = isReplaced ? undefined : await readRun(files);
  if (begun !== undefined) return dueAgain(begun, request);
  const plan = await summarizePlan(messages);
  const same = searched === undefined ? undefined : await findSameRun(searched, plan, destination, guards, now);
  return dueAtFirst(files, source, plan, same);
}

/** Opens a run to send the rest of it, once that is approved. Throws `UNKNOWN_RUN`, or `RUN_CHANGED` for another destination. */
export async function resumeRun(
  files: RunFiles,
  destination: RunDestination,
  selection: Selection,
  host: Host,
  { approve }: Pick<Consent, "approve">,
): Promise<OpenRun> {
  // Before the lock, which would make a folder for a run that does not exist.
  requireHeader(files);
  return underLock(files, host, async (hold) => {
    const begun = await requireRun(files);
    refuseChanges(begun.header, destination);
    await approve(await countDue(begun, selection));
    return { ...begun, ...hold };
  });
}

/** Does something under the lock of a run. `hold` has what releases the lock; an error releases it too. */
async function underLock<Result>(
  files: RunFiles,
  { processes }: Host,
  work: (hold: Pick<OpenRun, "isOurs" | "close">) => Promise<Result>,
): Promise<Result> {
  const lock = await lockRun(files, processes);
  const close = () => releaseRun(files, lock);
  try {
    return await work({ isOurs: lock.isOurs, close });
  } catch (error) {
    close();
    throw error;
  }
}

/** Begins a run, and returns undefined; or returns a run of the same messages that is to be continued. */
async function begin(request: RunRequest, host: Host, { approve, mayContinue }: Consent): Promise<SameRun | undefined> {
  const { files, source, messages, destination, searched, guards } = request;
  try {
    const plan = await writePlan(files.plan, messages);
    const same = searched && (await findSameRun(searched, plan, destination, guards, host.now()));
    const isToContinue = same !== undefined && isInTheWay(same, host);
    const other = isToContinue
      ? same
      : await beginAlone(request, plan, await approve(dueAtFirst(files, source, plan, same)), host);
    if (other !== undefined) await mayContinue(other);
    return other;
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? notRecordable(error) : error;
  } finally {
    // Nothing of a run that has not begun was sent, so nothing of it is kept.
    if (isAbsent(files.header)) for (const path of [files.plan, files.journal]) removeQuietly(path);
  }
}

/** Whether nothing begins beside a run of the same messages: until it has ended, or if it began after this command did. */
function isInTheWay({ state, began }: SameRun, host: Host): boolean {
  return state !== "ended" || began > host.began;
}

/** Begins a run, and returns undefined; or returns a run of the same messages that another command began meanwhile. */
async function beginAlone(
  { files, source, destination, searched, guards }: RunRequest,
  { messages, segments, digests }: NewPlan,
  terms: RunTerms,
  host: Host,
): Promise<SameRun | undefined> {
  const plan = { messages, segments, digests };
  const beginNow = () => {
    const { stop } = host.interruption();
    if (stop.aborted) throw interruption(stop, "unsent", "interrupted before anything was sent");
    const started = new Date(host.now()).toISOString();
    const { payer } = destination;
    const binding = bindingOf(destination);
    const header = { version: 1, name: files.name, started, binding, ...(payer && { payer }), plan } as const;
    beginRun(files, { ...header, ...(source !== undefined && { source }), ...terms });
    return undefined;
  };
  if (searched === undefined) return beginNow();
  return withLock(join(searched.path, "runs.lock"), host.processes, { ...host, timeoutMs }, async () => {
    const found = await findSameRun(searched, plan, destination, guards, host.now());
    return found !== undefined && isInTheWay(found, host) ? found : beginNow();
  });
}

/** Whether a file is certainly not there. */
function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Compares a command that is given again with the run that it began, and counts what is left to send. */
async function dueAgain(begun: BegunRun, { source, messages, destination, guards }: RunRequest): Promise<Due> {
  const { header, files } = begun;
  refuseChanges(header, destination);
  const changes = await comparePlan(files.plan, messages, (source ?? header.source) !== undefined);
  if (changes === undefined) return countDue(begun, { retry: [], guards });
  const counts: readonly (readonly [number, string])[] = changes.isReordered
    ? [[changes.added, "in another order"]]
    : [
        [changes.added, "added"],
        [changes.removed, "removed"],
      ];
  const all = [...counts, ...[...changes.changed].map(([noun, count]) => [count, `with another ${noun}`] as const)];
  const words = all.filter(([count]) => count > 0).map(([count, what]) => `${count.toLocaleString("en")} ${what}`);
  const message = `the run ${header.name} began with other rows: ${words.join(", ")}`;
  const resume = `sms runs resume ${header.name}${profileOption(header.profile)}`;
  const hint = `\`${resume}\` sends what is left of it; another name for --run sends to everybody again`;
  throw runChanged(message, hint, changes.first);
}

/** What the rows of a command have in common with the plan of a run, and what not. */
export interface PlanChanges {
  readonly added: number;
  readonly removed: number;
  /** How many recipients have another value of a field, by its noun. */
  readonly changed: ReadonlyMap<string, number>;
  /** Whether the rows are the same in another order. */
  readonly isReordered: boolean;
  /** The first of the changes in words, a line each; none for another order. */
  readonly first: readonly string[];
}

/** Rows of each side that are looked through for a row that the other side has next. */
const window = 200;

const mostNamed = 10;

/**
 * Compares rows with a plan, both in order and in bounded memory. Returns undefined if all fields of all messages are the
 * same: which lines they are on does not count, nor rows that are held back and were not planned either. Without a file the
 * rows are numbers of --to.
 */
export async function comparePlan(
  planPath: string,
  drafts: AsyncIterable<DraftMessage>,
  hasFile: boolean,
): Promise<PlanChanges | undefined> {
  const plan = readPlan(planPath);
  const was = lookAhead(plan);
  const is = lookAhead(drafts);
  const counts = { added: 0, removed: 0 };
  const changed = new Map<string, number>();
  const first: string[] = [];
  let imbalance = 0;
  const note = (sentence: string) => {
    if (first.length < mostNamed) first.push(sentence);
  };
  const remove = ({ line, to }: DraftMessage) => {
    imbalance -= Number(to) % 1_000_003;
    counts.removed++;
    note(`${to}, which was ${lineText(line, hasFile)}, is missing now`);
  };
  const add = ({ line, to, held }: DraftMessage) => {
    if (held !== undefined) return;
    imbalance += Number(to) % 1_000_003;
    counts.added++;
    note(`${lineText(line, hasFile)}: ${to} is new`);
  };
  try {
    for (;;) {
      const [before] = await was.peek(1);
      const [now] = await is.peek(1);
      if (before === undefined && now === undefined) break;
      if (before !== undefined && before.to === now?.to) {
        for (const { noun, words } of differences(before, now)) {
          changed.set(noun, (changed.get(noun) ?? 0) + 1);
          const how = words === undefined ? "different" : `${words.is}, and was ${words.was}`;
          note(`${lineText(now.line, hasFile)}: the ${noun} for ${now.to} is ${how}`);
        }
        was.take(1);
        is.take(1);
        continue;
      }
      const inPlan = now === undefined ? -1 : (await was.peek(window)).findIndex(({ to }) => to === now.to);
      if (now?.held !== undefined && inPlan < 0) {
        is.take(1);
        continue;
      }
      const inRows = before === undefined ? -1 : (await is.peek(window)).findIndex(({ to }) => to === before.to);
      const isRemoved = now === undefined || (inPlan >= 0 && (inRows < 0 || inPlan <= inRows));
      if (isRemoved) was.take(Math.max(1, inPlan)).forEach(remove);
      else is.take(Math.max(1, inRows)).forEach(add);
      // A row in place of another.
      if (inPlan < 0 && inRows < 0 && now !== undefined) was.take(1).forEach(remove);
    }
  } finally {
    await plan.return();
  }
  const isReordered = counts.added > 0 && counts.added === counts.removed && imbalance === 0;
  return first.length === 0 ? undefined : { ...counts, changed, isReordered, first: isReordered ? [] : first };
}

function lookAhead<Item>(items: AsyncIterable<Item>) {
  const source = items[Symbol.asyncIterator]();
  const ahead: Item[] = [];
  return {
    peek: async (count: number): Promise<readonly Item[]> => {
      while (ahead.length < count) {
        const { done, value } = await source.next();
        if (done === true) break;
        ahead.push(value);
      }
      return ahead;
    },
    take: (count: number) => ahead.splice(0, count),
  };
}
