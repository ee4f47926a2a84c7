import type { Failure, Outcome } from "../message/outcome.ts";
import { Lanes } from "../delivery/lanes.ts";
import { outcomeAfter, waitBeforeRetry } from "../delivery/retry.ts";
import { type EndingKind, endingOf } from "../errors.ts";
import { type Gate, openGate, type Refusal } from "../guards/gate.ts";
import type { Host, Interruption } from "../host.ts";
import { judge } from "../service/answer.ts";
import type { Exchange } from "../service/exchange.ts";
import { type Attempt, Backlog, type RunEvent } from "./backlog.ts";
import { outcomeOfRow, watchCommonCauses } from "./common-cause.ts";
import { Intents, Recording, type RecordingParts } from "./intents.ts";
import { resultEntry } from "../record/journal-entry.ts";
import type { PlannedMessage } from "../record/plan.ts";
import type { Reservations } from "../guards/daily-limit.ts";
import type { Guard } from "../guards/guard.ts";
import type { Connections } from "../service/connection.ts";
import type { WireRequest } from "../service/request.ts";
import type { Pace } from "../delivery/pace.ts";

export interface RunLimits {
  readonly concurrency: number;
  /** Milliseconds for one request, from when it is handed to the network to its last byte. */
  readonly timeout: number;
  /** Tries of a message after the first, for what was provably not sent. */
  readonly retries: number;
  /** Credits that the whole run may be charged; Infinity for no limit. */
  readonly maxCredits: number;
}

interface RunParts extends RecordingParts, Pick<Host, "wallClock" | "sleep" | "random"> {
  readonly connections: Connections;
  /** Asked again just before each message. */
  readonly guards: readonly Guard[];
  readonly reservations?: Reservations | undefined;
  readonly request: (message: PlannedMessage) => WireRequest;
  readonly pace: Pace;
  readonly interruption: Interruption;
  readonly redact: (text: string) => string;
  readonly onEvent: (event: RunEvent) => void;
}

/** Sends each message at most once, its intent on disk first. Throws if the journal fails: all sending has stopped. */
export function send(messages: AsyncIterable<PlannedMessage>, limits: RunLimits, parts: RunParts): Promise<EndingKind> {
  return new Sending(messages, limits, parts).run();
}

/** Intents that are recorded ahead for each lane while connections are reused: a lane that waits for a flush loses its own. */
const intentsAhead = 16;

interface BegunAttempt extends Attempt {
  /** How many requests of the run had ended by then. */
  readonly endedBefore: number;
}

/** A run's sending: backlog, intent, lane, then journal and event; a retry goes back to the backlog. */
class Sending {
  readonly #limits: RunLimits;
  readonly #parts: RunParts;
  readonly #recording: Recording;
  readonly #backlog: Backlog;
  readonly #intents: Intents;
  readonly #lanes: Lanes<BegunAttempt>;
  readonly #commonCause = watchCommonCauses();
  readonly #gate: Gate;
  /** Intents to have ready beyond those that free lanes wait for. */
  readonly #ahead: number;
  readonly #closed = new AbortController();
  readonly #onStop: () => void;
  readonly #wakeAfter: (ms: number) => void;
  #wake: () => void = () => {};
  #pausedUntil = 0;
  #isOverLimit = false;
  #answers = 0;
  #ended = 0;
  #stop: EndingKind | undefined;
  #error: unknown;
  #isLooking = false;
  #isReserving = false;
  /** How many answers had come when the day had no room for the next message; undefined if it had. */
  #fullAfter: number | undefined;

  constructor(messages: AsyncIterable<PlannedMessage>, limits: RunLimits, parts: RunParts) {
    this.#limits = limits;
    this.#parts = parts;
    const { concurrency, timeout } = limits;
    this.#ahead = parts.connections.isReused ? intentsAhead * concurrency : 0;
    this.#gate = openGate(parts.guards, parts.wallClock, parts.reservations);
    this.#wakeAfter = alarm(parts, this.#closed.signal, () => this.#wake());
    this.#backlog = new Backlog(messages, 16 * concurrency, (error) => {
      if (error !== undefined) this.#fail(error);
      this.#wake();
    });
    this.#recording = new Recording(parts, (error) => {
      this.#fail(error);
      this.#lanes.stop();
    });
    const recording: Pick<Recording, "intend" | "withdraw"> = {
      intend: (indexes, done) => this.#recording.intend(indexes, done),
      withdraw: (indexes, done) => {
        for (const index of indexes) this.#gate.settle(index, undefined);
        this.#recording.withdraw(indexes, done);
      },
    };
    this.#intents = new Intents(recording, () => this.#wake());
    const work = {
      next: () => {
        // A receipt may have shown a higher charge since the intents were recorded, or somebody may have opted out.
        if (!this.#fits(0) || !this.#gate.isCurrent()) this.#release();
        const attempt = this.#intents.take((next) => this.#isAllowed(next));
        return attempt && { ...attempt, endedBefore: this.#ended };
      },
      request: ({ message }: Attempt) => parts.request(message),
      settle: (attempt: BegunAttempt, exchange: Exchange) => this.#settle(attempt, exchange),
      fail: (attempt: Attempt, error: unknown) => {
        this.#intents.takeBack([attempt]);
        this.#fail(error);
      },
    };
    this.#lanes = new Lanes(concurrency, timeout, work, parts);
    const { stop } = parts.interruption;
    this.#onStop = () => {
      // The signal is the cause, whatever stopped the run before and whatever stops now.
      this.#halt(endingOf(stop));
      this.#stop = endingOf(stop);
      this.#lanes.stop();
    };
    stop.addEventListener("abort", this.#onStop);
    if (stop.aborted) this.#onStop();
  }

  /** Sends until all is sent or no more may be sent. */
  async run(): Promise<EndingKind> {
    try {
      while (!this.#isOver()) {
        const change = new Promise<void>((resolve) => (this.#wake = resolve));
        this.#advance();
        if (!this.#isOver()) await change;
      }
      if (this.#error !== undefined) throw this.#error;
      const { ledger } = this.#parts;
      return this.#stop ?? (ledger.tally().accepted === ledger.messages ? "accepted" : "incomplete");
    } finally {
      await this.#close();
    }
  }

  async #close(): Promise<void> {
    this.#parts.interruption.stop.removeEventListener("abort", this.#onStop);
    this.#stop ??= "interrupted";
    this.#closed.abort("closed");
    this.#lanes.close();
    await this.#backlog.close();
    await this.#gate.close();
  }

  #isOver(): boolean {
    return (
      (this.#backlog.isEmpty || this.#stop !== undefined) &&
      !this.#isReserving &&
      this.#lanes.inFlight + this.#intents.ready + this.#recording.pending === 0
    );
  }

  #advance(): void {
    this.#lanes.fill(() => this.#intents.ready > 0);
    this.#recordIntents();
  }

  /** Records an intent for the messages whose turn it is, and sends them when it is on the disk. */
  #recordIntents(): void {
    if (this.#isReserving || this.#intents.isRecording || this.#stop !== undefined) return;
    if (2 * this.#intents.ready > this.#ahead) return;
    // Only an answer makes room again.
    if (this.#fullAfter === this.#ended && this.#lanes.inFlight > 0) return;
    if (!this.#gate.isCurrent()) return this.#lookAgain();
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    if (this.#gate.reserve === undefined) this.#record(batch);
    else void this.#reserve(batch, this.#gate.reserve);
  }

  async #reserve(batch: readonly Attempt[], reserve: NonNullable<Gate["reserve"]>): Promise<void> {
    this.#isReserving = true;
    let granted = 0;
    try {
      const admission = await reserve(batch.map(({ message }) => message));
      ({ granted } = admission);
      const { refusal } = admission;
      this.#fullAfter = refusal && this.#ended;
      // What is in flight may be refused, or cost less than it may.
      const isLast = granted + this.#lanes.inFlight + this.#intents.ready === 0;
      if (refusal !== undefined && (isLast || refusal.kind === "unreadable")) this.#halt("limit", failureOf(refusal));
    } catch (error) {
      this.#fail(error);
    }
    this.#isReserving = false;
    if (this.#stop === undefined) {
      this.#backlog.putBack(batch.slice(granted));
      if (granted > 0) this.#record(batch.slice(0, granted));
    } else this.#release(batch);
    this.#wake();
  }

  #record(batch: readonly Attempt[]): void {
    this.#intents.record(batch, () => {
      if (this.#stop !== undefined || this.#parts.now() < this.#pausedUntil) this.#release();
      this.#advance();
    });
  }

  #lookAgain(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const finish = () => {
      this.#isLooking = false;
      this.#wake();
    };
    this.#gate.look().then(finish, (error: unknown) => {
      this.#fail(error);
      finish();
    });
  }

  /** Takes as many tries from the backlog as lanes, pace, guards and budget allow now. */
  #takeBatch(): readonly Attempt[] {
    const { pace, now } = this.#parts;
    const taken = this.#lanes.inFlight + this.#intents.ready;
    const room = this.#limits.concurrency + this.#ahead - taken;
    const batch: Attempt[] = [];
    let segments = 0;
    while (batch.length < room) {
      const next = this.#backlog.peek();
      if (next === undefined) break;
      const wait = pace.wait(now());
      if (wait > 0) {
        this.#wakeAfter(wait);
        break;
      }
      if (!this.#isAllowed(next)) {
        if (this.#stop !== undefined) break;
        this.#backlog.take(this.#answers);
        continue;
      }
      segments += next.message.segments;
      if (!this.#fits(segments)) {
        // A refusal of what is in flight would make room again.
        if (taken + batch.length === 0) this.#halt("limit", atLimit);
        break;
      }
      const attempt = this.#backlog.take(this.#answers);
      if (attempt === undefined) break;
      pace.release(now());
      batch.push(attempt);
    }
    return batch;
  }

  #fits(segments: number): boolean {
    const { ledger } = this.#parts;
    return ledger.exposure + segments * ledger.creditsPerSegment <= this.#limits.maxCredits;
  }

  /** Whether the guards allow this try. What they hold back is left out, or stops the run. */
  #isAllowed({ message, last }: Pick<Attempt, "message" | "last">): boolean {
    const refusal = this.#gate.refusalOf(message.to);
    if (refusal === undefined) return true;
    if (refusal.kind === "held" && refusal.hold.effect === "leave-out") {
      this.#emitSettled(message, last);
      this.#emit({ kind: "held", message, hold: refusal.hold });
    } else this.#halt("limit", failureOf(refusal));
    return false;
  }

  /** Judges and records an exchange. Returns whether its connection may carry another request. */
  #settle({ endedBefore, ...attempt }: BegunAttempt, exchange: Exchange): boolean {
    const ended = ++this.#ended;
    if (exchange.kind === "answered") this.#answers++;
    const { message, number } = attempt;
    const { ledger, now, random, redact } = this.#parts;
    const outcome = outcomeOfRow(judge(exchange, message.to, now(), redact), message);
    this.#gate.settle(message.index, outcome);
    const recorded = outcomeAfter(outcome, ledger.stateOf(message.index) === "uncertain");
    const wait = this.#stop
      ? undefined
      : waitBeforeRetry(outcome, number, this.#limits.retries, { kind: "per-request" }, random());
    this.#recording.settle(resultEntry(message.index, recorded), () => {
      if (wait === undefined) this.#emitSettled(message, recorded);
      this.#wake();
    });
    if (wait !== undefined && outcome.kind === "unsent") {
      this.#backlog.retry({ ...attempt, number: number + 1, last: recorded });
      this.#pause(wait, outcome.failure);
    } else {
      const hasBeenAnswered = this.#answers > attempt.answersBefore;
      const common = this.#commonCause(outcome, { hasBeenAnswered, endedBefore, ended });
      if (common !== undefined) this.#halt(common.kind, common);
    }
    if (!this.#isOverLimit && ledger.charged > this.#limits.maxCredits) {
      this.#isOverLimit = true;
      this.#emit({ kind: "over-limit", charged: ledger.charged });
    }
    // Lanes are not filled from here: this lane is about to take the next try itself.
    this.#recordIntents();
    // After any other answer, a surplus one to an earlier request may follow on this connection.
    return outcome.kind === "accepted";
  }

  /** Pauses the whole run. Intents that are ready are taken back, so that a kill during the pause leaves none uncertain. */
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

  /**
   * Takes back the intents that are ready, and `others`, which have none. After a stop the retries become final with the
   * outcome they have.
   */
  #release(others: readonly Attempt[] = []): void {
    for (const { message } of others) this.#gate.settle(message.index, undefined);
    this.#backlog.putBack([...this.#intents.release(), ...others]);
    if (this.#stop === undefined) return;
    for (const { message, last } of this.#backlog.dropRetries()) this.#emitSettled(message, last);
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    this.#halt("fault");
  }

  #emit(event: RunEvent): void {
    try {
      this.#parts.onEvent(event);
    } catch (error) {
      this.#fail(error);
    }
    this.#wake();
  }

  #emitSettled(message: PlannedMessage, outcome: Outcome | undefined): void {
    if (outcome !== undefined) this.#emit({ kind: "settled", message, outcome });
  }
}

function failureOf(refusal: Refusal): Failure {
  const { errorCode, hint = "" } = refusal.kind === "held" ? refusal.hold : refusal.error;
  const reason = refusal.kind === "held" ? refusal.hold.reason : refusal.error.message;
  return { kind: "limit", error: hint === "" ? reason : `${reason}; ${hint}`, errorCode };
}

/** Returns a function that calls `wake` after that many milliseconds, unless an earlier call of it still waits. */
function alarm({ sleep }: Pick<Host, "sleep">, signal: AbortSignal, wake: () => void): (ms: number) => void {
  let isWaiting = false;
  return (ms) => {
    if (isWaiting) return;
    isWaiting = true;
    const ring = () => {
      isWaiting = false;
      wake();
    };
    void sleep(Math.ceil(ms), signal).then(ring);
  };
}

const atLimit: Failure = {
  kind: "limit",
  error: "one more message could bring the charge over --max-credits",
  errorCode: "OVER_LIMIT",
};
