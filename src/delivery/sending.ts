import type { Failure, Outcome } from "../core/outcome.ts";
import type { EndingKind } from "../errors.ts";
import { judge } from "../service/answer.ts";
import type { Exchange } from "../service/exchange.ts";
import { watchCommonCauses } from "./common-cause.ts";
import { encodeEntry, type JournalEntry, resultEntry } from "./journal-entry.ts";
import { Lanes } from "./lanes.ts";
import { retryWait } from "./retry.ts";
import type { RunEvent, RunLimits, RunParts } from "./run.ts";
import type { PlannedMessage } from "./run-plan.ts";
import { Upcoming } from "./upcoming.ts";

/** A message on its way. */
interface Attempt {
  readonly message: PlannedMessage;
  /** From 1. */
  readonly number: number;
  /** How many answers the run had seen when the message was first tried. */
  readonly answersBefore: number;
  /** What the attempt before is recorded as. */
  readonly last: Outcome | undefined;
}

/** No wait that the service asks for is longer. Milliseconds. */
const longestPause = 60_000;

/** So many events may wait for whoever shows them before nothing more is begun. */
const mostEvents = 1_000;

const notRecorded: Outcome = {
  kind: "uncertain",
  failure: {
    kind: "fault",
    error: "what became of it could not be recorded",
    errorCode: "RUN_NOT_RECORDED",
  },
};

/**
 * A run that is being sent. A message goes from the plan, by an intent on the disk, to `reserved`, then through a lane,
 * and by its result to the journal and the events; or back to `again`, where it is provably not sent and may be tried
 * once more.
 */
export class Sending {
  readonly #limits: RunLimits;
  readonly #parts: RunParts;
  readonly #upcoming: Upcoming<PlannedMessage>;
  readonly #lanes: Lanes;
  readonly #again: Attempt[] = [];
  readonly #reserved: Attempt[] = [];
  readonly #isCommonCause = watchCommonCauses();
  readonly #closed = new AbortController();
  readonly #onStop: () => void;
  #events: RunEvent[] = [];
  #wake: () => void = () => {};
  #inFlight = 0;
  /** Lines on their way to the journal. */
  #recording = 0;
  #isIntending = false;
  #isWaiting = false;
  #isOverLimit = false;
  #pausedUntil = 0;
  #answers = 0;
  /** How many are reserved beyond those that lanes wait for. */
  #ahead = 0;
  #stop: EndingKind | undefined;
  #error: unknown;

  constructor(messages: AsyncIterable<PlannedMessage>, limits: RunLimits, parts: RunParts) {
    this.#limits = limits;
    this.#parts = parts;
    this.#lanes = new Lanes(limits.concurrency, limits.timeout, parts);
    this.#upcoming = new Upcoming(messages, 4 * limits.concurrency, (error) => {
      if (error !== undefined) this.#end(error);
      this.#wake();
    });
    const { stop } = parts.interruption;
    this.#onStop = () => this.#halt(stop.reason === "SIGTERM" ? "terminated" : "interrupted");
    stop.addEventListener("abort", this.#onStop);
    if (stop.aborted) this.#onStop();
  }

  /** Sends until all is sent or nothing more may be. */
  async *events(): AsyncGenerator<RunEvent, void> {
    for (;;) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      this.#advance();
      const events = this.#events;
      this.#events = [];
      yield* events;
      if (events.length > 0) continue;
      if (!this.#isOver()) await woken;
      else if (this.#error === undefined) return;
      else throw this.#error;
    }
  }

  /** How the run ended. */
  ending(): EndingKind {
    const { ledger } = this.#parts;
    return this.#stop ?? (ledger.tally().accepted === ledger.messages ? "accepted" : "incomplete");
  }

  /** Breaks off what is still in flight. */
  async close(): Promise<void> {
    this.#parts.interruption.stop.removeEventListener("abort", this.#onStop);
    this.#stop ??= "interrupted";
    this.#closed.abort();
    this.#lanes.close();
    await this.#upcoming.close();
  }

  #isOver(): boolean {
    const isAllTried = this.#upcoming.isDone && this.#again.length === 0;
    return (
      (isAllTried || this.#stop !== undefined) &&
      this.#inFlight + this.#reserved.length + this.#recording === 0
    );
  }

  #advance(): void {
    while (this.#reserved.length > 0 && this.#send());
    this.#intend();
  }

  /** Reserves the messages whose turn it is, and sends them once their intent is on the disk. */
  #intend(): void {
    if (this.#isIntending || this.#stop !== undefined) return;
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    this.#isIntending = true;
    const indexes = batch.map(({ message }) => message.index);
    this.#record({ kind: "intent", indexes }, (isRecorded) => {
      this.#isIntending = false;
      if (isRecorded) this.#reserved.push(...batch);
      if (this.#stop !== undefined || this.#parts.now() < this.#pausedUntil) this.#release();
      this.#advance();
    });
  }

  #takeBatch(): readonly Attempt[] {
    const { pace, now, ledger } = this.#parts;
    const { concurrency, maxCredits } = this.#limits;
    const room = concurrency + this.#ahead - this.#inFlight - this.#reserved.length;
    const batch: Attempt[] = [];
    let exposure = ledger.exposure;
    while (batch.length < room && this.#events.length < mostEvents) {
      const attempt = this.#again[0] ?? this.#firstAttempt();
      if (attempt === undefined) break;
      const wait = pace.wait(now());
      if (wait > 0) {
        this.#waitFor(wait);
        break;
      }
      exposure += attempt.message.segments;
      if (exposure > maxCredits) {
        // What is in flight may yet be refused, and leave room.
        if (this.#inFlight + this.#reserved.length + batch.length === 0) this.#halt("limit");
        break;
      }
      if (this.#again.shift() === undefined) this.#upcoming.shift();
      pace.release(now());
      batch.push(attempt);
    }
    return batch;
  }

  #firstAttempt(): Attempt | undefined {
    const message = this.#upcoming.peek();
    return message && { message, number: 1, answersBefore: this.#answers, last: undefined };
  }

  #waitFor(ms: number): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const wake = () => {
      this.#isWaiting = false;
      this.#wake();
    };
    void this.#parts.sleep(Math.ceil(ms), this.#closed.signal).then(wake);
  }

  #send(): boolean {
    const next = () => {
      const attempt = this.#reserved.shift();
      if (attempt !== undefined) this.#inFlight++;
      // A lane that must wait for a flush loses its connection. From now on more is at hand, never more than can fly next.
      else if (this.#isIntending) this.#ahead = Math.min(this.#limits.concurrency, 2 * this.#ahead + 1);
      return attempt;
    };
    return this.#lanes.work<Attempt>(
      next,
      ({ message }) => this.#parts.request(message),
      (attempt, exchange) => this.#settle(attempt, exchange),
    );
  }

  /** Takes in what came of an attempt, and says whether its connection may carry another. */
  #settle(attempt: Attempt, exchange: Exchange): boolean {
    this.#inFlight--;
    if (exchange.kind === "answered") this.#answers++;
    const { message } = attempt;
    const { ledger, now } = this.#parts;
    const outcome = judge(exchange, message.to, now());
    // A message that was in doubt before stays so until it is accepted: the earlier attempt may have gone out.
    const isInDoubt = outcome.kind !== "accepted" && ledger.stateOf(message.index) === "uncertain";
    const last: Outcome = isInDoubt ? { kind: "uncertain", failure: outcome.failure } : outcome;
    const wait = this.#waitBeforeNext(attempt, outcome);
    this.#record(resultEntry(message.index, last), (isRecorded) => {
      if (wait === undefined) this.#emitSettled(message, isRecorded ? last : notRecorded);
    });
    if (outcome.kind !== "accepted") {
      if (wait !== undefined) {
        this.#again.push({ ...attempt, number: attempt.number + 1, last });
        this.#pause(wait, outcome.failure);
      } else if (this.#isCommonCause(outcome, this.#answers > attempt.answersBefore)) {
        this.#halt(outcome.failure.kind, outcome.failure);
      }
    } else this.#isCommonCause(outcome, true);
    this.#tellOverLimit();
    // Not sent from here: what is reserved is for this lane, whose connection is open.
    this.#intend();
    // Behind any other answer there may be one more, to a request before this.
    return outcome.kind === "accepted";
  }

  #waitBeforeNext({ number }: Attempt, outcome: Outcome): number | undefined {
    const isLast = this.#stop !== undefined || number > this.#limits.retries;
    if (outcome.kind !== "unsent" || isLast) return undefined;
    const wait = retryWait(outcome.retry, number + 1, Infinity, this.#parts.random());
    return wait === undefined ? undefined : Math.min(wait, longestPause);
  }

  #tellOverLimit(): void {
    const { charged } = this.#parts.ledger;
    const limit = this.#limits.maxCredits;
    if (charged <= limit || this.#isOverLimit) return;
    this.#isOverLimit = true;
    this.#emit({ kind: "over-limit", charged, limit });
  }

  /** Holds the whole run up. What is reserved goes back, so that a kill meanwhile leaves none of it uncertain. */
  #pause(ms: number, failure: Failure): void {
    const { pace, now } = this.#parts;
    const until = now() + ms;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    pace.pause(now(), ms);
    this.#release();
    this.#emit({ kind: "waiting", ms, failure });
  }

  #halt(why: EndingKind, failure?: Failure): void {
    if (this.#stop !== undefined) return;
    this.#stop = why;
    this.#emit({ kind: "stopping", why, failure });
    this.#release();
  }

  #release(): void {
    if (this.#reserved.length > 0) {
      const indexes = this.#reserved.map(({ message }) => message.index);
      this.#record({ kind: "released", indexes });
      this.#again.unshift(...this.#reserved.splice(0));
    }
    if (this.#stop === undefined) return;
    for (const { message, last } of this.#again.splice(0)) {
      if (last !== undefined) this.#emitSettled(message, last);
    }
  }

  /** Writes an entry to the journal, an intent lastingly, and says whether that succeeded. The first failure ends the run. */
  #record(entry: JournalEntry, done: (isRecorded: boolean) => void = () => {}): void {
    const { ledger, journal } = this.#parts;
    ledger.apply(entry);
    this.#recording++;
    const line = encodeEntry(entry);
    const finish = (isRecorded: boolean) => {
      this.#recording--;
      done(isRecorded);
      this.#wake();
    };
    (entry.kind === "intent" ? journal.writeLasting(line) : journal.write(line)).then(
      () => finish(true),
      (error: unknown) => {
        this.#end(error);
        this.#lanes.close();
        finish(false);
      },
    );
  }

  #end(error: unknown): void {
    this.#error ??= error;
    this.#halt("fault");
  }

  #emitSettled(message: PlannedMessage, outcome: Outcome): void {
    this.#emit({ kind: "settled", message, outcome });
  }

  #emit(event: RunEvent): void {
    this.#events.push(event);
    this.#wake();
  }
}
