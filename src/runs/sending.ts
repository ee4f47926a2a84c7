import type { Failure } from "../core/outcome.ts";
import { type EndingKind, endingOf } from "../errors.ts";
import { judge } from "../service/answer.ts";
import type { Exchange } from "../service/exchange.ts";
import { type Attempt, comesTo, notRecorded, waitBeforeNext } from "./attempt.ts";
import { type Budget, watchBudget } from "./budget.ts";
import { watchCommonCauses } from "./common-cause.ts";
import { type Foresight, watchFlushes } from "./foresight.ts";
import { resultEntry } from "./journal-entry.ts";
import { Lanes, type LaneWork } from "../delivery/lanes.ts";
import { Recording } from "./recording.ts";
import type { RunEvent, RunLimits, RunParts } from "./events.ts";
import type { PlannedMessage } from "./plan.ts";
import { Upcoming } from "./upcoming.ts";

/** So many events may wait for whoever shows them before nothing more is begun. */
const mostEvents = 1_000;

/**
 * A run that is being sent. A message goes from the plan, by an intent on the disk, to `reserved`, then through a lane,
 * and by its result to the journal and the events; or back to `again`, where it is provably not sent and may be tried
 * once more.
 */
export class Sending {
  readonly #limits: RunLimits;
  readonly #parts: RunParts;
  readonly #recording: Recording;
  readonly #upcoming: Upcoming<PlannedMessage>;
  readonly #lanes: Lanes<Attempt>;
  readonly #again: Attempt[] = [];
  readonly #reserved: Attempt[] = [];
  readonly #commonCause = watchCommonCauses();
  readonly #budget: Budget;
  readonly #foresight: Foresight;
  readonly #closed = new AbortController();
  readonly #onStop: () => void;
  #events: RunEvent[] = [];
  #wake: () => void = () => {};
  #isIntending = false;
  #isWaiting = false;
  #pausedUntil = 0;
  #answers = 0;
  #stop: EndingKind | undefined;
  #error: unknown;

  constructor(messages: AsyncIterable<PlannedMessage>, limits: RunLimits, parts: RunParts) {
    this.#limits = limits;
    this.#parts = parts;
    const work: LaneWork<Attempt> = {
      next: () => this.#reserved.shift(),
      request: ({ message }) => parts.request(message),
      settle: (attempt, exchange) => this.#settle(attempt, exchange),
    };
    this.#lanes = new Lanes(limits.concurrency, limits.timeout, work, parts);
    this.#recording = new Recording(parts.ledger, parts.journal, (error) => {
      this.#end(error);
      this.#lanes.close();
    });
    this.#upcoming = new Upcoming(messages, 16 * limits.concurrency, (error) => {
      if (error !== undefined) this.#end(error);
      this.#wake();
    });
    this.#budget = watchBudget(limits.maxCredits, parts.ledger);
    this.#foresight = watchFlushes(limits.concurrency, parts.now);
    const { stop } = parts.interruption;
    this.#onStop = () => this.#halt(endingOf(stop));
    stop.addEventListener("abort", this.#onStop);
    if (stop.aborted) this.#onStop();
  }

  /** Sends until all is sent or nothing more may be; yields what happens and returns how it ended. Whoever leaves ends it. */
  async *events(): AsyncGenerator<RunEvent, EndingKind> {
    try {
      while (!this.#isOver() || this.#events.length > 0) {
        const woken = new Promise<void>((resolve) => (this.#wake = resolve));
        this.#advance();
        const events = this.#events;
        this.#events = [];
        // Not `yield*`, which would wait for each event of an array as for a promise.
        for (const event of events) yield event;
        if (events.length === 0 && !this.#isOver()) await woken;
      }
      if (this.#error !== undefined) throw this.#error;
      const { ledger } = this.#parts;
      return this.#stop ?? (ledger.tally().accepted === ledger.messages ? "accepted" : "incomplete");
    } finally {
      await this.#close();
    }
  }

  /** Breaks off what is still in flight. */
  async #close(): Promise<void> {
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
      this.#lanes.inFlight + this.#reserved.length + this.#recording.pending === 0
    );
  }

  #advance(): void {
    this.#lanes.fill(() => this.#reserved.length > 0);
    this.#intend();
  }

  /** Reserves the messages whose turn it is, and sends them once their intent is on the disk. */
  #intend(): void {
    if (this.#isIntending || this.#stop !== undefined) return;
    if (2 * this.#reserved.length > this.#foresight.ahead()) return;
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    this.#isIntending = true;
    const began = this.#parts.now();
    const indexes = batch.map(({ message }) => message.index);
    this.#recording.add({ kind: "intent", indexes }, () => {
      this.#isIntending = false;
      this.#foresight.flushed(this.#parts.now() - began);
      this.#reserved.push(...batch);
      if (this.#stop !== undefined || this.#parts.now() < this.#pausedUntil) this.#release();
      this.#advance();
    });
  }

  #takeBatch(): readonly Attempt[] {
    const { pace, now } = this.#parts;
    const room =
      this.#limits.concurrency + this.#foresight.ahead() - this.#lanes.inFlight - this.#reserved.length;
    const batch: Attempt[] = [];
    let credits = 0;
    while (batch.length < room && this.#events.length < mostEvents) {
      const attempt = this.#again[0] ?? this.#firstAttempt();
      if (attempt === undefined) break;
      const wait = pace.wait(now());
      if (wait > 0) {
        this.#waitFor(wait);
        break;
      }
      credits += attempt.message.segments;
      if (!this.#budget.fits(credits)) {
        // What is in flight may yet be refused, and leave room.
        if (this.#lanes.inFlight + this.#reserved.length + batch.length === 0) this.#halt("limit");
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

  /** Takes in what came of an attempt, and says whether its connection may carry another. */
  #settle(attempt: Attempt, exchange: Exchange): boolean {
    if (exchange.kind === "answered") {
      this.#answers++;
      this.#foresight.answered();
    }
    const { message } = attempt;
    const { ledger, now, random } = this.#parts;
    const outcome = judge(exchange, message.to, now());
    const last = comesTo(outcome, ledger.stateOf(message.index) === "uncertain");
    const wait = this.#stop ? undefined : waitBeforeNext(attempt, outcome, this.#limits.retries, random());
    this.#recording.add(resultEntry(message.index, last), (isRecorded) => {
      const shown = isRecorded ? last : notRecorded;
      if (wait === undefined) this.#emit({ kind: "settled", message, outcome: shown });
      this.#wake();
    });
    if (wait !== undefined && outcome.kind === "unsent") {
      this.#again.push({ ...attempt, number: attempt.number + 1, last });
      this.#pause(wait, outcome.failure);
    } else {
      const common = this.#commonCause(outcome, this.#answers > attempt.answersBefore);
      if (common !== undefined) this.#halt(common.kind, common);
    }
    const charged = this.#budget.overrun();
    if (charged !== undefined) this.#emit({ kind: "over-limit", charged });
    // Not sent from here: what is reserved is for this lane, whose connection is open.
    this.#intend();
    // Behind any other answer there may be one more, to a request before this.
    return outcome.kind === "accepted";
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
      this.#recording.add({ kind: "released", indexes }, () => this.#wake());
      this.#again.unshift(...this.#reserved.splice(0));
    }
    if (this.#stop === undefined) return;
    for (const { message, last } of this.#again.splice(0)) {
      if (last !== undefined) this.#emit({ kind: "settled", message, outcome: last });
    }
  }

  #end(error: unknown): void {
    this.#error ??= error;
    this.#halt("fault");
  }

  #emit(event: RunEvent): void {
    this.#events.push(event);
    this.#wake();
  }
}
