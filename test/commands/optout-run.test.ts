import { existsSync, renameSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { accept, answer } from "../support/scripts.ts";
import type { Script } from "../support/scripted-server.ts";
import { withPhones } from "./with-phones.ts";
import { fast, numbers, objectsIn } from "./with-runs.ts";

const all = numbers(3);
const [first = "", second = "", third = ""] = all;
const message = ["-m", "Hi", ...fast, "--yes"];
const resume = ["runs", "resume", "news", "--yes", ...fast];
const command = ["send", ...all.flatMap((to) => ["--to", to]), ...message];

const { answerWith, path, run, runJson, texted } = withPhones();

const optOut = (...to: readonly string[]) => run(["optout", "add", ...to]);
const optIn = (to: string) => run(["optout", "remove", to, "--yes"]);

/** Does this while the request waits for its answer. */
const meanwhile =
  (act: () => Promise<unknown>, script = accept()): Script =>
  (...request) =>
    void act().then(() => script(...request));

async function lines(args: readonly string[]) {
  const { code, stdout } = await run([...args, "--json"]);
  return { code, lines: objectsIn(stdout) };
}

it("a number that opts out between plan and send is left out for good, and the run is done without it", async () => {
  answerWith({ [first]: meanwhile(() => optOut(third)) });
  const sent = await lines([...command, "--run", "news"]);
  expect({ code: sent.code, texted: texted() }).toEqual({ code: 0, texted: [first, second] });
  expect(sent.lines).toMatchObject([
    { to: first, outcome: "accepted" },
    { to: second, outcome: "accepted" },
    { type: "recipient", to: third, outcome: "left-out", reason: "optedOut" },
    { type: "summary", recipients: 2, accepted: 2, pending: 0, leftOut: { optedOut: 1 } },
  ]);
  expect((await run(["runs", "show", "news"])).stdout).not.toContain("resume");
  await optIn(third);
  // The same command is known again: a plan does not change when somebody opts out.
  for (const again of [resume, [...command, "--run", "news"]]) {
    const resumed = await lines(again);
    expect({ code: resumed.code, texts: texted().length }).toEqual({ code: 0, texts: 2 });
    expect(resumed.lines.at(-1)).toMatchObject({ pending: 0, leftOut: { optedOut: 1 } });
  }
  answerWith({});
  expect((await run([...command, "--run", "other"])).code).toBe(0);
  expect(texted()).toEqual([first, second, ...all]);
});

it("a number that opted out before the plan is left out of the run, also when it opts in again", async () => {
  await optOut(second);
  for (const _ of [1, 2]) expect((await run([...command, "--run", "news"])).code).toBe(0);
  await optIn(second);
  const again = await runJson([...command, "--run", "news"]);
  expect(again).toMatchObject({ code: 0, value: { accepted: 2, leftOut: { optedOut: 1 } } });
  expect(texted()).toEqual([first, third]);
});

it("a number that opts out stays uncertain when its uncertain message is asked for again", async () => {
  answerWith(Object.fromEntries(all.map((to) => [to, answer(500, {})])));
  await run([...command, "--run", "news"]);
  await optOut(first);
  const resumed = await runJson([...resume, "--retry", "uncertain"]);
  expect(resumed.value).toMatchObject({ uncertain: 3 });
  expect(resumed.value).not.toHaveProperty("leftOut");
  expect(texted().filter((to) => to === first)).toHaveLength(1);
});

it("a list that breaks while a run is sent stops it: exit 12, and the rest can be resumed", async () => {
  await optOut("+254712345999");
  answerWith({ [first]: meanwhile(async () => writeFileSync(path("state", "optout", "numbers"), "damaged\n")) });
  const sent = await runJson([...command, "--run", "news"]);
  expect(sent).toMatchObject({ code: 12, value: { accepted: 1, pending: 2 } });
  expect(await runJson(resume)).toMatchObject({ code: 2, value: { errorCode: "UNUSABLE_OPT_OUTS" } });
  expect(texted()).toEqual([first]);
});

it("a number that opts out while a message waits for its --once key is not sent to", async () => {
  await optOut(first);
  const [list, aside] = [path("state", "optout"), path("aside")];
  renameSync(list, aside);
  // The clock is asked when the key is, after the list was read.
  const clock = () => {
    if (existsSync(aside)) renameSync(aside, list);
    return Date.now();
  };
  const ended = await runJson(["send", "--to", first, "-m", "Hi", "--once", "a"], { clock });
  expect(ended).toMatchObject({ code: 2, value: { errorCode: "OPTED_OUT" } });
  expect(texted()).toEqual([]);
});
