import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { bundle, start } from "../files/child.ts";
import type { RecordKeeper } from "../../src/record/record-keeper.ts";
import { type Keeper, openAt } from "./place.ts";
import { beginRun } from "./runs-suite.ts";
import { claimKey, entryAt } from "./samples.ts";

const at = "2026-01-31T08:00:00.000Z";
const first = { to: "+254712345678", at, reason: "asked\u2028twice\u2029" };
const second = { to: "+254712345679", at };

/** What every keeper of the opt-outs does. */
export function optOutsSuite({ newPlace }: Keeper): void {
  let script: string;

  beforeAll(async () => {
    script = await bundle("test/record/record-child.ts");
  });

  const optOutsAt = (place: string) => openAt(place).optOuts();

  describe("the opt-outs", () => {
    it("are listed as they were added, each with its first date and reason", async () => {
      const optOuts = await optOutsAt(newPlace());
      expect(await optOuts.list()).toEqual([]);
      expect(await optOuts.add([first])).toEqual({ added: [first.to], count: 1 });
      const again = { ...first, at: "2026-02-01T08:00:00.000Z", reason: "again" };
      expect(await optOuts.add([again, second, second])).toEqual({ added: [second.to], count: 2 });
      expect(await optOuts.list()).toEqual([first, second]);
      await optOuts.remove([first.to, "+254700000000"]);
      expect(await optOuts.list()).toEqual([second]);
    });

    it("are current until another process changes them, and then renewed", async () => {
      const place = newPlace();
      const none = await (await openAt(place, 77).optOuts()).numbers();

      expect([none.size, none.isCurrent(), await none.renew()]).toEqual([0, true, none]);
      await (await optOutsAt(place)).add([first]);
      // What a database said counts for a moment.
      await setTimeout(110);
      expect(none.isCurrent()).toBe(false);
      const numbers = await none.renew();
      const has = [254712345678, 254712345679].map((number) => numbers.has(number));
      const state = { size: numbers.size, has, isCurrent: numbers.isCurrent() };
      expect(state).toEqual({ size: 1, has: [true, false], isCurrent: true });
      expect(await numbers.renew()).toBe(numbers);
      await (await optOutsAt(place)).add([second]);
      expect((await numbers.renew()).has(254712345679)).toBe(true);
      await (await optOutsAt(place)).remove([first.to]);
      expect((await numbers.renew()).has(254712345678)).toBe(false);
    });

    it.each<[string, (record: RecordKeeper) => Promise<() => Promise<unknown>>]>([
      [
        "of a run",
        async (record) => {
          const { ownRun } = await beginRun(await record.runs());
          const writer = await ownRun.openWriter();
          return () => writer.record({ kind: "intent", indexes: [0] }, 1);
        },
      ],
      ["under a key of --once", async (record) => (await claimKey(await record.once())).intend],
      ["in the history", async (record) => async () => (await record.history()).append(entryAt(1))],
    ])("that returned before an intent %s hold for its request", async (_, open) => {
      const place = newPlace();
      const record = openAt(place, 77);
      const intend = await open(record);
      const none = await (await record.optOuts()).numbers();
      await intend();

      expect(none.isCurrent()).toBe(true);
      await (await optOutsAt(place)).add([first]);
      await intend();
      expect(none.isCurrent()).toBe(false);
    });

    it("that several processes add are all kept", async () => {
      const place = newPlace();
      const children = [0, 1, 2].map((of) =>
        start(process.execPath, script, place, "opt-outs", `25471234500${of * 2}`, "2"),
      );
      await Promise.all(children.map((child) => child.ended));
      const list = (await (await optOutsAt(place)).list()).map(({ to }) => Number(to) - 254712345000);

      expect(list.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
    });

    it("that were reported are kept when the process is killed at any moment", async () => {
      const place = newPlace();
      const reports: string[] = [];
      for (let kill = 1; kill <= 4; kill++) {
        const child = start(process.execPath, script, place, "opt-outs", String(254_712_000_000 + kill * 1000));
        for (let count = 0; count < kill; count++) reports.push((await child.hear()) ?? "");
        child.kill("SIGKILL");
        await child.ended;
        const list = new Set((await (await optOutsAt(place)).list()).map(({ to }) => to));
        expect(reports.filter((to) => !list.has(to))).toEqual([]);
      }
    });
  });
}
