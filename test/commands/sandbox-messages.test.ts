import { PerformanceObserver } from "node:perf_hooks";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { systemHost } from "../../src/host.ts";
import { sandboxAddress } from "../../src/trials/sandbox-messages.ts";
import { hello, liveKey, post, runSandbox } from "../sandbox/running.ts";
import { freePort } from "../support/free-port.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const start = Date.UTC(2030, 0, 1);
const live = { authorization: liveKey };

describe("sms sandbox messages", () => {
  const world = withSandbox({ key: "sk_test_sandbox", now: () => start });
  const { sandbox } = world;

  beforeAll(async () => {
    await post(sandbox(), hello, live);
    await post(sandbox(), { ...hello, message: "Two\n\u001b[2Jlines", senderIdName: "ACME" });
    await post(sandbox(), { to: "+254712345679", message: "я".repeat(71) }, live);
  });

  const run = (...args: readonly string[]) => world.run(["sandbox", "messages", ...args]);

  it("prints a table, in which no text can control the terminal", async () => {
    const args = ["sandbox", "messages", "--to", "+254712345678"];
    expect(await world.run(args, { now: start + 150_000 })).toEqual({
      code: 0,
      stderr: "",
      stdout: `  TIME       TO             FROM     MODE  SEGMENTS  TEXT
  2 min ago  +254712345678  SANDBOX  live  1         Hello
  2 min ago  +254712345678  ACME     test  1         Two\\u000a\\u001b[2Jlines
`,
    });
  });

  it("prints one line with --json, as the sandbox itself answers", async () => {
    const stdout = `${JSON.stringify(sandbox().messages())}\n`;
    expect(await run("--json")).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("asks the sandbox of the profile in use, or of --profile", async () => {
    const none = { environment: { SMS_BASE_URL: undefined, SMS_API_KEY: undefined } };
    await world.login("sk_live_sandbox", ["--profile", "dev"]);
    const login = ["login", "--base-url", "https://sms.example.com", "--with-key", "--no-verify", "--profile", "real"];
    await world.run(login, { stdin: "sk_live_real" });
    const ask = (...more: readonly string[]) => world.run(["sandbox", "messages", "-q", ...more], none);
    expect((await ask()).stdout).toContain("msg_1\n");
    await world.run(["profiles", "use", "real"]);
    expect((await ask("-p", "dev")).stdout).toContain("msg_1\n");
    expect(await ask("-p", "real")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('profile "real" has no sandbox'),
    });
  });

  it("prints only the ids with --quiet", async () => {
    const ended = await run("--quiet", "--to", "+254712345678");
    expect(ended).toEqual({ code: 0, stdout: "msg_1\nmsg_2\n", stderr: "" });
  });

  it("ends with --wait-for once there are that many", async () => {
    const to = "+254712345670";
    const waiting = run("--to", to, "--wait-for", "2", "--quiet");
    for (let n = 0; n < 2; n++) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      await post(sandbox(), { ...hello, to });
    }
    expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringMatching(/^msg_\d+\nmsg_\d+\n$/) });
  });

  it("waits with --wait-for for the sandbox itself", async () => {
    const port = await freePort();
    const waiting = run("--url", `http://127.0.0.1:${port}`, "--wait-for", "1", "--quiet");
    await new Promise((resolve) => setTimeout(resolve, 150));
    await post(await runSandbox({ port }), hello);
    expect(await waiting).toEqual({ code: 0, stdout: "message-1\n", stderr: "" });
  });

  const tooFew = "--to +254712345679 --wait-for 2 --timeout 0.2";
  const nobody = "--url http://127.0.0.1:1 --wait-for 1 --timeout 0.2";
  const elsewhere = "--url https://sms.example.com";

  it.each<[string, number, string, string, string?]>([
    [tooFew, 11, "NOT_ENOUGH_MESSAGES", "1 of 2 messages came within 0.2 seconds"],
    [nobody, 9, "UNREACHABLE", "no sandbox answers at http://127.0.0.1:1"],
    [elsewhere, 2, "INVALID_BASE_URL", "--url is not a sandbox: it is not http on this machine"],
    ["--to 0712", 2, "INVALID_OPTION", "--to must be a number in E.164 format", "give --to as +2547XXXXXXXX"],
    ["--timeout 1", 2, "INVALID_OPTION", "--timeout needs --wait-for"],
  ])("%s ends with %i %s", async (options, exitCode, errorCode, error, hint = "") => {
    const { code, stdout, stderr } = await run("--json", ...options.split(" "));
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ error, errorCode, exitCode });
    expect(stderr).toContain(hint);
  });

  it("asks a sandbox that has a token with SMS_SANDBOX_TOKEN", async () => {
    const { url } = await runSandbox({ host: "0.0.0.0", newId: () => "secret" });
    const args = ["sandbox", "messages", "--url", url, "--json"];
    const { code, stderr } = await world.run(args);
    const withToken = await world.run(args, { environment: { SMS_SANDBOX_TOKEN: "secret" } });

    expect({ code, ...JSON.parse(stderr) }).toMatchObject({
      code: 4,
      error: `the sandbox at ${url} gives its messages only with its token`,
      hint: "set SMS_SANDBOX_TOKEN to the token that it printed",
    });
    expect(withToken).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
  });

  it("looks localhost up nowhere: another machine would get the token", async () => {
    const lookups: string[] = [];
    const observer = new PerformanceObserver((list) => lookups.push(...list.getEntries().map(({ name }) => name)));
    observer.observe({ type: "dns" });
    onTestFinished(() => observer.disconnect());
    const url = sandbox().url.replace("127.0.0.1", "localhost");
    const { code } = await run("--url", url, "--json");
    await new Promise(setImmediate);
    expect({ code, lookups }).toEqual({ code: 0, lookups: [] });
  });
});

describe("the address of a sandbox", () => {
  it.each([
    [undefined, undefined, "http://127.0.0.1:4010"],
    [undefined, "https://sms.example.com", "http://127.0.0.1:4010"],
    [undefined, "http://127.0.0.1:5000", "http://127.0.0.1:5000"],
    ["http://localhost:6000", "http://127.0.0.1:5000", "http://localhost:6000"],
  ])("with --url %s and SMS_BASE_URL %s is %s", (url, baseUrl, origin) => {
    const environment = { SMS_CONFIG_DIR: "/nonexistent", ...(baseUrl !== undefined && { SMS_BASE_URL: baseUrl }) };
    expect(sandboxAddress({ url }, { ...systemHost(), environment }).origin).toBe(origin);
  });
});
