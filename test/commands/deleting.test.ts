import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it, test } from "vitest";
import { acquireLock } from "../../src/files/lock.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const { json, path, run, sandbox, storePath } = withSandbox();

beforeEach(async () => {
  const login = ["login", "--no-verify", "--base-url", "https://sms.example.com", "--with-key"];
  await run(login, { stdin: "sk_test_old" });
  await run(["keys", "rename", "test", "old"]);
  await run(login, { stdin: "sk_live_prod" });
  await run(["keys", "rename", "live", "prod"]);
  await run([...login, "--profile", "shop"], { stdin: "sk_live_shop" });
  const environment = { SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_test_sandbox" };
  await run(["send", "--run", "topup", "--to", "+254712345678", "-m", "Hi"], { environment });
});

const deletions = [
  ["logout"],
  ["keys", "remove", "old"],
  ["profiles", "remove", "shop"],
  ["runs", "remove", "topup"],
].map((args) => ({ args, name: args.slice(0, 2).join(" ") }));

const remains = () => ({
  credentials: readFileSync(storePath(), "utf8"),
  hasRun: existsSync(path("state", "runs", "topup", "run.json")),
});

describe.each(deletions)("sms $name", ({ args }) => {
  it("deletes nothing before a person has said yes", async () => {
    const before = remains();
    for (const more of [[], ["--no-input"]]) {
      const { code, stdout, stderr } = await run([...args, ...more, "--json"]);
      const refusal = { code: 2, stdout: "", errorCode: "NOT_CONFIRMED", hint: "confirm with --yes" };
      expect({ code, stdout, ...JSON.parse(stderr) }).toMatchObject(refusal);
    }
    let prompts = "";
    const { code } = await run(args, { onPrompt: (text) => (prompts += text) });
    expect({ code, prompts }).toEqual({ code: 130, prompts: expect.stringContaining("Remove ") });
    expect(remains()).toEqual(before);

    expect((await run([...args, "--yes"])).code).toBe(0);
    expect(remains()).not.toEqual(before);
  });
});

test.each([
  ["runs show topop", "topup"],
  ["runs remove topop", "topup"],
  ["profiles use defalt", "default"],
  ["keys use prdo", "prod"],
  ["status --profile defalt", "default"],
])("sms %s asks whether %s is meant, and changes nothing", async (line, name) => {
  const before = remains();
  const { code, stderr } = await run(line.split(" "));
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(`did you mean "?${name}"?\\? `) });
  expect(stderr).toMatch(/^ {2}Nothing was sent/m);
  expect(remains()).toEqual(before);
});

describe("what cannot be deleted", () => {
  it.each([
    [["keys", "remove", "prod"], "KEY_IN_USE"],
    [["profiles", "remove", "default"], "PROFILE_IN_USE"],
    [["logout", "--profile", "none"], "UNKNOWN_PROFILE"],
    [["runs", "remove", "none"], "UNKNOWN_RUN"],
  ])("%j is refused before a question: %s", async (args, errorCode) => {
    let prompts = "";
    const ended = await json(args, { onPrompt: (text) => (prompts += text) });
    expect({ ...ended, prompts }).toMatchObject({ code: 2, value: { errorCode }, prompts: "" });
  });

  it("is a run whose messages the history cannot take, unless the history is off", async () => {
    const history = path("state", "history");
    rmSync(history, { recursive: true, force: true });
    writeFileSync(history, "");
    const before = (await run(["runs", "show", "topup", "--json"])).stdout;
    const remove = ["runs", "remove", "topup", "--yes"];
    expect(await json(remove)).toMatchObject({ code: 2, value: { errorCode: "NOT_WRITTEN" } });
    expect((await run(["runs", "show", "topup", "--json"])).stdout).toBe(before);
    expect((await run(remove, { environment: { SMS_HISTORY: "off" } })).code).toBe(0);
  });

  it("a run that a process works on is refused before a question", async () => {
    const lock = await acquireLock(path("state", "runs", "topup", "lock"), { pid: process.pid, exists: () => true });
    let prompts = "";
    const { value } = await json(["runs", "remove", "topup"], { onPrompt: (text) => (prompts += text) });
    if (lock.kind === "lock") lock.release();
    expect({ prompts, errorCode: value.errorCode }).toEqual({ prompts: "", errorCode: "RUN_BUSY" });
  });
});
