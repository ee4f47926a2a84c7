import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { type Machine, sms } from "../support/machine.ts";
import { accept, answer } from "../support/scripts.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { fast, numbers, objectsIn } from "./with-runs.ts";
import { temporaryFolder } from "../support/folders.ts";

const all = numbers(3);
const [first = "", second = "", third = ""] = all;
const message = ["-m", "Hi", ...fast, "--yes"];
const command = ["send", ...all.flatMap((to) => ["--to", to]), ...message];

let folder: string;
let server: ScriptedServer;
let texted: string[];
/** What happens at each request, before it is answered. */
let onRequest: (to: string) => Promise<unknown>;
let script: Script;

beforeEach(async () => {
  folder = temporaryFolder();
  texted = [];
  onRequest = async () => {};
  script = accept();
  server = await startScriptedServer({
    onRequest: (socket, request, index) => {
      const { to } = JSON.parse(request.body) as { to: string };
      texted.push(to);
      void onRequest(to).then(() => script(socket, request, index));
    },
  });
});

const run = (...args: readonly string[]) => runOn({}, ...args);

async function runOn(machine: Machine, ...args: readonly string[]) {
  const environment = { SMS_STATE_DIR: join(folder, "state"), SMS_BASE_URL: server.url, SMS_API_KEY: "sk_test_abc" };
  const { code, stdout, stderr } = await sms([...args, "--json"], { environment, ...machine });
  return { code, lines: objectsIn(stdout), stderr };
}

it("a number that opts out between plan and send is not sent to, until it opts in again", async () => {
  onRequest = (to) => (to === first ? run("optout", "add", third) : Promise.resolve());
  const sent = await run(...command, "--run", "news");
  expect({ code: sent.code, texted }).toEqual({ code: 11, texted: [first, second] });
  expect(sent.lines).toMatchObject([
    { to: first, outcome: "accepted" },
    { to: second, outcome: "accepted" },
    { type: "summary", accepted: 2, pending: 1, leftOut: { optedOut: 1 } },
  ]);
  // The same command is known again: a plan does not change when somebody opts out.
  for (const again of [
    ["runs", "resume", "news", ...fast],
    [...command, "--run", "news"],
  ]) {
    const resumed = await run(...again);
    expect({ code: resumed.code, texts: texted.length }).toEqual({ code: 11, texts: 2 });
    expect(resumed.lines).toMatchObject([
      { type: "summary", pending: 1, leftOut: { optedOut: 1 }, firstLeftOut: [`--to 3: ${third} has opted out`] },
    ]);
  }
  await run("optout", "remove", third, "--yes");
  expect((await run("runs", "resume", "news", ...fast)).code).toBe(0);
  expect(texted).toEqual(all);
});

it("a number that opted out before the plan is no part of the run, and makes another run when it opts in", async () => {
  await run("optout", "add", second);
  expect((await run(...command, "--run", "news")).code).toBe(0);
  expect((await run(...command, "--run", "news")).code).toBe(0);
  await run("optout", "remove", second, "--yes");
  const changed = await run(...command, "--run", "news");
  const error = "the run news began with other rows: 1 differs, first --to 2";
  expect({ code: changed.code, ...JSON.parse(changed.stderr) }).toMatchObject({ code: 2, error });
  expect(texted).toEqual([first, third]);
});

it("a number that opts out is counted when its uncertain message is asked for again", async () => {
  script = answer(500, {});
  await run(...command, "--run", "news");
  await run("optout", "add", first);
  const resumed = await run("runs", "resume", "news", "--retry", "uncertain", ...fast);
  expect(resumed.lines.at(-1)).toMatchObject({ uncertain: 3, leftOut: { optedOut: 1 } });
  expect(texted.filter((to) => to === first)).toHaveLength(1);
});

it("a list that breaks while a run is sent stops it: exit 12, and the rest can be resumed", async () => {
  await run("optout", "add", "+254712345999");
  onRequest = async () => writeFileSync(join(folder, "state", "optout", "numbers"), "damaged\n");
  const sent = await run(...command, "--run", "news");
  expect({ code: sent.code, texted, ...sent.lines.at(-1) }).toMatchObject({
    code: 12,
    texted: [first],
    accepted: 1,
    pending: 2,
  });
  expect((await run("runs", "resume", "news", ...fast)).code).toBe(2);
  expect(texted).toEqual([first]);
});

it("a number that opts out between two tries of one message is not sent to", async () => {
  script = answer(429, {}, { "retry-after": "0" });
  onRequest = () => run("optout", "add", first);
  expect((await run("send", "--to", first, "-m", "Hi")).code).toBe(2);
  expect(texted).toEqual([first]);
});

it("a number that opts out while a message waits for its --once key is not sent to", async () => {
  await run("optout", "add", first);
  const [list, aside] = [join(folder, "state", "optout"), join(folder, "aside")];
  renameSync(list, aside);
  // The clock is asked when the key is, after the list was read.
  const clock = () => {
    if (existsSync(aside)) renameSync(aside, list);
    return Date.now();
  };
  const { code, stderr } = await runOn({ clock }, "send", "--to", first, "-m", "Hi", "--once", "a");
  expect({ code, texted, ...JSON.parse(stderr) }).toMatchObject({ code: 2, texted: [], errorCode: "OPTED_OUT" });
});
