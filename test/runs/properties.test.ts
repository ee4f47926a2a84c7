import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Journal, type JournalFile } from "../../src/runs/journal.ts";
import { readJournal } from "../../src/runs/journal-reader.ts";
import { Ledger } from "../../src/runs/ledger.ts";
import { openPace } from "../../src/delivery/pace.ts";
import { run } from "../../src/runs/events.ts";
import type { PlannedMessage } from "../../src/runs/plan.ts";
import { isDue } from "../../src/runs/runs.ts";
import { SmsError } from "../../src/errors.ts";
import type { Connection } from "../../src/service/connection.ts";
import type { StartedExchange } from "../../src/service/transport.ts";
import type { Break, Exchange } from "../../src/service/exchange.ts";
import { receiptFor } from "../support/scripts.ts";
import { drafts, numberOf } from "./running.ts";
import { seed } from "../support/seed.ts";

/** What the service or the network does with one request. */
type Turn =
  | "accept"
  | "lose-answer"
  | "fail-sent"
  | "fail-unsent"
  | "refuse"
  | "too-many"
  | "no-credits"
  | "no-way";

/** One invocation of a run, and how it comes to an end before it is done, if it does. */
interface Invocation {
  readonly turns: readonly Turn[];
  readonly concurrency: number;
  readonly retries: number;
  readonly maxCredits: number;
  /** After so many events on the way: writes, flushes, requests and answers. */
  readonly end:
    | { readonly kind: "kill" | "power-cut" | "stop" | "leave" | "disk"; readonly after: number }
    | undefined;
}

const turn = fc.constantFrom<Turn[]>(
  "accept",
  "accept",
  "accept",
  "accept",
  "lose-answer",
  "fail-sent",
  "fail-unsent",
  "refuse",
  "too-many",
  "no-credits",
  "no-way",
);

const invocation: fc.Arbitrary<Invocation> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 30 }),
  concurrency: fc.integer({ min: 1, max: 5 }),
  retries: fc.integer({ min: 0, max: 3 }),
  maxCredits: fc.constantFrom(Infinity, Infinity, 5, 12),
  end: fc.option(
    fc.record({
      kind: fc.constantFrom(
        "kill" as const,
        "power-cut" as const,
        "stop" as const,
        "leave" as const,
        "disk" as const,
      ),
      after: fc.integer({ min: 0, max: 60 }),
    }),
    { nil: undefined },
  ),
});

/** A machine, a disk and a service, on which one run is sent by one invocation after another. */
class World {
  /** What is in the journal's file. */
  bytes = Buffer.alloc(0);
  /** How much of it a power cut leaves at least. */
  lasting = 0;
  /** How often each recipient was texted. */
  readonly texted = new Map<string, number>();
  readonly #messages: number;
  readonly #folder = mkdtempSync(join(tmpdir(), "sms-world-"));

  constructor(messages: number) {
    this.#messages = messages;
  }

  async ledger(): Promise<Ledger> {
    const path = join(this.#folder, "journal.ndjson");
    writeFileSync(path, this.bytes);
    const ledger = new Ledger(new Uint8Array(this.#messages).fill(1));
    this.bytes = this.bytes.subarray(0, await readJournal(path, ledger));
    this.lasting = this.bytes.length;
    return ledger;
  }

  async invoke({ turns, concurrency, retries, maxCredits, end }: Invocation, cut: number): Promise<void> {
    const ledger = await this.ledger();
    const stop = new AbortController();
    const leave = new AbortController();
    let steps = 0;
    let isDead = false;
    let isDiskBroken = false;
    let tellDeath: () => void = () => {};
    const death = new Promise<void>((resolve) => (tellDeath = resolve));
    const step = () => {
      if (end === undefined || steps++ !== end.after) return;
      switch (end.kind) {
        case "kill":
        case "power-cut":
          isDead = true;
          return tellDeath();
        case "leave":
          stop.abort("SIGINT");
          return leave.abort("SIGINT");
        case "stop":
          return stop.abort("SIGINT");
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
    const connect = (): Connection => ({
      start: (request, onEnd) => {
        const { to } = JSON.parse(request.body) as { to: string };
        const what = turns[requests++ % turns.length] ?? "accept";
        return this.#exchange(to, what, step, () => isDead, onEnd);
      },
      drop: () => {},
    });
    let clock = 0;
    const sending = run(
      upTo(this.#messages, isDue(ledger, [])),
      { concurrency, retries, maxCredits, timeout: 1e12 },
      {
        now: () => clock,
        // Time passes as fast as anybody waits for it.
        sleep: async (ms) => {
          await turnOfTheLoop();
          clock += ms;
        },
        random: () => 0.5,
        connect,
        request: ({ to }) => ({ origin: "", path: "", headers: {}, body: JSON.stringify({ to }) }),
        journal: new Journal(file, "journal"),
        ledger,
        pace: openPace(Infinity),
        interruption: { stop: stop.signal, leave: leave.signal },
      },
    );
    const kinds = new Set<string>();
    const finished = (async () => {
      try {
        for await (const { kind } of sending) kinds.add(kind);
      } catch (error) {
        if (!(error instanceof SmsError && error.errorCode === "RUN_NOT_RECORDED")) throw error;
      }
    })();
    await Promise.race([finished, death]);
    // The page cache outlives a kill, but not a power cut, which leaves any part of what was not flushed.
    if (isDead && end?.kind === "power-cut") {
      const loose = this.bytes.length - this.lasting;
      this.bytes = this.bytes.subarray(0, this.lasting + (cut % (loose + 1)));
    }
    isDead = true;
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
    let isTold = false;
    const tell = (exchange: Exchange) => {
      if (!isTold) onEnd(exchange);
      isTold = true;
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
      // What was given up before it began never goes out.
      if (isDead() || isOver) return;
      hasBegun = what !== "no-way";
      if (["accept", "lose-answer", "fail-sent"].includes(what))
        this.texted.set(to, (this.texted.get(to) ?? 0) + 1);
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
      tell(results[what]);
    })();
    return {
      hasBegun: () => hasBegun,
      breakOff: (why: Break) => {
        isOver = true;
        tell(hasBegun ? { kind: "broken", why, answer: undefined } : { kind: "unreached", why });
      },
    };
  }
}

async function* upTo(
  count: number,
  isWanted: (index: number) => boolean,
): AsyncGenerator<PlannedMessage, void> {
  for (const [index, draft] of drafts(count).entries()) if (isWanted(index)) yield { ...draft, index };
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("whatever happens to a run and however often it is resumed", () => {
  it("nobody is texted twice, and everybody is accounted for truly", { timeout: 120_000 }, async () => {
    const histories = fc.array(fc.tuple(invocation, fc.nat(1_000)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 25 }), histories, async (messages, history) => {
        const world = new World(messages);
        for (const [next, cut] of history) {
          await world.invoke(next, cut);
          const ledger = await world.ledger();
          const { accepted, rejected, unsent, uncertain, pending } = ledger.tally();
          expect(accepted + rejected + unsent + uncertain + pending).toBe(messages);
          for (let index = 0; index < messages; index++) {
            const texts = world.texted.get(numberOf(index)) ?? 0;
            const outcome = ledger.outcomeOf(index);
            const possible = { accepted: [1], rejected: [0], unsent: [0], pending: [0], uncertain: [0, 1] }[
              outcome
            ];
            expect({ index, outcome, texts, isPossible: possible.includes(texts) }).toMatchObject({
              isPossible: true,
            });
          }
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it(
    "an invocation that nothing ends early leaves nobody pending or unsent",
    { timeout: 60_000 },
    async () => {
      const history = fc.array(fc.tuple(invocation, fc.nat(1_000)), { maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 25 }), history, async (messages, invocations) => {
          const world = new World(messages);
          for (const [next, cut] of invocations) await world.invoke(next, cut);
          const last = {
            turns: ["accept"],
            concurrency: 3,
            retries: 0,
            maxCredits: Infinity,
            end: undefined,
          } as const;
          await world.invoke(last, 0);
          const tally = (await world.ledger()).tally();
          expect(tally).toMatchObject({ pending: 0, unsent: 0 });
        }),
        { seed, numRuns: 100 },
      );
    },
  );
});
