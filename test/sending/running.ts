import { requireRun } from "../../src/record/run-with-ledger.ts";
import { sendPath } from "../../src/service/address.ts";
import { openJournal } from "../../src/record/folder/journal.ts";
import type { Tally } from "../../src/record/ledger.ts";
import { openPace } from "../../src/sending/pace.ts";
import { openGate } from "../../src/guards/gate.ts";
import { type SendEvent, deliver } from "../../src/sending/engine.ts";
import type { SendLimits } from "../../src/sending/limits.ts";
import type { DraftMessage } from "../../src/record/plan.ts";
import type { Guard } from "../../src/guards/guard.ts";
import { folderRuns } from "../../src/record/folder/runs-folder.ts";
import type { FolderSpending } from "../../src/record/folder/spending-files.ts";
import { type RunFiles, runFiles } from "../../src/record/folder/run-files.ts";
import type { RunEntry, RunKeeper } from "../../src/record/runs.ts";
import type { StateFolder } from "../../src/files/state-folder.ts";
import { isToSend } from "../../src/sending/run/to-send.ts";
import { machine, ours } from "../files/this-process.ts";
import type { EndingKind } from "../../src/errors.ts";
import { type Interruption, systemHost } from "../../src/host.ts";
import { openConnections } from "../../src/service/connection.ts";
import { membersOf } from "../../src/message/fields.ts";
import { wireRequest } from "../../src/service/request.ts";
import { temporaryFolder } from "../support/folders.ts";

/** One for all tests of a file: each would listen to the streams of the process. */
const host = systemHost();

/** If a member is absent, nothing holds the run up. */
export interface Course extends Partial<Omit<SendLimits, "inFlight">> {
  /** Requests in flight, where a number stands for as many at first. */
  readonly inFlight?: number | SendLimits["inFlight"];
  readonly perMinute?: number;
  readonly retry?: readonly ("rejected" | "uncertain")[];
  readonly interruption?: Interruption;
  readonly wallClock?: () => number;
  readonly guards?: readonly Guard[];
  readonly spending?: FolderSpending;
  readonly beforeRecord?: (entry: RunEntry) => Promise<void>;
  readonly onEvent?: (event: SendEvent) => void;
}

export interface CourseEnded {
  readonly ending: EndingKind | undefined;
  readonly error: unknown;
  readonly events: readonly SendEvent[];
  readonly tally: Tally;
}

export function numberOf(index: number): string {
  return `+2547${String(index).padStart(8, "0")}`;
}

export function drafts(count: number): readonly DraftMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    line: index + 1,
    to: numberOf(index),
    text: "Hi",
    segments: 1,
  }));
}

export interface TestRun extends RunFiles {
  readonly runs: RunKeeper;
  readonly state: StateFolder;
}

export async function begunRun(messages: readonly DraftMessage[]): Promise<TestRun> {
  const state = ours(temporaryFolder());
  const run = { ...runFiles(state, "test"), runs: folderRuns(state, machine), state };
  const openRun = await run.runs.open("test");
  const { messages: count, segments, digests } = await openRun.writePlan(messages);
  await openRun.begin({
    version: 1,
    name: "test",
    started: "2026-01-01T00:00:00.000Z",
    binding: { baseUrl: "http://127.0.0.1", path: sendPath, credentials: "", mode: "test" },
    options: {},
    plan: { messages: count, segments, digests },
  });
  await openRun.release();
  return run;
}

/** Sends what is due of a run to the service at `origin`, and reads its files again. */
export async function sendRun({ runs, journal }: TestRun, origin: string, course: Course = {}): Promise<CourseEnded> {
  const { ledger, readMessages } = await requireRun(runs, "test");
  const { spending } = course;
  const writer = openJournal(journal, () => true, spending && (async () => spending));
  const never = new AbortController().signal;
  const service = {
    address: { origin, basePath: "", isLoopback: true },
    path: sendPath,
    credentials: { kind: "key", key: { mode: "test", secret: "sk_test_x" } },
  } as const;
  const events: SendEvent[] = [];
  const { inFlight: asked = 4 } = course;
  const inFlight = typeof asked === "number" ? { first: asked, most: asked } : asked;
  const sending = deliver(
    readMessages(isToSend(ledger, course.retry ?? [])),
    { time: { kind: "per-request", ms: 5_000 }, retries: 3, maxCredits: Infinity, ...course, inFlight },
    {
      now: host.now,
      wallClock: course.wallClock ?? host.wallClock,
      random: host.random,
      sleep: host.sleep,
      startRequest: await openConnections(origin, undefined),
      request: (message) => wireRequest(service, membersOf(message), "test"),
      writer: {
        record: async (entry, at, booking) => {
          await course.beforeRecord?.(entry);
          await writer.record(entry, at, booking);
        },
      },
      ledger,
      gate: openGate(course.guards ?? [], course.wallClock ?? host.wallClock),
      pace: openPace(course.perMinute ?? Infinity),
      redact: (text) => text,
      onEvent: (event) => {
        events.push(event);
        course.onEvent?.(event);
      },
      interruption: course.interruption ?? { stop: never, leave: never },
    },
  );
  const { ending, error } = await sending;
  await writer.close().catch(() => {});
  return {
    ending: error === undefined ? ending : undefined,
    error,
    events,
    tally: (await requireRun(runs, "test")).ledger.tally(),
  };
}

export function outcomesOf(events: readonly SendEvent[]): Readonly<Record<number, string>> {
  return Object.fromEntries(
    events.flatMap((event) => (event.kind === "final" ? [[event.message.index, event.outcome.kind]] : [])),
  );
}
