import { type JournalFile, journalWriter } from "../../src/record/folder/journal.ts";
import type { Ledger } from "../../src/record/ledger.ts";
import { openPace } from "../../src/sending/pace.ts";
import { closing } from "./closing.ts";
import type { PlannedMessage } from "../../src/record/plan.ts";
import { isDue } from "../../src/sending/due.ts";
import { openGate } from "../../src/guards/gate.ts";
import { sendEach } from "../../src/sending/engine.ts";
import { SmsError } from "../../src/errors.ts";
import type { StartRequest } from "../../src/service/connection.ts";
import type { Break, Exchange, StartedExchange } from "../../src/service/exchange.ts";
import { receiptFor } from "../support/scripts.ts";
import { drafts, numberOf } from "./running.ts";
import { ledgerOf } from "./small-world/disk.ts";
import { optedOutOf } from "./opting-out.ts";

/** What the service or the network does with one request. */
export type Turn =
  | "accept"
  | "lose-answer"
  | "fail-sent"
  | "fail-unsent"
  | "refuse"
  | "too-many"
  | "no-credits"
  | "no-way";

/** One invocation of a run, and what ends it early, if anything does. */
export interface Invocation {
  readonly turns: readonly Turn[];
  readonly inFlight: number;
  readonly retries: number;
  readonly maxCredits: number;
  /** `after` counts writes, flushes, requests and answers. */
  readonly end:
    | { readonly kind: "kill" | "power-cut" | "stop" | "leave" | "disk" | "closing"; readonly after: number }
    | undefined;
}

/** A simulated machine, disk and service, on which one run is sent by one invocation after another. */
export class World {
  /** The bytes of the journal file. */
  bytes = Buffer.alloc(0);
  /** How many of them are flushed. */
  lasting = 0;
  /** How often each recipient was texted. */
  readonly texted = new Map<string, number>();
  /** Requests that began after closing time. */
  late = 0;
  /** Numbers that have opted out by now. */
  readonly optedOut = new Set<string>();
  /** Requests that began for a number that had opted out. */
  unwanted = 0;
  readonly #messages: number;

  constructor(messages: number) {
    this.#messages = messages;
  }

  ledger(): Ledger {
    this.bytes = this.bytes.subarray(0, this.bytes.lastIndexOf(10) + 1);
    this.lasting = this.bytes.length;
    return ledgerOf(this.bytes.toString(), this.#messages);
  }

  /**
   * Sends what is due of the run. `cut` decides how much of the unflushed journal a power cut leaves. `changes` has the index of
   * who opts out, or in again, after each number of steps.
   */
  async invoke(
    { turns, inFlight, retries, maxCredits, end }: Invocation,
    cut: number,
    changes: ReadonlyMap<number, number> = new Map(),
  ): Promise<void> {
    const ledger = this.ledger();
    const stop = new AbortController();
    const leave = new AbortController();
    let steps = 0;
    let isDead = false;
    let isDiskBroken = false;
    let isClosed = false;
    let die: () => void = () => {};
    const death = new Promise<void>((resolve) => (die = resolve));
    const step = () => {
      const changed = changes.get(steps);
      // What a dead process still has in flight changes nothing of the next.
      if (changed !== undefined && !isDead) this.change(numberOf(changed));
      if (steps++ !== end?.after) return;
      switch (end.kind) {
        case "kill":
        case "power-cut":
          isDead = true;
          return die();
        case "leave":
          stop.abort("SIGINT");
          return leave.abort("SIGINT");
        case "stop":
          return stop.abort("SIGINT");
        case "closing":
          isClosed = true;
          return;
        case "disk":
          isDiskBroken = true;
      }
    };
    const file: JournalFile = {
      write: (bytes) => {
        step();
        if (isDead) return bytes.length;
        if (isDiskBroken) throw new Error("ENOSPC");
        const written = 1 + (steps % bytes.length);
        this.bytes = Buffer.concat([this.bytes, bytes.subarray(0, written)]);
        return written;
      },
      datasync: async () => {
        const length = this.bytes.length;
        await turnOfTheLoop();
        step();
        if (isDead) return new Promise(() => {});
        if (isDiskBroken) throw new Error("EIO");
        this.lasting = length;
      },
      close: () => {},
    };
    let requests = 0;
    const startRequest: StartRequest = (request, onEnd) => {
      const { to } = JSON.parse(request.body) as { to: string };
      if (isClosed) this.late++;
      if (this.optedOut.has(to)) this.unwanted++;
      const what = turns[requests++ % turns.length] ?? "accept";
      return this.#exchange(to, what, step, () => isDead, onEnd);
    };
    let clock = 0;
    const sending = sendEach(
      upTo(this.#messages, isDue(ledger, [])),
      { inFlight: { first: inFlight, most: inFlight }, retries, maxCredits, time: { kind: "per-request", ms: 1e12 } },
      {
        now: () => clock,
        wallClock: () => (isClosed ? 1 : 0),
        // A wait advances the clock at once; of a dead process it has no end, or its lanes would watch their requests forever.
        sleep: async (ms) => {
          await turnOfTheLoop();
          if (isDead) return new Promise(() => {});
          clock += ms;
        },
        random: () => 0.5,
        startRequest,
        request: ({ to }) => ({ origin: "", path: "", headers: {}, body: JSON.stringify({ to }) }),
        writer: journalWriter(file, "journal"),
        ledger,
        gate: openGate([closing(1), optedOutOf(this.optedOut)], () => (isClosed ? 1 : 0), ""),
        pace: openPace(Infinity),
        redact: (text) => text,
        onEvent: () => {},
        interruption: { stop: stop.signal, leave: leave.signal },
      },
    );
    const finished = (async () => {
      try {
        await sending;
      } catch (error) {
        if (!(error instanceof SmsError && error.errorCode === "RUN_NOT_RECORDED")) throw error;
      }
    })();
    await Promise.race([finished, death]);
    // The page cache survives a kill. A power cut leaves any part of what was not flushed.
    if (isDead && end?.kind === "power-cut") {
      const loose = this.bytes.length - this.lasting;
      this.bytes = this.bytes.subarray(0, this.lasting + (cut % (loose + 1)));
    }
    isDead = true;
  }

  /** Lets a number opt out, or in again. */
  change(number: string): void {
    if (!this.optedOut.delete(number)) this.optedOut.add(number);
  }

  #exchange(
    to: string,
    what: Turn,
    step: () => void,
    isDead: () => boolean,
    onEnd: (exchange: Exchange) => void,
  ): StartedExchange {
    let hasBegun = false;
    let isOver = false;
    let isEnded = false;
    const finish = (exchange: Exchange) => {
      if (!isEnded) onEnd(exchange);
      isEnded = true;
    };
    const network: Break = { kind: "network", code: "ECONNRESET", message: "" };
    const answered = (status: number, body: unknown): Exchange => ({
      kind: "answered",
      answer: { status, headers: {} },
      body: Buffer.from(JSON.stringify(body)),
    });
    void (async () => {
      await turnOfTheLoop();
      step();
      // A request that was broken off before it began is never sent.
      if (isDead() || isOver) return;
      hasBegun = what !== "no-way";
      if (["accept", "lose-answer", "fail-sent"].includes(what)) this.texted.set(to, (this.texted.get(to) ?? 0) + 1);
      await turnOfTheLoop();
      step();
      if (isDead()) return;
      const results: Readonly<Record<Turn, Exchange>> = {
        accept: answered(200, receiptFor(to)),
        "lose-answer": { kind: "broken", why: network, answer: undefined },
        "fail-sent": answered(500, {}),
        "fail-unsent": answered(500, {}),
        refuse: answered(400, {}),
        "too-many": answered(429, {}),
        "no-credits": answered(402, {}),
        "no-way": { kind: "unreached", why: network },
      };
      finish(results[what]);
    })();
    return {
      hasBegun: () => hasBegun,
      breakOff: (why: Break) => {
        isOver = true;
        finish(hasBegun ? { kind: "broken", why, answer: undefined } : { kind: "unreached", why });
      },
    };
  }
}

async function* upTo(count: number, isWanted: (index: number) => boolean): AsyncGenerator<PlannedMessage, void> {
  for (const [index, draft] of drafts(count).entries()) if (isWanted(index)) yield { ...draft, index };
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
