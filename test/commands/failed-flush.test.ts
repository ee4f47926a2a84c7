import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";
import { accept } from "../support/scripts.ts";
import { withPhones } from "./with-phones.ts";
import { fast, numbers } from "./with-runs.ts";

const { answerWith, file, path, runJson, texted } = withPhones();

it("a run whose flush fails releases what was not sent, and nothing of what was accepted meanwhile", async () => {
  const all = numbers(60);
  const journal = path("state", "runs", "jan", "journal.ndjson");
  // A line of somebody else fails the next flush, while requests are in flight.
  const disturb = accept();
  const late = all.slice(20).map((to, index) => {
    const script = (...request: Parameters<typeof disturb>) => {
      if (index === 4) appendFileSync(journal, '["time",1]\n');
      setTimeout(() => disturb(...request), 100);
    };
    return [to, script] as const;
  });
  answerWith(Object.fromEntries(late));
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
