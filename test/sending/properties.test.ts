import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/record/ledger.ts";
import { seed } from "../support/seed.ts";
import { trials } from "../support/trials.ts";
import { numberOf } from "./running.ts";
import { type Invocation, type Turn, World } from "./world.ts";

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
  inFlight: fc.integer({ min: 1, max: 5 }),
  retries: fc.integer({ min: 0, max: 3 }),
  maxCredits: fc.constantFrom(Infinity, Infinity, 5, 12),
  end: fc.option(
    fc.record({
      kind: fc.constantFrom(...(["kill", "power-cut", "stop", "leave", "disk", "closing"] as const)),
      after: fc.integer({ min: 0, max: 60 }),
    }),
    { nil: undefined },
  ),
});

/** How many messages have an intent without a result. */
function openIntents(ledger: Ledger): number {
  return Array.from({ length: ledger.messages }, (_, index) => index).filter((index) => ledger.isOpen(index)).length;
}

describe("a run that ends in any way and is resumed any number of times", () => {
  it("texts nobody twice, reports every outcome truly, and leaves no more in doubt than were in flight", async () => {
    const histories = fc.array(fc.tuple(invocation, fc.nat(1_000)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 25 }), histories, async (messages, history) => {
        const world = new World(messages);
        for (const [next, cut] of history) {
          const before = openIntents(world.ledger());
          await world.invoke(next, cut);
          expect(world.late).toBe(0);
          const ledger = world.ledger();
          expect(openIntents(ledger) - before).toBeLessThanOrEqual(next.inFlight);
          const { accepted, rejected, unsent, uncertain, pending } = ledger.tally();
          expect(accepted + rejected + unsent + uncertain + pending).toBe(messages);
          for (let index = 0; index < messages; index++) {
            const texts = world.texted.get(numberOf(index)) ?? 0;
            const outcome = ledger.outcomeOf(index);
            const possible = { accepted: [1], rejected: [0], unsent: [0], pending: [0], uncertain: [0, 1] }[outcome];
            expect({ index, outcome, texts, isPossible: possible.includes(texts) }).toMatchObject({
              isPossible: true,
            });
          }
        }
      }),
      { numRuns: trials("RUNS", 75, 150), seed },
    );
  });

  it("leaves nobody pending or unsent once an invocation ends by itself", async () => {
    const history = fc.array(fc.tuple(invocation, fc.nat(1_000)), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 25 }), history, async (messages, invocations) => {
        const world = new World(messages);
        for (const [next, cut] of invocations) await world.invoke(next, cut);
        const last = {
          turns: ["accept"],
          inFlight: 3,
          retries: 0,
          maxCredits: Infinity,
          end: undefined,
        } as const;
        await world.invoke(last, 0);
        const tally = world.ledger().tally();
        expect(tally).toMatchObject({ pending: 0, unsent: 0 });
      }),
      { numRuns: 60, seed },
    );
  });
});
