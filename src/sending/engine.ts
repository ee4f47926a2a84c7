// sending: one way from checked messages to outcomes, for a message, a run, the text after a command and a watch.

import type { Hold } from "../recipients/hold.ts";
import type { Failure, Outcome } from "../message/outcome.ts";
import { type FlightParts, InFlight } from "./in-flight.ts";
import type { SendLimits } from "./limits.ts";
import { longestWait, withEarlierDoubt, waitBeforeRetry } from "./retry.ts";
import { type EndingKind, endingOf } from "../errors.ts";
import type { Gate } from "../guards/gate.ts";
import type { Admission, Barrier, Reservation } from "../guards/guard.ts";
import type { Host } from "../host.ts";
import { judge } from "../service/answer.ts";
import type { Exchange } from "../service/exchange.ts";
import { type Attempt, Backlog } from "./backlog.ts";
import { alarm } from "./alarm.ts";
import { atLimit, failureOf, outcomeOfRow, watchCommonCauses } from "./common-cause.ts";
import { cutOffOutcome, resultEntry } from "../record/journal-entry.ts";
import { isAllAccepted, type Ledger } from "../record/ledger.ts";
import type { LeftOutCause } from "../record/left-out.ts";
import type { PlannedMessage } from "../record/plan.ts";
import type { RunEntry, RunWriter } from "../record/runs.ts";
import type { WireRequest } from "../service/request.ts";
import type { Pace } from "./pace.ts";

export interface SendParts extends FlightParts, Pick<Host, "wallClock" | "random"> {
  readonly ledger: Ledger;
  readonly writer: Pick<RunWriter, "record">;
  readonly gate: Gate;
  readonly request: (message: PlannedMessage) => WireRequest;
  readonly pace: Pace;
  readonly redact: (text: string) => string;
  readonly onEvent: (event: SendEvent) => void;
}

export type SendEvent =
  | { readonly kind: "final"; readonly message: PlannedMessage; readonly outcome: Outcome }
  /** A guard holds the message back after the plan was made, for good. */
  | { readonly kind: "left-out"; readonly message: PlannedMessage; readonly hold: Hold }
  | { readonly kind: "waiting"; readonly ms: number; readonly failure: Failure }
  | { readonly kind: "on-hold"; readonly hold: Hold; readonly until: NonNullable<Hold["until"]> }
  | { readonly kind: "stopping"; readonly why: EndingKind; readonly failure?: Failure; readonly hasRest: boolean }
  | { readonly kind: "over-limit"; readonly charged: number };

export interface DeliveryEnd {
  readonly ending: EndingKind;
  /** The failure that stopped the delivery; undefined if a signal, an error or nothing did. */
  readonly cause: Failure | undefined;
  /** This guard stopped the delivery, or held a message back last. */
  readonly barrier: Barrier | undefined;
  readonly last: Outcome | undefined;
  readonly lastAccepted: Accepted | undefined;
  /** Undefined if the delivery could go on; else an error such as an intent that could not be recorded. */
  readonly error: unknown;
}

type Accepted = Extract<Outcome, { kind: "accepted" }>;

/** Sends each message that it is given, and again only if nothing was sent. The caller gives none that was sent before. */
export function deliver(
  messages: AsyncIterable<PlannedMessage>,
  limits: SendLimits,
  parts: SendParts,
): Promise<DeliveryEnd> {
  return new Engine(messages, limits, parts).deliver();
}

/** The machine may sleep meanwhile, and somebody may set its clock. */
const lookAgainMs = 20_000;

const readAhead = 256;

/** A try passes backlog, gate, intent, request, record and event; a retry goes back to the backlog. */
class Engine {
  readonly #limits: SendLimits;
  readonly #parts: SendParts;
  readonly #backlog: Backlog;
  readonly #inFlight: InFlight;
  readonly #commonCause = watchCommonCauses();
  readonly #gate: Gate;
  readonly #closing = new AbortController();
  readonly #onStop: () => void;
  readonly #wakeAfter: (ms: number) => void;
  #wake: () => void = () => {};
  #pausedUntil = 0;
  /** The end of the time for all tries, which counts from the first; Infinity if each request has its own. */
  #totalDeadline = Infinity;
  /** The hold that was announced last ends then, so that it is announced once. */
  #announcedUntil: number | undefined;
  #isOverLimit = false;
  #answers = 0;
  /** Requests that have ended. */
  #exchanges = 0;
  #ending: EndingKind | undefined;
  #error: unknown;
  #failure: Failure | undefined;
  #barrier: Barrier | undefined;
  #last: Outcome | undefined;
  #lastAccepted: Accepted | undefined;
  #isLooking = false;
  /** One batch is recorded at a time, so that one flush serves many messages. */
  #isRecordingIntents = false;
  #entriesInWriting = 0;
  #mostInFlight: number;
  /** A message is due that waits for one in flight to end. */
  #isShortOfRoom = false;
  /** The value of `#exchanges` when the daily limit held a message back; undefined if the limit admitted all. */
  #exchangesAtBarrier: number | undefined;

  constructor(messages: AsyncIterable<PlannedMessage>, limits: SendLimits, parts: SendParts) {
    this.#limits = limits;
    this.#parts = parts;
    this.#gate = parts.gate;
    this.#wakeAfter = alarm(parts, this.#closing.signal, () => this.#wake());
    this.#backlog = new Backlog(messages, readAhead, (error) => {
      if (error !== undefined) this.#fail(error);
      this.#wake();
    });
    this.#mostInFlight = limits.inFlight.first;
    this.#inFlight = new InFlight(limits.time.ms, parts);
    const { stop } = parts.interruption;
    this.#onStop = () => {
      // The signal is the cause, even if something else stopped the run before.
      this.#halt(endingOf(stop));
      this.#ending = endingOf(stop);
      this.#inFlight.stop();
    };
    stop.addEventListener("abort", this.#onStop);
    if (stop.aborted) this.#onStop();
  }

  async deliver(): Promise<DeliveryEnd> {
    try {
      while (!this.#isOver()) {
        const change = new Promise<void>((resolve) => (this.#wake = resolve));
        this.#advance();
        if (!this.#isOver()) await change;
      }
    } catch (error) {
      this.#error ??= error;
    }
    const ending = this.#ending ?? (isAllAccepted(this.#parts.ledger.tally()) ? "accepted" : "incomplete");
    await this.#close();
    return {
      ending: this.#error === undefined ? ending : "fault",
      cause: this.#failure,
      barrier: this.#barrier,
      last: this.#last,
      lastAccepted: this.#lastAccepted,
      error: this.#error,
    };
  }

  async #close(): Promise<void> {
    this.#parts.interruption.stop.removeEventListener("abort", this.#onStop);
    this.#ending ??= "interrupted";
    this.#closing.abort("closing");
    this.#inFlight.close();
    await this.#backlog.close();
  }

  #isOver(): boolean {
    return (this.#backlog.isEmpty || this.#ending !== undefined) && this.#isIdle();
  }

  #isIdle(): boolean {
    return this.#inFlight.count + this.#entriesInWriting === 0;
  }

  /** Takes and records what may go now. The requests begin once their intents are recorded. */
  #advance(): void {
    if (this.#isRecordingIntents || this.#ending !== undefined) return;
    if (!this.#gate.isCurrent()) return void this.#lookAgain();
    // If the daily limit has held a message back, only the end of another makes room again.
    if (this.#exchangesAtBarrier === this.#exchanges && !this.#isIdle()) return;
    const batch = this.#takeBatch();
    if (batch.length > 0) this.#recordIntents(batch);
  }

  #recordIntents(batch: readonly Attempt[]): void {
    this.#isRecordingIntents = true;
    const messages = batch.map(({ message }) => message);
    const reservation = this.#gate.reservations?.reserve(messages.map(({ segments }) => segments));
    const exchanges = this.#exchanges;
    const onWritten = () => {
      this.#isRecordingIntents = false;
      this.#begin(reservation ? this.#admit(batch, reservation.admission(), exchanges) : batch);
      this.#advance();
    };
    this.#write({ kind: "intent", indexes: messages.map(({ index }) => index) }, onWritten, reservation);
  }

  /** The writer recorded intents of the admitted messages only. `exchanges` is the count before it did. */
  #admit(batch: readonly Attempt[], { credits, barrier }: Admission, exchanges: number): readonly Attempt[] {
    const rest = batch.slice(credits.length);
    this.#parts.ledger.apply({ kind: "withdrawn", indexes: rest.map(({ message }) => message.index) });
    this.#putBack(rest);
    this.#exchangesAtBarrier = barrier && exchanges;
    // A message in flight may be refused, or cost less than its credits.
    const mayMakeRoom = credits.length > 0 || !this.#isIdle() || exchanges !== this.#exchanges;
    if (barrier !== undefined && (!mayMakeRoom || barrier.kind === "unreadable")) this.#haltAt(barrier);
    return batch.slice(0, credits.length).map((attempt, at) => ({ ...attempt, credits: credits[at] }));
  }

  /** `onWritten` is called when the entry is recorded, or when that has failed. */
  #write(entry: RunEntry, onWritten: () => void, reservation?: Reservation): void {
    const { ledger, writer, now, wallClock } = this.#parts;
    const booking = reservation ?? this.#gate.reservations?.bookRest();
    // `now()` stops while the machine sleeps, and a text after it woke must not seem to be from before.
    const at = Math.max(now(), wallClock());
    ledger.apply(entry);
    this.#entriesInWriting++;
    const finish = () => {
      this.#entriesInWriting--;
      this.#orFail(onWritten);
    };
    writer.record(entry, at, booking).then(finish, (error: unknown) => {
      this.#fail(error);
      this.#inFlight.stop();
      finish();
    });
  }

  #begin(batch: readonly Attempt[]): void {
    const rest = [...batch];
    for (let [attempt] = rest; attempt !== undefined && this.#mayBegin(); [attempt] = rest) {
      const passage = this.#askGate(attempt);
      if (passage === "stay") break;
      if (passage === "go") this.#start(attempt);
      else {
        this.#withdraw([attempt]);
        this.#leaveOut(attempt, passage);
      }
      rest.shift();
    }
    this.#withdraw(rest);
    this.#putBack(rest);
  }

  /**
   * While intents were recorded, a receipt may have shown a higher charge, somebody may have opted out, or a pause may have
   * begun: then the intents are taken back, so that a kill leaves none uncertain.
   */
  #mayBegin(): boolean {
    const isOfToday = this.#gate.reservations?.isOfToday() !== false;
    const isCurrent = isOfToday && this.#gate.isCurrent();
    return this.#ending === undefined && this.#parts.now() >= this.#pausedUntil && this.#fits(0) && isCurrent;
  }

  #start(attempt: Attempt): void {
    const exchangesAtStart = this.#exchanges;
    const { pace, now, request: requestFor } = this.#parts;
    const { time } = this.#limits;
    if (time.kind === "total") this.#totalDeadline = Math.min(this.#totalDeadline, now() + time.ms);
    try {
      const request = requestFor(attempt.message);
      pace.begin(now());
      this.#inFlight.start(request, this.#totalDeadline, (exchange) =>
        this.#orFail(() => this.#settle(attempt, exchange, exchangesAtStart)),
      );
    } catch (error) {
      this.#withdraw([attempt]);
      this.#fail(error);
    }
  }

  async #lookAgain(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.#gate.look().catch((error: unknown) => this.#fail(error));
    this.#isLooking = false;
    this.#wake();
  }

  #takeBatch(): readonly Attempt[] {
    const { pace, now } = this.#parts;
    const room = this.#mostInFlight - this.#inFlight.count;
    const batch: Attempt[] = [];
    let segments = 0;
    this.#isShortOfRoom = false;
    for (;;) {
      const next = this.#backlog.peek();
      if (next === undefined) break;
      const pauseMs = pace.wait(now(), batch.length);
      if (pauseMs > 0) {
        this.#wakeAfter(pauseMs);
        break;
      }
      if (batch.length >= room) {
        this.#isShortOfRoom = true;
        break;
      }
      const passage = this.#askGate(next);
      if (passage === "stay") break;
      if (passage !== "go") {
        this.#backlog.take(this.#answers);
        this.#leaveOut(next, passage);
        continue;
      }
      segments += next.message.segments;
      if (!this.#fits(segments)) {
        // If a message in flight is refused, there is room again.
        if (this.#inFlight.count + batch.length === 0) this.#halt("limit", atLimit);
        break;
      }
      const attempt = this.#backlog.take(this.#answers);
      if (attempt === undefined) break;
      batch.push(attempt);
    }
    return batch;
  }

  #fits(segments: number): boolean {
    const { ledger } = this.#parts;
    return ledger.exposure + segments * ledger.creditsPerSegment <= this.#limits.maxCredits;
  }

  /** Waits or stops as the gate says, or returns why to leave the message out. If one message stays, all the rest do, too. */
  #askGate({ message }: Pick<Attempt, "message">): "go" | "stay" | LeftOutCause {
    const barrier = this.#gate.barrierFor(message.to);
    if (barrier === undefined) return "go";
    const hold = barrier.kind === "held" ? barrier.hold : undefined;
    if (hold?.leftOutCause !== undefined) {
      this.#barrier = { kind: "held", hold };
      this.#emit({ kind: "left-out", message, hold });
      return hold.leftOutCause;
    }
    if (hold?.until !== undefined && this.#limits.waitsOutHolds) this.#waitOut(hold, hold.until);
    else this.#haltAt(barrier);
    return "stay";
  }

  /** The message must have no open intent, or it would be in doubt. */
  #leaveOut({ message, last }: Pick<Attempt, "message" | "last">, cause: LeftOutCause): void {
    const { ledger } = this.#parts;
    this.#write({ kind: "left-out", ...cause, indexes: [message.index] }, () => this.#wake());
    // An earlier doubt stays.
    if (ledger.outcomeOf(message.index) === "uncertain") this.#emitFinal(message, last ?? cutOffOutcome);
  }

  #waitOut(hold: Hold, until: NonNullable<Hold["until"]>): void {
    this.#wakeAfter(Math.min(lookAgainMs, Math.max(1, until.at - this.#parts.wallClock())));
    if (this.#announcedUntil === until.at) return;
    this.#announcedUntil = until.at;
    this.#emit({ kind: "on-hold", hold, until });
  }

  /** `exchangesAtStart` is the count when the request began. */
  #settle(attempt: Attempt, exchange: Exchange, exchangesAtStart: number): void {
    const exchanges = ++this.#exchanges;
    if (exchange.kind === "answered") {
      this.#answers++;
      // Without answers, a service that is gone never leaves more messages in doubt than are in flight at first.
      if (this.#isShortOfRoom) this.#mostInFlight = Math.min(this.#mostInFlight + 1, this.#limits.inFlight.most);
    }
    const { message, number } = attempt;
    const { ledger, now, random, redact } = this.#parts;
    const outcome = outcomeOfRow(judge(exchange, { to: message.to, now: now(), redact }), message);
    this.#noteSpent(attempt, outcome);
    const result = withEarlierDoubt(outcome, ledger.outcomeBefore(message.index) === "uncertain");
    const { retries } = this.#limits;
    const longest = longestWait(this.#totalDeadline - now());
    const pauseMs = this.#ending ? undefined : waitBeforeRetry(outcome, { number, retries, longest, random: random() });
    this.#write(resultEntry(message.index, result), () => {
      if (pauseMs === undefined) this.#emitFinal(message, result);
      this.#wake();
    });
    if (pauseMs !== undefined && outcome.kind === "unsent") {
      this.#backlog.retry({ ...attempt, number: number + 1, last: result });
      this.#pause(pauseMs, outcome.failure);
    } else {
      const isAnswered = this.#answers > attempt.answersAtFirstTry;
      const common = this.#commonCause(outcome, isAnswered, exchangesAtStart, exchanges);
      if (common !== undefined) this.#halt(common.kind, common);
    }
    if (!this.#isOverLimit && ledger.charged > this.#limits.maxCredits) {
      this.#isOverLimit = true;
      this.#emit({ kind: "over-limit", charged: ledger.charged });
    }
    this.#advance();
  }

  #pause(ms: number, failure: Failure): void {
    const { pace, now } = this.#parts;
    const until = now() + ms;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    pace.pause(now(), ms);
    this.#emit({ kind: "waiting", ms, failure });
  }

  #haltAt(barrier: Barrier): void {
    this.#halt("limit", failureOf(barrier), barrier);
  }

  #halt(why: EndingKind, failure?: Failure, barrier?: Barrier): void {
    if (this.#ending !== undefined) return;
    this.#ending = why;
    this.#failure = failure;
    this.#barrier = barrier;
    this.#emit({ kind: "stopping", why, failure, hasRest: !this.#backlog.isEmpty });
    this.#makeReturnedFinal();
  }

  #withdraw(attempts: readonly Attempt[]): void {
    const indexes = attempts.map(({ message }) => message.index);
    for (const attempt of attempts) this.#noteSpent(attempt, undefined);
    if (indexes.length > 0) this.#write({ kind: "withdrawn", indexes }, () => this.#wake());
  }

  #noteSpent({ credits }: Attempt, outcome: Outcome | undefined): void {
    if (credits !== undefined) this.#gate.reservations?.spend(credits, outcome);
  }

  #putBack(attempts: readonly Attempt[]): void {
    this.#backlog.putBack(attempts);
    if (this.#ending !== undefined) this.#makeReturnedFinal();
  }

  /** After a stop the retries become final with the outcome that they have. */
  #makeReturnedFinal(): void {
    for (const { message, last } of this.#backlog.dropReturned()) this.#emitFinal(message, last);
  }

  /** Who calls back, such as undici, would swallow the error, and the delivery would never end. */
  #orFail(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    this.#halt("fault");
  }

  #emit(event: SendEvent): void {
    this.#orFail(() => this.#parts.onEvent(event));
    this.#wake();
  }

  #emitFinal(message: PlannedMessage, outcome: Outcome | undefined): void {
    if (outcome === undefined) return;
    this.#last = outcome;
    if (outcome.kind === "accepted") this.#lastAccepted = outcome;
    this.#emit({ kind: "final", message, outcome });
  }
}
