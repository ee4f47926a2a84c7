import { describe, expect, it, test } from "vitest";
import { watchCommonCauses } from "../../../src/sending/common-cause.ts";
import { resultEntry } from "../../../src/record/journal-entry.ts";
import { Ledger } from "../../../src/record/ledger.ts";
import { judge } from "../../../src/service/answer.ts";
import { ledgerOf, type Sabotage } from "./disk.ts";
import { drawing, seed } from "../../support/seed.ts";
import { trials } from "../../support/trials.ts";
import { explore, finish, wander } from "./explore.ts";
import { classes, type EndingName, endingNames, endings } from "./service.ts";
import type { Scope } from "./world.ts";

/** Three messages take a seventh of the whole suite, so only CI has them. SMALL_WORLD=4 walks through four, which takes hours. */
const messages = trials("SMALL_WORLD", 2, 3);
const answers = [...new Set(Object.values(classes))];

describe("the small world: two lanes, each answer, each order of events, each kill, each resume", () => {
  it("texts nobody twice, loses nobody and says only what is true", { timeout: 86_400_000 }, async () => {
    const { states, starts } = await explore({ messages, lanes: 2, retries: 1, answers });
    const figures = [states, starts].map((figure) => figure.toLocaleString("en"));
    process.stderr.write(`  Small world of ${messages} messages: ${figures[0]} states, ${figures[1]} resumes\n`);
    expect(starts).toBeGreaterThan(20);
  });

  it("texts nobody after closing time", async () => {
    const three = ["accepted", "cut off", "HTTP 429"] as const;
    const { states } = await explore({ messages: 2, lanes: 2, retries: 1, answers: three, closes: true });
    expect(states).toBeGreaterThan(20);
  });

  it.each<Exclude<Sabotage, "none">>(["intent after request", "flush not awaited", "resume sends uncertain"])(
    "finds an engine that is broken: %s",
    async (sabotage) => {
      const world = { messages: 2, lanes: 2, retries: 1, answers: ["accepted", "cut off"] } as const;
      await expect(explore(world, sabotage)).rejects.toThrow(/may be (texted twice|on a phone)/);
    },
  );
});

const worlds = Array.from({ length: trials("WORLDS", 60, 400) }, (_, index) => drawing(seed + index));

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

  it("leaves out for good who opts out meanwhile, and texts everybody else", async () => {
    for (const draw of worlds) {
      const optedOut = new Set<string>();
      const scope = { ...scopeOf(draw), optedOut };
      const left = await finish(scope, await wander(scope, draw));
      const ledger = ledgerOf(left.journal, scope.messages);
      expect(ledger.tally()).toMatchObject({ pending: 0, unsent: 0 });
      optedOut.clear();
      const { journal } = await finish(scope, left);
      // Who was left out stays so.
      expect(ledgerOf(journal, scope.messages).tally()).toEqual(ledger.tally());
    }
  });
});

test.each(endingNames)("the engine treats %s as the representative of its class", (name) => {
  expect(treatment(name)).toEqual(treatment(classes[name]));
});

function treatment(name: EndingName) {
  const { fate, exchange } = endings[name];
  const to = "+254712345678";
  const request = { origin: "", path: "", headers: {}, body: JSON.stringify({ to }) };
  const outcome = judge(exchange(request), { to, now: 0 });
  const isFinal = watchCommonCauses()(outcome, false, 0, 1) !== undefined;
  const ledger = new Ledger(new Uint8Array([1]));
  ledger.apply({ kind: "intent", indexes: [0] });
  ledger.apply(resultEntry(0, outcome));
  const retry = outcome.kind === "unsent" ? outcome.retry : undefined;
  return { fate, kind: outcome.kind, retry, isFinal, isDue: ledger.isDue(0) };
}
