import * as fc from "fast-check";
import { expect, it } from "vitest";
import { numberOf } from "../sending/running.ts";
import { type Invocation, type Turn, World } from "../sending/world.ts";
import { seed } from "../support/seed.ts";

const most = 12;
const index = fc.nat(most - 1);
const turn = fc.constantFrom<Turn[]>("accept", "accept", "accept", "lose-answer", "too-many", "no-credits");
const kind = fc.constantFrom("kill" as const, "power-cut" as const, "stop" as const);

const invocation: fc.Arbitrary<Invocation> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 12 }),
  inFlight: fc.integer({ min: 1, max: 4 }),
  retries: fc.nat(1),
  maxCredits: fc.constant(Infinity),
  end: fc.option(fc.record({ kind, after: fc.nat(60) }), { nil: undefined }),
});

/** Who changes their mind after how many steps of an invocation, and who before it. */
const changes = fc.array(fc.tuple(fc.nat(60), index), { maxLength: 6 });
const history = fc.array(fc.tuple(invocation, fc.nat(1_000), changes, fc.array(index, { maxLength: 4 })), {
  minLength: 1,
  maxLength: 4,
});

const undisturbed = { turns: ["accept"], inFlight: 3, retries: 0, maxCredits: Infinity } as const;

it("whoever has opted out gets no message, whatever ends the run, and everybody else gets one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: most }), history, async (messages, invocations) => {
      const world = new World(messages);
      for (const [next, cut, during, before] of invocations) {
        for (const one of before) world.change(numberOf(one));
        await world.invoke(next, cut, new Map(during));
        expect(world.unwanted).toBe(0);
      }
      await world.invoke({ ...undisturbed, end: undefined }, 0);
      const ledger = world.ledger();
      const missed = Array.from({ length: messages }, (_, at) => at)
        .filter((at) => !["accepted", "uncertain"].includes(ledger.outcomeOf(at)))
        .filter((at) => !world.optedOut.has(numberOf(at)));
      expect(missed).toEqual([]);
      world.optedOut.clear();
      await world.invoke({ ...undisturbed, end: undefined }, 0);
      const { accepted, uncertain } = world.ledger().tally();
      expect([accepted + uncertain, uncertain]).toEqual([messages, ledger.tally().uncertain]);
      expect(world.unwanted).toBe(0);
      const texted = [...world.texted.values()];
      expect(texted.filter((times) => times > 1)).toEqual([]);
      // An uncertain message may have been texted.
      expect(texted.length).toBeGreaterThanOrEqual(accepted);
    }),
    { numRuns: 40, seed },
  );
});
