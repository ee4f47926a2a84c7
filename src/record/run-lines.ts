import { createHash } from "node:crypto";
import { parseJson } from "../json.ts";
import { isHeader, type RunHeader } from "./header.ts";
import {
  closedBefore,
  decodeEntry,
  firstLine,
  type JournalEntry,
  cutOffOutcome,
  outcomeFrom,
} from "./journal-entry.ts";
import { Ledger } from "./ledger.ts";
import { isLeftOutLine, type LeftOutReason, type LeftOutRow, readLeftOutLine } from "./left-out.ts";
import { damaged, type PlannedMessage, readMessage, type RunPlaces } from "./plan.ts";
import type { Actor, MessageResult, RecordedRun } from "./runs.ts";

type Pages<Line> = AsyncIterable<readonly Line[]>;

interface LineText {
  readonly text: string;
}

interface JournalLine {
  readonly text: string;
  readonly offset: number;
  readonly by?: Actor;
}

/** A keeper reads the lines anew each time. */
interface RunLines extends Pick<RecordedRun, "header" | "by" | "lastWritten"> {
  readonly plan: () => Pages<LineText>;
  /** Undefined if the rows that are left out are lines of the plan. */
  readonly leftOutLines?: () => Pages<LineText>;
  readonly journal: () => Pages<JournalLine>;
  readonly linesAt: (offsets: readonly number[]) => Promise<ReadonlyMap<number, string>>;
  readonly places: RunPlaces;
}

export function recordedRun(lines: RunLines): RecordedRun {
  const { header, by, lastWritten, plan, journal, places } = lines;
  const emptyLedger = () => new Ledger(new Uint8Array(header.plan.messages));
  const fill = async (ledger: Ledger) => {
    await readJournal(journal(), places, ledger);
    return ledger;
  };
  return {
    header,
    by,
    lastWritten,
    readLedger: async () => fill(await checkPlan(lines)),
    readTimes: async () => {
      const ledger = emptyLedger();
      const times = new Float64Array(ledger.messages);
      await readLatest(lines, ledger, (index, at) => (times[index] = at));
      return { ledger, times };
    },
    readMessages: (isWanted) => readPlan(plan(), places, isWanted, header.plan.messages),
    readEntries: (onEntry) => readJournal(journal(), places, emptyLedger(), (entry, line) => onEntry(entry, line.by)),
    readResults: () => readResults(lines, emptyLedger()),
    readLeftOut: async function* readAllLeftOut() {
      yield* readLeftOut(lines.leftOutLines?.() ?? plan(), places);
      const ledger = await fill(emptyLedger());
      if (Object.keys(ledger.tally().leftOut).length === 0) return;
      const isWanted = (index: number) => ledger.leftOutCause(index) !== undefined;
      for await (const { index, line, to, fields } of readPlan(plan(), places, isWanted)) {
        const cause = ledger.leftOutCause(index);
        if (cause !== undefined) yield { kind: "left-out", index, line, to, fields, ...cause };
      }
    },
  };
}

export function readHeader(text: string, place: string, name: string): RunHeader {
  const value = parseJson(text);
  if (isHeader(value)) return value;
  throw damaged({ name }, `${place} is broken, or a newer sms wrote it`);
}

/** With `count` it throws `RUN_DAMAGED` for a plan of another length. */
export async function* readPlan(
  plan: Pages<LineText>,
  places: RunPlaces,
  isWanted: (index: number) => boolean = () => true,
  count?: number,
): AsyncGenerator<PlannedMessage, void> {
  let index = 0;
  for await (const lines of plan) {
    for (const { text } of lines) {
      if (isLeftOutLine(text)) continue;
      if (isWanted(index)) yield readMessage(text, index, places);
      index++;
    }
  }
  if (count !== undefined && index !== count) throw otherPlan(places);
}

export async function* readLeftOut(lines: Pages<LineText>, places: RunPlaces): AsyncGenerator<LeftOutRow, void> {
  for await (const page of lines) {
    for (const { text } of page) {
      if (!isLeftOutLine(text)) continue;
      const row = readLeftOutLine(text);
      if (row === undefined) throw damaged(places, `a row of ${places.plan} that is left out is broken`);
      yield row;
    }
  }
}

/** The result has no entries yet. */
async function checkPlan({ plan, leftOutLines, places, header }: RunLines): Promise<Ledger> {
  const { messages, digests } = header.plan;
  const segments = new Uint8Array(messages);
  const [hash, hashOfLeftOut] = [createHash("sha256"), createHash("sha256")];
  const counts: Partial<Record<LeftOutReason, number>> = {};
  let count = 0;
  const check = ({ text }: LineText) => {
    if (isLeftOutLine(text)) {
      hashOfLeftOut.update(text).update("\n");
      const reason = readLeftOutLine(text)?.reason ?? "invalid";
      counts[reason] = (counts[reason] ?? 0) + 1;
    } else {
      hash.update(text).update("\n");
      segments[count++] = Number(/"segments":(\d+)\}$/.exec(text)?.[1]);
    }
  };
  for await (const lines of plan()) lines.forEach(check);
  for await (const lines of leftOutLines?.() ?? []) lines.forEach(check);
  if (count !== messages || hash.digest("hex") !== digests.file || hashOfLeftOut.digest("hex") !== digests.leftOut)
    throw otherPlan(places);
  return new Ledger(segments, counts);
}

function otherPlan(places: RunPlaces): Error {
  return damaged(places, `${places.plan} is not the plan that the run began with`);
}

/** A half-written last line does not count. Throws `RUN_DAMAGED` for any other line that `sms` did not write. */
async function readJournal(
  journal: Pages<JournalLine>,
  places: RunPlaces,
  ledger: Ledger,
  onEntry: (entry: JournalEntry, line: JournalLine) => void = () => {},
): Promise<void> {
  let number = 0;
  for await (const lines of journal) {
    for (const line of lines) {
      number++;
      if (number === 1 && `${line.text}\n` === firstLine) continue;
      const entry = decodeEntry(line.text);
      if (entry === undefined) throw damaged(places, `line ${number} of ${places.journal} is broken`);
      if (!ledger.apply(entry))
        throw damaged(places, `line ${number} of ${places.journal} contradicts the lines before it`);
      onEntry(entry, line);
    }
  }
}

/** Calls `onLatest` for each entry of a message, so that its last call has the last entry. */
async function readLatest(
  { header, journal, places }: RunLines,
  ledger: Ledger,
  onLatest: (index: number, at: number, line: JournalLine, isResult: boolean) => void,
): Promise<void> {
  let now = Date.parse(header.started);
  await readJournal(journal(), places, ledger, (entry, line) => {
    if (entry.kind === "time") now = entry.at;
    else if ("index" in entry) onLatest(entry.index, now, line, true);
    else if (entry.kind === "intent") for (const index of entry.indexes) onLatest(index, now, line, false);
  });
}

async function* readResults(lines: RunLines, ledger: Ledger): AsyncGenerator<MessageResult, void> {
  const { plan, linesAt, places } = lines;
  const offsets = new Float64Array(ledger.messages).fill(-1);
  const times = new Float64Array(ledger.messages);
  const actors: (Actor | undefined)[] = [];
  await readLatest(lines, ledger, (index, at, { offset, by }, isResult) => {
    times[index] = at;
    if (isResult) offsets[index] = offset;
    else actors[index] = by;
  });
  let index = 0;
  for await (const page of plan()) {
    const planned = page.filter(({ text }) => !isLeftOutLine(text));
    const entries = await linesAt([...offsets.subarray(index, index + planned.length)].filter((offset) => offset >= 0));
    for (const { text } of planned) {
      const message = readMessage(text, index, places);
      const entry = ledger.isOpen(index) ? undefined : decodeEntry(entries.get(offsets[index] ?? -1) ?? "");
      const result = entry !== undefined && "index" in entry ? outcomeFrom(entry, message.to) : undefined;
      // The last result is not the outcome if a later intent was cut off, or the message was left out.
      const kind = ledger.outcomeOf(index);
      const last = result?.kind === kind ? result : kind === "uncertain" ? cutOffOutcome : undefined;
      index++;
      if (last === undefined && ledger.isLeftOut(message.index)) continue;
      const outcome = last ?? (ledger.isClosed ? closedBefore : undefined);
      const [at, by] = last === undefined ? [] : [times[message.index], actors[message.index]];
      yield { message, outcome, at, by };
    }
  }
}
