import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openPace } from "../../../src/delivery/pace.ts";
import { longestSingleWait, turnInterval } from "../../../src/record/account.ts";
import { accountFolder } from "../../../src/record/folder/account.ts";
import { sharedPace } from "../../../src/runs/shared-pace.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { machine, ours } from "../../files/this-process.ts";
import { seed } from "../../support/seed.ts";

const start = Date.parse("2026-11-22T12:00:00Z");

/** An account of commands that share a folder and a clock. */
function accountAt(clock: { now: number }, folder = temporaryFolder()) {
  const account = accountFolder(ours(folder), { ...machine, wallClock: () => clock.now });
  return {
    folder: join(folder, "pace", "a1"),
    join: (rate: number) => account.join("a1", rate),
    takeTurn: () => account.takeTurn("a1"),
  };
}

function mostInAMinute(times: readonly number[]): number {
  return Math.max(...times.map((time) => times.filter((other) => other >= time && other < time + 60_000).length));
}

describe("the pace of an account", () => {
  it("gives its runs and single messages no more turns in any minute than its highest rate, whoever dies", async () => {
    const command = fc.record({
      rate: fc.constantFrom(20, 100, 500),
      /** How late it asks, and after how many turns it dies. */
      late: fc.nat({ max: 40 }),
      dies: fc.nat({ max: 400 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 4 }), fc.nat({ max: 20 }), async (all, singles) => {
        const clock = { now: start };
        const { join: joinAt, takeTurn } = accountAt(clock);
        const used: number[] = [];
        const runs = await Promise.all(
          all.map(async (one) => ({ ...one, pace: await joinAt(one.rate), next: start, taken: 0 })),
        );
        for (let step = 0; step < 600; step++) {
          const [run] = runs.filter(({ taken, dies }) => taken <= dies).toSorted((a, b) => a.next - b.next);
          if (run === undefined) break;
          clock.now = Math.max(clock.now, run.next + run.late);
          const { wait, count, interval } = await run.pace.take();
          for (let turn = 0; turn < count; turn++) used.push(clock.now + wait + turn * interval);
          run.taken += count;
          run.next = clock.now + Math.max(wait + count * interval, 1);
          if (singles > 0 && step % 30 === 0) {
            const turn = await takeTurn();
            // At 20 a minute a turn is further away than a single message waits.
            if (turn < longestSingleWait) used.push(clock.now + turn);
          }
        }
        expect(mostInAMinute(used)).toBeLessThanOrEqual(Math.max(...all.map(({ rate }) => rate)));
      }),
      { seed, numRuns: 30 },
    );
  });

  it.each([100, 600, 6000])("leaves hardly a turn of %d a minute unused while two runs ask in time", async (rate) => {
    const clock = { now: start };
    const { join: joinAt } = accountAt(clock);
    const [one, other] = [
      { pace: await joinAt(rate), next: start },
      { pace: await joinAt(rate), next: start },
    ];
    let turns = 0;
    while (clock.now < start + 60_000) {
      const run = one.next <= other.next ? one : other;
      clock.now = Math.max(clock.now, run.next);
      const { wait, count, interval } = await run.pace.take();
      turns += count;
      run.next = clock.now + Math.max(wait + count * interval, 1);
    }
    expect(turns).toBeGreaterThan(0.95 * rate);
  });

  it("lets a run that is alone send at its rate", async () => {
    const clock = { now: start };
    const shared = sharedPace(openPace(2000), await accountAt(clock).join(2000), () => clock.now);
    let released = 0;
    while (clock.now < start + 60_000) {
      const wait = shared.wait(clock.now);
      if (wait === 0) {
        shared.release(clock.now);
        released++;
      } else if (wait < Infinity) clock.now += Math.ceil(wait);
      else await new Promise<void>((resolve) => shared.listen?.(resolve));
    }
    expect(released).toBeGreaterThan(1_900);
    expect(released).toBeLessThanOrEqual(2_000);
  });

  it("makes single messages wait while a run is at work, and no longer than that", async () => {
    const clock = { now: start };
    const account = accountAt(clock);
    expect(await account.takeTurn()).toBe(0);
    const run = await account.join(100);
    expect(await run.take()).toMatchObject({ wait: 0, count: 1 });
    const waits = [await account.takeTurn(), await account.takeTurn(), await account.takeTurn()];
    expect(waits.map(Math.round)).toEqual([580, 1181, longestSingleWait]);
    // The run's turn is behind those of the single messages.
    expect(Math.round((await run.take()).wait)).toBe(2382);
    await run.leave();
    expect(await account.takeTurn()).toBe(0);
    await (await account.join(100)).take();
    // It was killed.
    clock.now += 60_000;
    expect(await account.takeTurn()).toBe(0);
  });

  it.each([
    ["back", -3_600_000],
    ["on", 3_600_000],
  ])("stalls nobody where the clock is set %s", async (_, by) => {
    const clock = { now: start };
    const account = accountAt(clock);
    const run = await account.join(100);
    await run.take();
    clock.now += by;
    const { wait } = await run.take();
    expect(wait).toBeLessThanOrEqual(turnInterval(100));
    expect(await account.takeTurn()).toBeLessThanOrEqual(2 * turnInterval(100));
    clock.now += 2 * turnInterval(100);
    expect((await run.take()).count).toBe(1);
  });

  it("goes on with one of the files that several processes made at once, and without a folder it may write", async () => {
    const clock = { now: start };
    const account = accountAt(clock);
    const run = await account.join(100);
    await run.take();
    writeFileSync(join(account.folder, "next-0-0"), "");
    expect((await run.take()).count).toBe(0);
    expect(readdirSync(account.folder).filter((name) => name.startsWith("next-"))).toHaveLength(1);
    const nowhere = temporaryFolder();
    writeFileSync(join(nowhere, "pace"), "");
    expect(await (await accountAt(clock, nowhere).join(100)).take()).toEqual({ wait: 0, count: 1, interval: 0 });
  });
});
