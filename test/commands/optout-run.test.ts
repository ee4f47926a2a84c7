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

it("a number that opts out between plan and send is not sent to, until it opts in again", async () => {
  answerWith({ [first]: meanwhile(() => optOut(third)) });
  const sent = await lines([...command, "--run", "news"]);
  expect({ code: sent.code, texted: texted() }).toEqual({ code: 11, texted: [first, second] });
  expect(sent.lines).toMatchObject([
    { to: first, outcome: "accepted" },
    { to: second, outcome: "accepted" },
    { type: "summary", accepted: 2, pending: 1, leftOut: { optedOut: 1 } },
  ]);
  // The same command is known again: a plan does not change when somebody opts out.
  for (const again of [resume, [...command, "--run", "news"]]) {
    const resumed = await lines(again);
    expect({ code: resumed.code, texts: texted().length }).toEqual({ code: 11, texts: 2 });
    expect(resumed.lines).toMatchObject([
      { type: "summary", pending: 1, leftOut: { optedOut: 1 }, firstLeftOut: [`--to 3: ${third} has opted out`] },
    ]);
  }
  await optIn(third);
  expect((await run(resume)).code).toBe(0);
  expect(texted()).toEqual(all);
});

it("a number that opted out before the plan is no part of the run, and makes another run when it opts in", async () => {
  await optOut(second);
  for (const _ of [1, 2]) expect((await run([...command, "--run", "news"])).code).toBe(0);
  await optIn(second);
  const changed = await runJson([...command, "--run", "news"]);
  const error = "the run news began with other rows: 1 differs, first --to 2";
  expect(changed).toMatchObject({ code: 2, value: { error } });
  expect(texted()).toEqual([first, third]);
});

it("a number that opts out is counted when its uncertain message is asked for again", async () => {
  answerWith(Object.fromEntries(all.map((to) => [to, answer(500, {})])));
  await run([...command, "--run", "news"]);
  await optOut(first);
  const resumed = await runJson([...resume, "--retry", "uncertain"]);
  expect(resumed.value).toMatchObject({ uncertain: 3, leftOut: { optedOut: 1 } });
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
