import { beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../src/message/outcome.ts";
import { onceUse } from "../../src/record/once.ts";
import { bundle, start } from "../files/child.ts";
import { trials } from "../support/trials.ts";
import { type Keeper, openAt } from "./place.ts";
import { accepted, claimKey, onceKey as key, useOf, to } from "./samples.ts";

const patience = 10_000;
const hour = 3_600_000;

/** What every keeper of the keys of `--once` does. */
export function onceSuite({ newPlace }: Keeper): void {
  let script: string;

  beforeAll(async () => {
    script = await bundle("test/record/record-child.ts");
  });

  const begin = (place: string, ...pauseAndText: readonly string[]) =>
    start(process.execPath, script, place, "once", key.text, ...pauseAndText);
  const keysAt = (place: string) => openAt(place).once();
  const claimAt = async (place: string, request = key) => claimKey(await keysAt(place), request, patience);

  describe("the keys of --once", () => {
    it.each([
      ["with one text", () => []],
      ["with texts of their own in a pause", (index: number) => [String(hour), `${index} %`]],
    ])("are had by one of many processes %s, and give its answer to all others", async (_, args) => {
      const place = newPlace();
      const children = Array.from({ length: trials("PROCESSES", 4, 8) }, (_child, index) =>
        begin(place, ...args(index)),
      );
      const answers = await Promise.all(
        children.map(async (child) => {
          const first = await child.hear();
          if (first !== "claimed") return [first, "later"];
          child.say("go");
          expect(await child.hear()).toBe("intended");
          child.say("go");
          return [await child.hear(), "first"];
        }),
      );
      expect(new Set(answers.map(([answer]) => answer)).size).toBe(1);
      expect(answers.filter(([, who]) => who === "first")).toHaveLength(1);
      expect(answers[0]?.[0]).toMatch(/^of \d+$/);
    });

    it("are free after a kill before the intent, and uncertain for good after a kill behind it", async () => {
      const place = newPlace();
      for (const [steps, kind] of [
        [["claimed"], "ours"],
        [["claimed", "intended"], "used"],
      ] as const) {
        const child = begin(place);
        for (const step of steps) {
          expect(await child.hear()).toBe(step);
          if (step !== steps.at(-1)) child.say("go");
        }
        child.kill("SIGKILL");
        await child.ended;
        const claimed = await (await keysAt(place)).claim(key, useOf(), patience);
        expect(claimed.kind).toBe(kind);
        if (claimed.kind === "ours") await claimed.release();
      }
      const again = await (await keysAt(place)).claim(key, useOf(), patience);
      expect(again).toMatchObject({ kind: "used", outcome: { kind: "uncertain" } });
      const paused = await (await keysAt(place)).claim({ ...key, pauseMs: hour }, useOf("Ho"), patience);
      expect(paused).toMatchObject({ kind: "used", outcome: { kind: "uncertain" } });
      await (await claimAt(place, { ...key, pauseMs: 0 })).release();
    });

    const failure = { kind: "refused", error: "", errorCode: "" } as const;
    it.each<[Outcome["kind"], Outcome, boolean]>([
      ["accepted", accepted("msg_1"), true],
      ["uncertain", { kind: "uncertain", failure: { ...failure, kind: "no-answer" } }, true],
      ["rejected", { kind: "rejected", failure }, false],
      ["unsent", { kind: "unsent", failure: { ...failure, kind: "unreachable" }, retry: { kind: "never" } }, false],
    ])("that end %s are used up: %j", async (_, outcome, isUsed) => {
      const place = newPlace();
      const mine = await claimAt(place);
      await mine.intend();
      await mine.settle(outcome);
      await mine.release();
      const found = await (await keysAt(place)).find(key, useOf());
      expect(found?.outcome).toEqual(isUsed ? outcome : undefined);
    });

    it("are free when they were only claimed, or their intent was withdrawn, and another text may have them", async () => {
      const place = newPlace();
      await (await claimAt(place)).release();
      const mine = await claimAt(place);
      await mine.intend();
      await mine.withdraw();
      await mine.release();
      expect(await (await keysAt(place)).claim(key, useOf("Ho"), patience)).toMatchObject({ kind: "ours" });
    });

    it("are found without waiting for who has them, and claimed by nobody meanwhile", async () => {
      const place = newPlace();
      const keys = await keysAt(place);
      const mine = await claimAt(place);
      expect(await keys.find(key, useOf())).toBeUndefined();
      await mine.intend();
      expect(await keys.find(key, useOf())).toMatchObject({ outcome: { kind: "uncertain" } });
      await expect(keys.claim(key, useOf(), 0)).rejects.toMatchObject({ errorCode: "LOCKED" });
      await mine.release();
    });

    it("serve a message that lacks a field as their own did, whose field came with a later version", async () => {
      const keys = await keysAt(newPlace());
      const { sender: _, ...digests } = useOf().digests;
      const claim = await keys.claim(key, { ...useOf(), digests }, patience);
      if (claim.kind === "ours") await claim.intend().then(claim.release);
      const withSender = onceUse({ to, text: "Hi", sender: { kind: "name", name: "ACME" } }, useOf().binding);

      expect(await keys.find(key, useOf())).toMatchObject({ outcome: { kind: "uncertain" } });
      await expect(keys.find(key, withSender)).rejects.toMatchObject({ errorCode: "ONCE_CHANGED" });
    });

    it("are refused for another message, which a pause is not, except for the recipient and the service", async () => {
      const place = newPlace();
      const keys = await keysAt(place);
      const mine = await claimAt(place);
      await mine.intend();
      await mine.settle(accepted("msg_1"));
      await mine.release();
      const used = { kind: "used", outcome: accepted("msg_1"), mode: "live" };
      const changed = { errorCode: "ONCE_CHANGED" };
      const others = [
        [useOf("Ho"), used],
        [useOf("Hi", undefined, { credentials: "b", mode: "test" }), used],
        [useOf("Hi", "+254712345679"), changed],
        [useOf("Hi", undefined, { baseUrl: "https://other.example.com" }), changed],
      ] as const;
      for (const [other, inPause] of others) {
        await expect(keys.claim(key, other, patience)).rejects.toMatchObject(changed);
        const claimed = await keys.claim({ ...key, pauseMs: hour }, other, patience).catch((error: unknown) => error);
        expect(claimed).toMatchObject(inPause);
        expect(await keys.find({ ...key, pauseMs: 0 }, other)).toBeUndefined();
      }
      expect(await keys.find({ ...key, isInProcess: true }, useOf())).toBeUndefined();
    });
  });
}
