import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { decodeEntry } from "../../src/record/entry-reader.ts";
import { historyPath } from "../../src/record/history-folder.ts";
import { readHistoryLines } from "../../src/record/history-lines.ts";
import { bundle, start, temporaryFolder } from "../files/child.ts";
import { ours } from "../files/this-process.ts";
import { trials } from "../support/trials.ts";

let script: string;

beforeAll(async () => {
  script = await bundle("test/record/history-child.ts");
});

/** A folder for one test, and what is in the history there. */
function newHistory() {
  const state = join(temporaryFolder(), "state");
  return {
    begin: (from: number, ...count: readonly string[]) =>
      start(process.execPath, script, state, String(from), ...count),
    size: () => statSync(historyPath(ours(state), "2026-11.ndjson")).size,
    read: async () => {
      const entries = new Map<string | undefined, string>();
      let broken = 0;
      await readHistoryLines(
        historyPath(ours(state), "2026-11.ndjson"),
        () => {},
        ({ text }) => {
          const entry = decodeEntry(text);
          if (entry === undefined) broken++;
          else entries.set(entry.messageId, entry.to);
        },
      );
      return { entries, broken };
    },
  };
}

describe("a history that several processes write at once", () => {
  it("has every line of theirs", async () => {
    const { begin, read } = newHistory();
    const children = [0, 1, 2, 3].map((child) => begin(child * 1000, "200"));
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual(children.map(() => 0));
    const { entries, broken } = await read();
    expect([entries.size, broken]).toEqual([800, 0]);
    expect([...entries].filter(([messageId, to]) => messageId !== to)).toEqual([]);
  });

  it("loses at most the line of the process that is killed, and never the next", async () => {
    const { begin, read, size } = newHistory();
    const other = begin(0);
    await other.hear();
    const kills = trials("KILLS", 2, 4);
    for (let kill = 1; kill <= kills; kill++) {
      const child = begin(kill * 1_000_000);
      await child.hear();
      // Some 20 lines.
      const before = size();
      while (size() < before + 4_000) await sleep(5);
      child.kill("SIGKILL");
      await child.ended;
    }
    other.kill("SIGKILL");
    await other.ended;
    const { entries, broken } = await read();
    expect(broken).toBeLessThanOrEqual(kills + 1);
    // Each process wrote its numbers in a row.
    const numbers = [...entries.keys()].map((to = "") => Number(to.slice(5))).toSorted((a, b) => a - b);
    const gaps = numbers.filter((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1);
    expect(gaps.length).toBeLessThanOrEqual(kills);
  });
});
