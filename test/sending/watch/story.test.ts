import { join } from "node:path";
import { expect, it } from "vitest";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { needs } from "../../support/needs.ts";
import { shownOf, tellDay } from "./story.ts";

it("tells the day of 300,000 lines in the texts of story.snapshot", needs("CI to be set"), async () => {
  let ids = 0;
  const sandbox = await startSandbox({
    port: 0,
    rate: Infinity,
    credits: 100,
    now: Date.now,
    newId: () => `${++ids}`,
    random: Math.random,
  });
  try {
    const { code, texts, lines, stderr } = await tellDay(sandbox.url, join(temporaryFolder(), "state"));
    expect([code, stderr]).toEqual([0, ""]);
    expect(lines).toBeGreaterThan(300_000);
    expect(texts.reduce((sum, text) => sum + text.lines, 0)).toBe(lines);
    expect(sandbox.messages().map(({ message }) => message)).toEqual(texts.map(({ text }) => text));
    const times = texts.map((text) => Date.parse(text.at));
    for (const time of times)
      expect(times.filter((one) => one >= time && one <= time + 3_600_000).length).toBeLessThanOrEqual(1);
    await expect(`${shownOf(texts.slice(0, 2))}…\n${shownOf(texts.slice(-2))}`).toMatchFileSnapshot("story.snapshot");
  } finally {
    await sandbox.close();
  }
});
