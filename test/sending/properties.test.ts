import { describe, expect, it } from "vitest";
import { drawing, seed } from "../support/seed.ts";
import { trials } from "../support/trials.ts";
import { ledgerOf } from "./small-world/disk.ts";
import { finish, wander } from "./small-world/explore.ts";
import { endingNames } from "./small-world/service.ts";
import { numberOf, type Scope } from "./small-world/world.ts";

const worlds = Array.from({ length: trials("WORLDS", 100, 400) }, (_, index) => drawing(seed + index));

const scopeOf = (draw: (below: number) => number): Scope => ({
  messages: 1 + draw(10),
  lanes: 1 + draw(5),
  retries: draw(4),
  answers: endingNames,
  closes: true,
});

describe("a run that ends in any way and is resumed any number of times", () => {
  it("texts nobody twice, reports every outcome truly, and leaves nobody pending once it ends by itself", async () => {
    for (const draw of worlds) {
      const scope = scopeOf(draw);
      const { journal } = await finish(scope, await wander(scope, draw));
      expect(ledgerOf(journal, scope.messages).tally()).toMatchObject({ pending: 0, unsent: 0 });
    }
  });

  it("texts nobody who has opted out, and everybody else", async () => {
    for (const draw of worlds) {
      const optedOut = new Set<string>();
      const scope = { ...scopeOf(draw), optedOut };
      const left = await finish(scope, await wander(scope, draw));
      const ledger = ledgerOf(left.journal, scope.messages);
      const missed = Array.from({ length: scope.messages }, (_, index) => index)
        .filter((index) => ["pending", "unsent"].includes(ledger.outcomeOf(index)))
        .filter((index) => !optedOut.has(numberOf(index)));
      expect(missed).toEqual([]);
      optedOut.clear();
      const { journal } = await finish(scope, left);
      expect(ledgerOf(journal, scope.messages).tally()).toMatchObject({ pending: 0, unsent: 0 });
    }
  });
});
