import { PerformanceObserver } from "node:perf_hooks";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { sandboxAddress } from "../../src/sending/sandbox-client.ts";
import { hello, liveKey, post, runSandbox } from "../sandbox/running.ts";
import { freePort } from "../support/free-port.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { answer } from "../support/scripts.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const began = Date.UTC(2030, 0, 1);
const live = { authorization: liveKey };

describe("sms sandbox messages", () => {
  const given = withSandbox({ key: "sk_test_sandbox", now: () => began });
  const { sandbox } = given;

  beforeAll(async () => {
    await post(sandbox(), hello, live);
    await post(sandbox(), { ...hello, message: "Two\n\u001b[2Jlines", senderIdName: "ACME" });
    await post(sandbox(), { to: "+254712345679", message: "я".repeat(71) }, live);
  });

  const run = (...args: readonly string[]) => given.run(["sandbox", "messages", ...args]);

  it("prints a table, in which no text can control the terminal", async () => {
    const args = ["sandbox", "messages", "--to", "+254712345678"];
    expect(await given.run(args, { now: began + 150_000 })).toEqual({
      code: 0,
      stderr: "",
      stdout: `  TIME       TO             FROM     MODE  SEGMENTS  TEXT
  2 min ago  +254712345678  SANDBOX  live  1         Hello
  2 min ago  +254712345678  ACME     test  1         Two\\u000a\\u001b[2Jlines
`,
    });
  });

  it("prints one line with --json, as the sandbox itself answers", async () => {
    const { code, stdout } = await run("--json");
    expect([code, stdout.split("\n").length, JSON.parse(stdout)]).toEqual([0, 2, sandbox().messages()]);
  });

  it.each<[readonly string[], readonly number[]]>([
    [
      ["--to", "+254712345678"],
      [1, 2],
    ],
    [
      ["--wait-for", "2"],
      [1, 2, 3],
    ],
  ])("prints only the ids with --quiet %j", async (args, ids) => {
    const { code, stdout, stderr } = await run("--quiet", ...args);
    expect([code, stdout, stderr]).toEqual([0, ids.map((n) => `msg_${n}\n`).join(""), ""]);
  });

  it("says that there are none", async () => {
    expect(await run("--to", "+254700000000")).toEqual({ code: 0, stdout: "", stderr: "No messages.\n" });
  });

  it("ends with --wait-for once there are that many", async () => {
    const to = "+254712345670";
    const waiting = run("--to", to, "--wait-for", "2", "--quiet");
    for (let n = 0; n < 2; n++) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      await post(sandbox(), { ...hello, to });
    }
    const { code, stdout } = await waiting;
    expect([code, stdout.trim().split("\n").length]).toEqual([0, 2]);
  });

  it("waits with --wait-for for the sandbox itself", async () => {
    const port = await freePort();
    const waiting = run("--url", `http://127.0.0.1:${port}`, "--wait-for", "1", "--quiet");
    await new Promise((resolve) => setTimeout(resolve, 150));
    await post(await runSandbox({ port }), hello);
    expect(await waiting).toEqual({ code: 0, stdout: "message-1\n", stderr: "" });
  });

  it.each<[string, readonly string[], number, object]>([
    [
      "fewer messages than it waits for",
      ["--to", "+254712345679", "--wait-for", "2", "--timeout", "0.2"],
      11,
      { error: "1 of 2 messages came within 0.2 seconds", errorCode: "NOT_ENOUGH_MESSAGES" },
    ],
    [
      "an address where nothing answers in time",
      ["--url", "http://127.0.0.1:1", "--wait-for", "1", "--timeout", "0.2"],
      9,
      { error: "no sandbox answers at http://127.0.0.1:1", errorCode: "UNREACHABLE" },
    ],
    [
      "another machine",
      ["--url", "https://sms.example.com"],
      2,
      { error: "--url is not a sandbox: it is not http on this machine", errorCode: "INVALID_BASE_URL" },
    ],
    [
      "an invalid number",
      ["--to", "0712"],
      2,
      {
        error: "--to must be a number in E.164 format",
        errorCode: "INVALID_OPTION",
        hint: expect.stringContaining("give --to as +2547XXXXXXXX"),
      },
    ],
    [
      "a timeout without --wait-for",
      ["--timeout", "1"],
      2,
      { error: "--timeout needs --wait-for", errorCode: "INVALID_OPTION" },
    ],
  ])("fails on %s", async (_, args, exitCode, error) => {
    const { code, stdout, stderr } = await run("--json", ...args);
    expect([code, stdout, JSON.parse(stderr)]).toEqual([exitCode, "", expect.objectContaining({ ...error, exitCode })]);
  });

  it("asks a sandbox that has a token with SMS_SANDBOX_TOKEN", async () => {
    const { url } = await runSandbox({ host: "0.0.0.0", newId: () => "secret" });
    const args = ["sandbox", "messages", "--url", url, "--json"];
    const { code, stderr } = await given.run(args);
    expect([code, JSON.parse(stderr)]).toMatchObject([
      4,
      {
        error: `the sandbox at ${url} gives its messages only with its token`,
        hint: "set SMS_SANDBOX_TOKEN to the token that it printed",
      },
    ]);
    expect(await given.run(args, { environment: { SMS_SANDBOX_TOKEN: "secret" } })).toEqual({
      code: 0,
      stdout: "[]\n",
      stderr: "",
    });
  });

  it("looks localhost up nowhere: another machine would get the token", async () => {
    const lookups: string[] = [];
    const observer = new PerformanceObserver((list) => lookups.push(...list.getEntries().map(({ name }) => name)));
    observer.observe({ type: "dns" });
    onTestFinished(() => observer.disconnect());
    const url = sandbox().url.replace("127.0.0.1", "localhost");
    const { code } = await run("--url", url, "--json");
    await new Promise(setImmediate);
    expect([code, lookups]).toEqual([0, []]);
  });

  it("fails if something else answers", async () => {
    const { url, close } = await startScriptedServer({ onRequest: answer(200, [{}]) });
    onTestFinished(close);
    const { code, stderr } = await run("--url", url, "--json");
    expect([code, JSON.parse(stderr)]).toMatchObject([
      9,
      {
        error: `the server at ${url} is not a sandbox: HTTP 200`,
        errorCode: "NOT_THE_SERVICE",
        httpStatus: 200,
      },
    ]);
  });
});

describe("the address of a sandbox", () => {
  it.each([
    [undefined, undefined, "http://127.0.0.1:4010"],
    [undefined, "https://sms.example.com", "http://127.0.0.1:4010"],
    [undefined, "http://127.0.0.1:5000", "http://127.0.0.1:5000"],
    ["http://localhost:6000", "http://127.0.0.1:5000", "http://localhost:6000"],
  ])("with --url %s and SMS_BASE_URL %s is %s", (url, baseUrl, origin) => {
    const environment = baseUrl === undefined ? {} : { SMS_BASE_URL: baseUrl };
    expect(sandboxAddress(url, environment).origin).toBe(origin);
  });
});
