import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Script } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { withPhones } from "./with-phones.ts";
import { fast, numbers } from "./with-runs.ts";

const { answerWith, file, path, runJson, texted } = withPhones();

/** Answers late from the 21st number on. A line of somebody else fails the next flush, while these are in flight. */
function failNextFlush(all: readonly string[], script: Script): void {
  const late = all.slice(20).map((to, index): readonly [string, Script] => {
    const answerLate: Script = (...request) => {
      if (index === 4) appendFileSync(path("state", "runs", "jan", "journal.ndjson"), '["time",1]\n');
      setTimeout(() => script(...request), 100);
    };
    return [to, answerLate];
  });
  answerWith(Object.fromEntries(late));
}

it("a run whose flush fails releases what was not sent, and nothing of what was accepted meanwhile", async () => {
  const all = numbers(60);
  failNextFlush(all, accept());
  const rows = file("list.txt", all.join("\n"));

  const { code, value } = await runJson(["send", "-r", rows, "-m", "Hi", "--run", "jan", "--yes", ...fast]);
  const before = texted();
  answerWith({});
  const resumed = await runJson(["runs", "resume", "jan", "--yes", ...fast]);

  const left = value.unsent + value.pending;
  expect([code, before.length > 21, before.length < 60, left]).toEqual([11, true, true, 60 - before.length]);
  // What was accepted and could not be recorded stays uncertain.
  expect(resumed.value).toMatchObject({ pending: 0, unsent: 0, accepted: 60 - resumed.value.uncertain });
  expect(texted().toSorted()).toEqual(all);
});

it("a run whose flush fails gives back the day's credits of what was refused meanwhile", async () => {
  const all = numbers(40);
  failNextFlush(all, answer(429));
  const environment = { SMS_DAILY_CREDITS: "40" };
  const send = ["send", "-r", file("list.txt", all.join("\n")), "-m", "Hi", "--run", "jan", "--yes", ...fast];

  const { code, value } = await runJson(send, { environment });
  const shown = await runJson(["runs", "show", "jan"]);
  const { spent, reserved } = (await runJson(["status"], { environment })).value.dailyCredits;

  expect([code, value.accepted, value.uncertain, value.unsent > 0]).toEqual([11, 20, 0, true]);
  expect(shown.value.pending + shown.value.unsent).toBe(20);
  // The credits of the outcomes whose flush failed stay reserved.
  expect(spent + reserved).toBe(20);
});
