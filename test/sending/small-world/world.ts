import { openPace } from "../../../src/sending/pace.ts";
import type { EndingKind, OutcomeKind } from "../../../src/errors.ts";
import type { Ledger } from "../../../src/record/ledger.ts";
import type { Guard } from "../../../src/guards/guard.ts";
import { numberKey } from "../../../src/message/number-set.ts";
import type { PlannedMessage } from "../../../src/record/plan.ts";
import { isToSend } from "../../../src/sending/run/to-send.ts";
import { openGate } from "../../../src/guards/gate.ts";
import { deliver } from "../../../src/sending/engine.ts";
import type { Exchange } from "../../../src/service/exchange.ts";
import type { WireRequest } from "../../../src/service/request.ts";
import { newClock } from "../../support/clock.ts";
import { Disk, ledgerOf, roleIn, type Sabotage } from "./disk.ts";
import { type EndingName, endings, type Fate } from "./service.ts";

export interface Scope {
  readonly messages: number;
  readonly lanes: number;
  readonly retries: number;
  readonly answers: readonly EndingName[];
  readonly closes?: boolean;
  readonly optedOut?: Set<string>;
}

/** What a run or a resume begins with: the journal, and whether each message may already be on a phone. */
export interface Start {
  readonly journal: string;
  readonly fates: readonly Fate[];
}

/** The disk and the truth at a moment at which a kill may come. */
export interface Snapshot extends Start {
  /** How much of the journal a power cut leaves. Characters. */
  readonly durable: number;
}

interface InFlight {
  readonly index: number;
  readonly end: (exchange: Exchange) => void;
  readonly request: WireRequest;
}

const timeout = 10_000;
/** Lanes look for overdue requests this often. No other sleep is as long. Milliseconds. */
const watchTick = timeout / 20;

/** The real engine, with a clock, a disk, a network and a person that do nothing until they are told to. */
export class World {
  readonly scope: Scope;
  readonly ledger: Ledger;
  readonly settled: (OutcomeKind | undefined)[] = [];
  ended: EndingKind | undefined;
  fault: Error | undefined;
  /** Called at each moment at which a kill may come; throws if it would break a promise. */
  onSnapshot: (snapshot: Snapshot) => void = () => {};
  readonly #clock = newClock();
  readonly #disk: Disk;
  readonly #fates: Fate[];
  readonly #stop = new AbortController();
  readonly #leave = new AbortController();
  readonly #inFlight: InFlight[] = [];
  readonly #begun: number[];
  /** Messages whose last answer may allow a retry, in the order of these answers. */
  #retryOrder: number[] = [];
  /** Answers received, in all and before each message was first tried. */
  #answers = 0;
  readonly #answersBefore: (number | undefined)[] = [];
  #stopping: EndingKind | undefined;
  #isClosed = false;
  #effects = 0;

  constructor(scope: Scope, start: Start, sabotage: Sabotage) {
    this.scope = scope;
    this.#fates = [...start.fates];
    this.#begun = start.fates.map(() => 0);
    this.ledger = ledgerOf(start.journal, scope.messages);
    this.#disk = new Disk(
      start.journal,
      sabotage,
      () => this.#effect(),
      (entry) => {
        if (entry.kind === "intent") for (const index of entry.indexes) this.#answersBefore[index] ??= this.#answers;
      },
    );
    this.#run(sabotage).catch((error: Error) => (this.fault ??= error));
  }

  events(): readonly (readonly [string, () => void])[] {
    const { flush } = this.#disk;
    const [nextTimer] = this.#clock.left(watchTick);
    const hasStopped = this.#stop.signal.aborted;
    const isInFlight = this.#inFlight.length > 0;
    const event = (isPossible: boolean, name: string, happen: () => void) =>
      isPossible ? [[name, happen] as const] : [];
    return [
      ...event(flush !== undefined, "flush", () => flush?.()),
      ...this.#distinctInFlight().flatMap((request) =>
        this.scope.answers.flatMap((name) =>
          event(true, `${request.index}: ${name}`, () => this.#answer(request, name)),
        ),
      ),
      ...event(nextTimer !== undefined, "timer", () => this.#clock.advance(nextTimer ?? 0)),
      ...event(isInFlight, "deadline", () => this.#clock.advance(timeout)),
      ...event(this.scope.closes === true && !this.#isClosed, "closing time", () => (this.#isClosed = true)),
      ...this.#fates.flatMap((_, index) =>
        event(this.scope.optedOut !== undefined, `${index} opts out or in`, () => this.#change(numberOf(index))),
      ),
      ...event(!hasStopped, "stop", () => this.#stop.abort("SIGINT")),
      ...event(hasStopped && isInFlight && !this.#leave.signal.aborted, "leave", () => this.#leave.abort("SIGINT")),
    ];
  }

  /** Of requests for messages that are alike, one: what its answer does, an answer to another would do. */
  #distinctInFlight(): readonly InFlight[] {
    const requests = this.#inFlight.map((request) => [JSON.stringify(this.#stateOf(request.index)), request] as const);
    return [...new Map(requests).values()];
  }

  /** Waits until the engine has done all that it can do without another event. */
  async settle(): Promise<void> {
    for (let quiet = 0, seen = this.#effects; quiet < 2; quiet = seen === this.#effects ? quiet + 1 : 0) {
      seen = this.#effects;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /**
   * All that decides what can happen from here. Messages are interchangeable but for the order of their retries, and so are
   * lanes and the entries of different messages.
   */
  fingerprint(): string {
    return JSON.stringify([
      this.#fates.map((_, index) => JSON.stringify(this.#stateOf(index))).sort(),
      this.#clock.left(watchTick),
      [this.#disk.flush !== undefined, this.#stop.signal.aborted, this.#leave.signal.aborted],
      [this.ended, this.#stopping, this.#isClosed],
    ]);
  }

  #stateOf(index: number): readonly unknown[] {
    const word = this.settled[index];
    return [
      [roleIn(this.ledger, index), this.#fates[index]],
      [word === undefined, (word ?? "") === this.ledger.outcomeOf(index)],
      [this.#begun[index], this.#retryOrder.indexOf(index)],
      this.#inFlight.some((request) => request.index === index),
      (this.#answersBefore[index] ?? 0) < this.#answers,
      this.#disk.unsafeEntries(index),
    ];
  }

  async #run(sabotage: Sabotage): Promise<void> {
    const { messages, lanes, retries } = this.scope;
    const isWanted = isToSend(this.ledger, sabotage === "resume sends uncertain" ? ["uncertain"] : []);
    const due = Array.from({ length: messages }, (_, index) => plannedMessage(index)).filter(({ index }) =>
      isWanted(index),
    );
    const { now, sleep } = this.#clock;
    const { ending, error } = await deliver(
      iterate(due),
      {
        inFlight: { first: lanes, most: lanes },
        time: { kind: "per-request", ms: timeout },
        retries,
        maxCredits: Infinity,
      },
      {
        now,
        wallClock: () => (this.#isClosed ? 1 : 0),
        sleep,
        random: () => 0.5,
        startRequest: (request, onEnd) => this.#start(request, onEnd),
        request: ({ to }) => ({ origin: "", path: "", headers: {}, body: JSON.stringify({ to }) }),
        writer: this.#disk.writer,
        ledger: this.ledger,
        gate: openGate([closing(1), optedOutOf(this.scope.optedOut ?? new Set())], () => (this.#isClosed ? 1 : 0)),
        pace: openPace(Infinity),
        redact: (text) => text,
        onEvent: (event) => {
          if (event.kind === "final") this.settled[event.message.index] = event.outcome.kind;
          if (event.kind === "stopping") this.#stopping = event.why;
          this.#effect();
        },
        interruption: { stop: this.#stop.signal, leave: this.#leave.signal },
      },
    );
    await this.#disk.writer.close();
    if (error !== undefined) throw error;
    this.ended = ending;
    this.#effect();
  }

  #start(request: WireRequest, onEnd: (exchange: Exchange) => void) {
    const { to }: { to: string } = JSON.parse(request.body);
    const index = Number(to.at(-1));
    if (this.#isClosed) this.fault ??= new Error(`${to} is texted after closing time`);
    if (this.scope.optedOut?.has(to)) this.fault ??= new Error(`${to} is texted although it has opted out`);
    if (this.#fates[index] !== "not delivered") this.fault ??= new Error(`${to} may be texted twice`);
    this.#effect();
    this.#fates[index] = "unknown";
    this.#begun[index] = (this.#begun[index] ?? 0) + 1;
    this.#retryOrder = this.#retryOrder.filter((other) => other !== index);
    const end = (exchange: Exchange) => {
      this.#inFlight.splice(this.#inFlight.indexOf(inFlight), 1);
      onEnd(exchange);
    };
    const inFlight: InFlight = { index, request, end };
    this.#inFlight.push(inFlight);
    this.#effect();
    return {
      hasBegun: () => true,
      breakOff: (why: Extract<Exchange, { kind: "broken" }>["why"]) => end({ kind: "broken", why, answer: undefined }),
    };
  }

  #answer({ index, request, end }: InFlight, name: EndingName): void {
    const exchange = endings[name].exchange(request);
    this.#fates[index] = endings[name].fate;
    this.#retryOrder.push(index);
    if (exchange.kind === "answered") this.#answers++;
    this.#effect();
    end(exchange);
    this.#effect();
  }

  #change(number: string): void {
    const { optedOut } = this.scope;
    if (!optedOut?.delete(number)) optedOut?.add(number);
  }

  #effect(): void {
    this.#effects++;
    if (this.fault !== undefined) return;
    try {
      this.onSnapshot({ journal: this.#disk.written, durable: this.#disk.durable, fates: [...this.#fates] });
    } catch (error) {
      this.fault = error instanceof Error ? error : new Error("not an error");
    }
  }
}

function numberOf(index: number): string {
  return `+25471234567${index}`;
}

function plannedMessage(index: number): PlannedMessage {
  return { index, line: index + 1, to: numberOf(index), text: "Hi", segments: 1 };
}

async function* iterate<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** From this instant on the guard holds everything back. */
function closing(at: number): Guard {
  const words = { brief: "late", sentence: "it is late", hint: "" };
  const hold = { effect: "stop", errorCode: "OUTSIDE_HOURS", ...words } as const;
  return { rule: "", holdAll: (now) => (now >= at ? hold : undefined) };
}

/** The guard sees the numbers of the set when it is made or renewed. */
function optedOutOf(numbers: ReadonlySet<string>): Guard {
  const now = new Set([...numbers].map(numberKey));
  return {
    rule: undefined,
    hold: (number) =>
      now.has(number)
        ? {
            effect: "leave-out",
            leftOutCause: { reason: "optedOut" },
            sentence: "",
            errorCode: "OPTED_OUT",
            hint: "",
          }
        : undefined,
    isCurrent: () => now.size === numbers.size && [...numbers].every((number) => now.has(numberKey(number))),
    renew: async () => optedOutOf(numbers),
  };
}
