import { beforeAll, describe, expect, it } from "vitest";
import { bundle, start } from "../files/child.ts";
import { type Keeper, openAt, readHistory } from "./place.ts";
import { trials } from "../support/trials.ts";
import { entryAt, to } from "./samples.ts";

const ignore = () => {};

/** What every keeper of the history does. */
export function historySuite({ newPlace }: Keeper): void {
  let script: string;

  beforeAll(async () => {
    script = await bundle("test/record/record-child.ts");
  });

  const historyAt = (place: string) => openAt(place).history();
  const readAt = async (place: string) => readHistory(await historyAt(place));

  describe("the history", () => {
    it("is read from the newest backwards, also if entries are out of order by minutes", async () => {
      const history = await historyAt(newPlace());
      expect((await readHistory(history)).entries).toEqual([]);
      const entries = [3, 1, 2, 4].map((minute) => entryAt(minute));
      for (const entry of entries) await history.append(entry);
      // A record of a team adds who sent it, and JSON has no members that are undefined.
      const latest = Object.fromEntries(Object.entries(entries[3] ?? {}).filter(([, value]) => value !== undefined));
      const read = await readHistory(history);
      expect([read.ids, read.entries[0]]).toMatchObject([["msg_4", "msg_3", "msg_2", "msg_1"], latest]);
      expect((await readHistory(history, Date.parse(entryAt(3).at))).ids).toEqual(["msg_4", "msg_3"]);
    });

    it("has an intent that nothing settles, and of every other its outcome alone, in whatever order", async () => {
      const history = await historyAt(newPlace());
      const doubt = { outcome: "uncertain", messageId: undefined } as const;
      const idsSince = async (minute: number) => {
        const { entries } = await readHistory(history, Date.parse(entryAt(minute).at));
        return entries.map(({ outcome, intent, settles }) => `${outcome} ${intent ?? settles}`);
      };
      await history.append({ ...entryAt(1), ...doubt, intent: "a" });
      await history.append({ ...entryAt(3), settles: "a" });
      await history.append({ ...entryAt(5), settles: "c" });
      await history.append({ ...entryAt(4), ...doubt, intent: "c" });
      for (const minute of [6, 7]) await history.append({ ...entryAt(minute), ...doubt, intent: "withdrawn" });
      // A clock was set back.
      await history.append({ ...entryAt(2), ...doubt, intent: "b" });

      expect(await idsSince(0)).toEqual(["accepted c", "accepted a", "uncertain b"]);
      expect(await idsSince(2)).toEqual(["accepted c", "accepted a", "uncertain b"]);
      expect(await idsSince(3)).toEqual(["accepted c", "accepted a"]);
    });

    it("loses what is older when it is pruned, and takes what comes then", async () => {
      const place = newPlace();
      const history = await historyAt(place);
      for (const minute of [0, 1, 2]) await history.append(entryAt(minute));
      expect(await history.prune(Date.parse(entryAt(2).at), ignore)).toBe(2);
      await history.append(entryAt(3));
      expect((await readAt(place)).ids).toEqual(["msg_3", "msg_2"]);
    });

    it("has every entry of several processes that write at once", async () => {
      const place = newPlace();
      const children = Array.from({ length: trials("PROCESSES", 3, 6) }, (_, child) =>
        start(process.execPath, script, place, "history", String(child * 1000), "200"),
      );

      expect(await Promise.all(children.map(({ ended }) => ended))).toEqual(children.map(() => 0));
      const { entries, unread } = await readAt(place);
      expect([new Set(entries.map((entry) => entry.to)).size, unread.broken]).toEqual([children.length * 200, 0]);
    });

    it("loses at most the entry of the process that is killed, and none that it reported", async () => {
      const place = newPlace();
      const other = start(process.execPath, script, place, "history", "0");
      const reports = [await other.hear()];
      const kills = 4;
      for (let kill = 1; kill <= kills; kill++) {
        const child = start(process.execPath, script, place, "history", String(kill * 1_000_000));
        for (let heard = 0; heard < 10 * kill; heard++) reports.push(await child.hear());
        child.kill("SIGKILL");
        await child.ended;
        reports.push(await other.hear());
      }
      other.kill("SIGKILL");
      await other.ended;
      const { entries, unread } = await readAt(place);
      const numbers = new Set<string | undefined>(entries.map((entry) => entry.to));

      expect(reports.filter((number) => !numbers.has(number))).toEqual([]);
      expect(unread.broken).toBeLessThanOrEqual(kills + 1);
    });
  });

  describe("the notes on who pays", () => {
    const payer = "a1b2c3d4";

    it("have last use, balance and price of the last receipt, and survive what says less", async () => {
      const account = await openAt(newPlace()).account();
      expect(await account.noted(payer)).toEqual({});
      const amounts = { newBalance: 97, totalCredits: 3, totalCostKes: 2.4 };
      const receipt = { success: true, messageId: "a", to, ...amounts } as const;
      await account.note(payer, { kind: "accepted", receipt }, Date.parse("2030-01-01T00:00:00Z"));
      const at = "2030-01-01T00:00:00.000Z";
      const whole = { balance: { credits: 97, at }, price: { kesPerCredit: 0.8, at }, lastUsed: at };
      expect(await account.noted(payer)).toEqual(whole);
      const failure = { kind: "refused", error: "", errorCode: "" } as const;
      const unsent = { kind: "unsent", failure, retry: { kind: "never" } } as const;
      await account.note(payer, unsent, Date.parse("2030-01-02T00:00:00Z"));
      expect(await account.noted(payer)).toEqual(whole);
      await account.note(payer, { kind: "rejected", failure }, Date.parse("2030-01-03T00:00:00Z"));
      expect(await account.noted(payer)).toEqual({ ...whole, lastUsed: "2030-01-03T00:00:00.000Z" });
      expect(await account.noted("another")).toEqual({});
    });
  });
}
