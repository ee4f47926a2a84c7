import { openGuards } from "../../guards/open.ts";
import { numberKey } from "../../message/number-set.ts";
import { requireRecord } from "../../profiles/record.ts";
import { profilesByBaseUrl } from "../../profiles/resolve.ts";
import { holdOf } from "../../recipients/hold.ts";
import { isTypedBeside, lineText } from "../../recipients/row.ts";
import { withLedger, type RunWithLedger, requireRun } from "../../record/run-with-ledger.ts";
import { refuseChanges, runChanged, type RunHeader } from "../../record/header.ts";
import { type LeftOutCause, leftOutSentence, LeftOutSample } from "../../record/left-out.ts";
import { MessageSet } from "../../record/message-set.ts";
import { addToSample, type MessageCounts, newSample, type PlannedMessage } from "../../record/plan.ts";
import { reachesPhones } from "../../record/repeats.ts";
import type { OwnRun, RunKeeper } from "../../record/runs.ts";
import { unrecordedRun } from "../../record/unrecorded.ts";
import { keepInHistory } from "../../reports/reading.ts";
import { reachesPhone } from "../../terminal/text.ts";
import { liveOf, runDestination } from "../destination.ts";
import { tierRates } from "../limits.ts";
import type { AnySend } from "../opening.ts";
import { optionsOfRun } from "./kept-options.ts";
import { changesIn } from "./changed-rows.ts";
import { refuseClosed } from "./closed.ts";
import { replacing } from "./replaced-run.ts";
import type { RunToResume } from "./resume.ts";
import { retypedCommand } from "./retyped-command.ts";
import type { RowNotes } from "../views/note-texts.ts";
import type { Rows } from "./rows.ts";
import { stoppedRuns } from "./stopped-runs.ts";
import { isToSend } from "./to-send.ts";

export type Plan = RunPlan & OwnName;

/** A run that is recorded is ours until the plan is given back. A dry run, --sandbox and `replacing` hold no name. */
interface OwnName extends AsyncDisposable {
  /** Undefined with `--sandbox`. */
  readonly runs: RunKeeper | undefined;
  readonly ownRun: OwnRun;
  readonly givenName: string | undefined;
}

type RunPlan = NewPlan | ContinuedPlan;

interface NewPlan extends AnyPlan {
  readonly kind: "new";
  readonly summary: RunHeader["plan"];
  readonly header: Pick<RunHeader, "options" | "profile" | "toColumn" | "isTyped" | "isRehearsal" | "isSandbox">;
}

interface ContinuedPlan extends AnyPlan {
  readonly kind: "continued";
  readonly run: RunWithLedger;
  /** Guards hold these back. */
  readonly leftOutCauses: ReadonlyMap<number, LeftOutCause>;
}

interface AnyPlan {
  /** What this command was given stands over what the run began with. */
  readonly effective: Pick<AnySend, "options" | "guards">;
  readonly counts: MessageCounts;
  /** This finds the same messages in other runs; undefined if that does not matter. */
  readonly messageSet: MessageSet | undefined;
  readonly source: string | undefined;
  readonly isTyped: boolean;
  readonly notes: RowNotes;
}

/** Throws `RUN_CHANGED` for another destination. */
export function planRun(checked: Rows | RunToResume, send: AnySend): Promise<Plan> {
  if (checked.kind === "rows") return planFromRows(checked, send);
  const { name, runs } = checked;
  return planUnderName(name, runs, `Reading run ${name}`, send, async () => {
    const run = await requireRun(runs, name);
    requireResumable(run, send);
    return planRest(run, undefined, send);
  });
}

/** A run of that name must have begun with the same rows, or is replaced if it was of a sandbox or a test key. */
async function planFromRows(rows: Rows, send: AnySend): Promise<Plan> {
  const { options, context, profile } = send;
  const { host } = context;
  const name = rows.rehearsal?.name ?? options.run;
  const runs = options.sandbox ? undefined : await (await requireRecord(host, "runs", profile)).runs();
  const before = name === undefined ? undefined : await runs?.read(name);
  if (before !== undefined && rows.rehearsal !== undefined) requireRehearsal(before.header);
  if (runs === undefined || before === undefined || !isReplaced(before.header, rows, send))
    return planUnderName(name, runs, recordingPlan, send, async (ownRun) => {
      // Nobody else may change the run now.
      const record = await runs?.read(ownRun.name);
      return record === undefined ? planNew(ownRun, rows, send) : planAgain(await withLedger(record), rows, send);
    });
  const { header } = before;
  const keeper = replacing(runs, header, () => keepInHistory(header.name, profile, context));
  const plan = await planUnderName(name, keeper, recordingPlan, send, (ownRun) => planNew(ownRun, rows, send));
  if (rows.rehearsal !== undefined) return plan;
  return { ...plan, notes: { ...plan.notes, warnings: [replacedText(header), ...plan.notes.warnings] } };
}

const recordingPlan = "Recording the plan";

/** `runs.open` takes the name, but that of `replacing` does so only when the run begins. */
async function planUnderName(
  name: string | undefined,
  runs: RunKeeper | undefined,
  status: string,
  send: AnySend,
  planOf: (ownRun: OwnRun) => Promise<RunPlan>,
): Promise<Plan> {
  const { options, context } = send;
  const { host, presenter } = context;
  const unique = name ?? newRunName(host.now(), host.random());
  const ownRun = runs === undefined || options.dryRun ? unrecordedRun(unique) : await runs.open(unique, presenter.note);
  try {
    const plan = await presenter.waitFor(status, () => planOf(ownRun));
    const notes = await withStoppedRuns(plan.notes, unique, runs, send);
    return { ...plan, notes, runs, ownRun, givenName: name, [Symbol.asyncDispose]: ownRun.release };
  } catch (error) {
    await ownRun.release();
    throw error;
  }
}

/** In JSON the summary tells of them. */
async function withStoppedRuns(
  notes: RowNotes,
  name: string,
  runs: RunKeeper | undefined,
  send: AnySend,
): Promise<RowNotes> {
  const texts = runs !== undefined && isOfPhones(send) ? await stoppedRuns(name, runs, send) : [];
  if (send.options.json) return { ...notes, warnings: [...texts, ...notes.warnings] };
  for (const text of texts) send.context.presenter.always(text);
  return notes;
}

/** Credits that may have been charged for the run so far. */
export function exposureOf(plan: Plan): number {
  return plan.kind === "new" ? 0 : plan.run.ledger.exposure;
}

export async function countMessages(messages: AsyncIterable<PlannedMessage>): Promise<MessageCounts> {
  const sample = newSample();
  let count = 0;
  let segments = 0;
  for await (const message of messages) {
    count++;
    segments += message.segments;
    addToSample(sample, message);
  }
  return { messages: count, segments, sample };
}

export function newRunName(now: number, random: number): string {
  const time = new Date(now)
    .toISOString()
    .replaceAll(/[-:]|\..*/g, "")
    .replace("T", "-");
  return `${time}-${Math.floor(random * 36 ** 4)
    .toString(36)
    .padStart(4, "0")}`;
}

/** Nobody should get a text twice on a phone. */
function isOfPhones({ destination }: AnySend): boolean {
  return destination.kind === "service" && reachesPhone(destination);
}

/** A rehearsal replaces the one before, a run to phones one that reached none, and one of a live key one of a test key. */
function isReplaced(header: RunHeader, { rehearsal }: Rows, send: AnySend): boolean {
  const { mode, baseUrl } = header.binding;
  if (rehearsal !== undefined) return true;
  if (mode === "test") return liveOf(send.destination) !== undefined;
  return isOfPhones(send) && !reachesPhones(header, baseUrl);
}

function requireRehearsal(header: RunHeader): void {
  if (header.isRehearsal) return;
  const message = `the run ${header.name} is not a rehearsal, so it is not replaced`;
  throw runChanged(message, "give another name with --run");
}

function replacedText({ name, isSandbox }: RunHeader): string {
  const where = isSandbox ? "in a sandbox" : "by a test key";
  return `run ${name} was sent ${where} and reached no phone: this run takes its name, and that one is removed`;
}

async function planNew(ownRun: OwnRun, rows: Rows, send: AnySend): Promise<NewPlan> {
  const { options, destination, guards } = send;
  const looksIntoOthers = isOfPhones(send) && !rows.isTyped && rows.rehearsal === undefined;
  const messageSet = looksIntoOthers ? new MessageSet() : undefined;
  const { sample, leftOutSample, ...summary } = await ownRun.writePlan(addingTo(messageSet, rows.planRows));
  const ofRun = await optionsOfRun(send);
  return {
    kind: "new",
    summary,
    counts: { ...summary, sample },
    messageSet,
    effective: {
      options: { ...options, ...ofRun },
      guards: rows.rehearsal === undefined ? guards : [{ rule: rows.rehearsal.text() }, ...guards],
    },
    header: {
      options: ofRun,
      profile: options.profile,
      toColumn: rows.toColumn,
      isTyped: rows.isTyped ? true : undefined,
      isRehearsal: rows.rehearsal && true,
      isSandbox: destination.kind === "service" && destination.isSandbox ? true : undefined,
    },
    source: rows.source,
    isTyped: rows.isTyped,
    notes: {
      ...rows.notes(),
      ...shownLeftOut(rows.rehearsal?.leftOutSample ?? leftOutSample, rows.source !== undefined),
    },
  };
}

async function* addingTo(messageSet: MessageSet | undefined, planRows: Rows["planRows"]) {
  let index = 0;
  for await (const row of planRows) {
    if (row.kind !== "left-out") {
      // A number that was typed beside a list counts as no repeat: an alert must reach that person.
      if (!isTypedBeside(row)) messageSet?.add(row, index);
      index++;
    }
    yield row;
  }
}

function shownLeftOut({ counts, first }: LeftOutSample, hasFile: boolean): Pick<RowNotes, "leftOut" | "firstLeftOut"> {
  const texts = first.map((row) => `${row.where ?? lineText(row.line, hasFile)}: ${leftOutSentence(row)}`);
  return { leftOut: counts, firstLeftOut: texts };
}

async function planAgain(run: RunWithLedger, rows: Rows, send: AnySend): Promise<RunPlan> {
  const { options, context } = send;
  const { header } = run;
  requireResumable(run, send);
  const hasFile = (rows.source ?? header.source) !== undefined;
  const changes = await changesIn(rows.planRows, run.readMessages(), header.plan, { hasFile, ...rows });
  if (changes === undefined) return planRest(run, rows, send);
  const other = `${header.name}-2`;
  const way = changes.isOtherText
    ? `${retypedCommand(options, context, { "--run": other, "--exclude": `run:${header.name}` })} sends this text to those it did not reach`
    : `${retypedCommand(options, context, { "--run": other, "--repeated": "skip" })} sends to those who have not had it`;
  throw runChanged(`the run ${header.name} began with ${changes.words}`, way);
}

function requireResumable(run: RunWithLedger, { destination, payingProfile, context }: AnySend): void {
  refuseClosed(run);
  if (destination.kind === "not-logged-in") return;
  const { baseUrl, credentials } = destination.sources;
  const isOfProfile = baseUrl === "profile" && credentials === "profile";
  const profiles = isOfProfile ? profilesByBaseUrl(context.host) : undefined;
  refuseChanges(run.header, { ...runDestination(destination, payingProfile), profiles });
}

async function planRest(run: RunWithLedger, rows: Rows | undefined, send: AnySend): Promise<ContinuedPlan> {
  const { options, destination, rowGuards } = send;
  const { header, ledger } = run;
  const looksIntoOthers = isOfPhones(send) && !header.isTyped && !header.isRehearsal;
  const messageSet = looksIntoOthers ? new MessageSet() : undefined;
  const leftOutCauses = new Map<number, LeftOutCause>();
  const leftOutSample = new LeftOutSample();
  async function* allowed(): AsyncGenerator<PlannedMessage, void> {
    for await (const message of run.readMessages(isToSend(ledger, options.retry))) {
      const { line, to, index } = message;
      const cause = holdOf(send.guards, numberKey(to))?.leftOutCause;
      if (cause === undefined) {
        if (!isTypedBeside(message)) messageSet?.add(message, index);
        yield message;
      } else {
        leftOutCauses.set(index, cause);
        // A message that is in doubt stays so.
        if (ledger.outcomeOf(index) !== "uncertain") leftOutSample.add({ kind: "left-out", line, to, ...cause });
      }
    }
  }
  const counts = await countMessages(allowed());
  const allOptions = { ...header.options, ...options };
  return {
    kind: "continued",
    run,
    counts,
    messageSet,
    effective: {
      options: allOptions,
      // The run keeps the names of its lists, which are not read again: the plan lacks whom they left out.
      guards: await openGuards(rowGuards, { ...send, options: allOptions, live: liveOf(destination) }),
    },
    source: header.source,
    isTyped: rows?.isTyped === true,
    leftOutCauses,
    notes: { warnings: [], ...rows?.notes(), ...shownLeftOut(leftOutSample, header.source !== undefined) },
  };
}

/** Requests a minute. A sandbox keeps no rate unless one is given. */
export function rateOf({ options: { rate }, payingProfile }: AnySend): number {
  return rate ?? (payingProfile === undefined ? Infinity : (payingProfile.defaults.rate ?? tierRates.free));
}
