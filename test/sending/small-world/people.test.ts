import { describe, expect, it } from "vitest";
import { needs } from "../../support/needs.ts";
import { drawing, seed } from "../../support/seed.ts";
import { trials } from "../../support/trials.ts";
import { People, type Sabotage } from "./people.ts";

const worlds = trials("PEOPLE", 10, 60);

async function play(sabotage: Sabotage, count: number): Promise<number> {
  let texts = 0;
  for (let world = 0; world < count; world++) texts += await new People(drawing(seed + world), sabotage).play(60);
  return texts;
}

describe("several runs over one set of people, with kills, two at once, and clocks", () => {
  it("text nobody twice, and leave nobody out who gets the text from no run", { timeout: 600_000 }, async () => {
    expect(await play("none", worlds)).toBeGreaterThan(3 * worlds);
  });

  it("text somebody twice without the rule", async () => {
    await expect(play("rule off", 200)).rejects.toThrow("gets the text twice");
  });

  it("text somebody twice if a run that begins does not ask again", needs("CI to be set"), async () => {
    await expect(play("not asked again", 1000)).rejects.toThrow("gets the text twice");
  });

  it("miss somebody who is left out by mistake", async () => {
    await expect(play("left out by mistake", 200)).rejects.toThrow("no other run has tried it");
  });
});
