import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from "vitest";
import { sandboxAddress } from "../../src/commands/sandbox/client.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { sms } from "../support/machine.ts";
import { type RunningSms, startSms } from "../support/sms.ts";

const folder = mkdtempSync(join(tmpdir(), "sms-sandbox-"));
afterAll(() => rmSync(folder, { recursive: true }));

function configFile(content: unknown): string {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** A sandbox of its own process on a free port, as `--json` tells of it. */
async function serve(
  ...args: readonly string[]
): Promise<{ running: RunningSms; url: string; told: object }> {
  const running = startSms(["sandbox", "--port", "0", ...args]);
  onTestFinished(() => running.signal("SIGTERM"));
  const line = await running.begun;
  const told = line.startsWith("{") ? (JSON.parse(line) as object) : {};
  return { running, told, url: /http:\/\/[\d.:]+/.exec(line)?.[0] ?? line };
}

function post(url: string, fields: object, key = "sk_live_sandbox", path = "/api/v1/sms/send") {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(url + path, { method: "POST", headers, body: JSON.stringify(fields) });
}

const hello = { to: "+254712345678", message: "Hello" };

describe("sms sandbox", () => {
  test("--json: one line once it listens, and nothing more", async () => {
    const { running, url, told } = await serve("--json");
    expect(told).toEqual({ url, keys: ["sk_test_sandbox", "sk_live_sandbox"] });
    expect((await post(url, hello)).status).toBe(200);
    running.signal("SIGTERM");
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout, stderr]).toEqual([0, `${JSON.stringify(told)}\n`, ""]);
  });

  test("--json: its keys are no secrets, though one is in the environment", async () => {
    const running = startSms(["sandbox", "--port", "0", "--json"], {
      env: { SMS_API_KEY: "sk_live_sandbox" },
    });
    expect(JSON.parse(await running.begun)).toMatchObject({ keys: ["sk_test_sandbox", "sk_live_sandbox"] });
    running.signal("SIGTERM");
    await running.ended;
  });

  test("--quiet: the address alone", async () => {
    const { running, url } = await serve("--quiet");
    running.signal("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout, stderr]).toEqual([0, `${url}\n`, ""]);
  });

  test("says how to use it, and in the end what it took", async () => {
    const { running, url } = await serve();
    await post(url, { ...hello, message: "a".repeat(161) });
    await post(url, hello, "sk_test_sandbox");
    await fetch(`${url}/_sandbox/messages`, { method: "DELETE" });
    running.signal("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, "Received 2 messages in 3 segments, charged 2 credits.\n"]);
    expect(stdout).toBe(`The sandbox listens at ${url}; Ctrl-C stops it. In another shell:

  export SMS_BASE_URL=${url} SMS_API_KEY=sk_test_sandbox
  sms send --to +254712345678 --message "Hello"

`);
  });

  test("--fault: chooses a seed and tells it; the same seed meets the same sends", async () => {
    const results = async (url: string) => {
      const statuses: number[] = [];
      for (let n = 0; n < 24; n++) statuses.push((await post(url, hello)).status);
      return statuses;
    };
    const first = await serve("--json", "--fault", "503:50%");
    const { seed } = first.told as { seed: number };
    const again = await serve("--json", "--fault", "503:50%", "--seed", String(seed));
    expect(again.told).toMatchObject({ seed });
    expect(await results(again.url)).toEqual(await results(first.url));
  });

  test("--log: a line for each request, without the text", async () => {
    const { running, url } = await serve("--json", "--log");
    await post(url, hello);
    await post(url, { to: "+254712000503", message: "secret" }, "sk_test_sandbox");
    await post(url, { to: "\u001b[2J0712", message: "secret" });
    await fetch(`${url}/_sandbox/messages?to=%2B254712345678`);
    await post(url, { ...hello, to: "+254712000598" }).catch(() => {});
    running.signal("SIGTERM");
    const { stderr } = await running.ended;
    expect(stderr.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /gm, ""))
      .toBe(`POST /api/v1/sms/send 200 to=+254712345678 mode=live segments=1
POST /api/v1/sms/send 503 fault=000503 to=+254712000503 mode=test
POST /api/v1/sms/send 400 to=\\u001b[2J0712 mode=live
GET /_sandbox/messages 200
POST /api/v1/sms/send cut fault=000598 to=+254712000598 mode=live segments=1
`);
  });

  test("--config: is what the file says, and the flags beat it", async () => {
    const keys = [{ key: "sk_live_a" }, { key: "sk_test_b", revoked: true }];
    const config = configFile({ keys, credits: 5, kesPerCredit: 2, senders: [{ name: "ACME" }], rate: 9 });
    const { url, told } = await serve("--json", "--config", config, "--credits", "7", "--tier", "starter");
    expect(told).toEqual({ url, keys: ["sk_live_a"] });
    expect(await (await post(url, hello, "sk_live_a")).json()).toMatchObject({
      senderId: "ACME",
      totalCostKes: 2,
      newBalance: 6,
    });
    const account = await fetch(`${url}/_sandbox/account`);
    expect(await account.json()).toMatchObject({ tier: "starter", rate: null, credits: 6 });
  });

  test("--path both, --sender, --rate: as they say", async () => {
    const id = "5e4de00000000000000000ff";
    const { url } = await serve(
      "--json",
      "--path",
      "both",
      "--sender",
      `SHOP:${id}`,
      "--sender",
      "ACME",
      "--rate",
      "2",
    );
    const first = post(url, { ...hello, senderId: id }, "sk_test_sandbox", "/v1/sms/send");
    expect(await (await first).json()).toMatchObject({ senderId: "SHOP" });
    expect(await (await post(url, { ...hello, senderIdName: "ACME" })).json()).toMatchObject({
      senderId: "ACME",
    });
    expect((await post(url, hello)).status).toBe(429);
  });
});

describe("sms sandbox refuses", () => {
  it.each<[string, readonly string[], string, string]>([
    [
      "a rate and a tier",
      ["--rate", "9", "--tier", "free"],
      "AMBIGUOUS_RATE",
      "--rate and --tier are both given",
    ],
    ["a fault it does not know", ["--fault", "404:1%"], "INVALID_FAULT", '--fault: "404:1%" is not a fault'],
    [
      "a sender's bad id",
      ["--sender", "A:b"],
      "INVALID_CONFIG",
      "--sender[0].id must be 24 hexadecimal characters",
    ],
    [
      "a path that the service does not have",
      ["--path", "/send"],
      "INVALID_OPTION",
      '--path does not take "/send"',
    ],
    [
      "flags for the server before a verb",
      ["--port", "0", "messages"],
      "INVALID_OPTION",
      "--port before messages is an option of sandbox",
    ],
  ])("%s", async (_, args, errorCode, error) => {
    const { code, stdout, stderr } = await sms(["sandbox", "--json", ...args]);
    expect([code, stdout, JSON.parse(stderr)]).toEqual([
      2,
      "",
      expect.objectContaining({ errorCode, error }),
    ]);
  });

  it.each<[string, unknown, readonly string[]]>([
    ["is no JSON", "{", ["it is not JSON: "]],
    ["has one fault", { tier: "gold" }, ["tier must be free or starter or professional"]],
    [
      "has two",
      { tier: "gold", keys: [{ key: "x" }] },
      ["tier must be free or starter or professional", "keys[0].key does not contain an API key"],
    ],
  ])("a file that %s, and names each fault", async (_, content, faults) => {
    const path = configFile(content);
    const { code, stderr } = await sms(["sandbox", "--config", path, "--json"]);
    expect([code, JSON.parse(stderr)]).toEqual([
      2,
      {
        error: `${path} is not a valid configuration`,
        errorCode: "INVALID_CONFIG",
        exitCode: 2,
        hint: "fix the file and start again",
        details: faults.map((fault) => expect.stringContaining(fault) as unknown),
      },
    ]);
  });

  it("a file that is not there", async () => {
    const { code, stderr } = await sms(["sandbox", "--config", join(folder, "none.json"), "--json"]);
    expect([code, JSON.parse(stderr)]).toMatchObject([2, { errorCode: "UNREADABLE_FILE" }]);
  });
});

describe("sms sandbox messages", () => {
  let sandbox: Sandbox;
  let environment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    let ids = 0;
    sandbox = await startSandbox({
      port: 0,
      now: () => Date.UTC(2030, 0, 1),
      newId: () => `message-${++ids}`,
    });
    environment = { SMS_BASE_URL: sandbox.url };
    await post(sandbox.url, hello);
    await post(
      sandbox.url,
      { ...hello, message: "Two\n\u001b[2Jlines", senderIdName: "ACME" },
      "sk_test_sandbox",
    );
    await post(sandbox.url, { to: "+254712345679", message: "я".repeat(71) });
  });

  afterAll(() => sandbox.close());

  const run = (...args: readonly string[]) => sms(["sandbox", "messages", ...args], { environment });

  it("prints a table, in which no text can drive the terminal", async () => {
    expect(await run("--to", "+254712345678")).toEqual({
      code: 0,
      stderr: "",
      stdout: `  TIME                      TO             FROM     MODE  SEGMENTS  TEXT
  2030-01-01T00:00:00.000Z  +254712345678  SANDBOX  live  1         Hello
  2030-01-01T00:00:00.000Z  +254712345678  ACME     test  1         Two\\u000a\\u001b[2Jlines
`,
    });
  });

  it("--json: one line, as the sandbox itself answers", async () => {
    const { code, stdout } = await run("--json");
    expect([code, stdout.split("\n").length, JSON.parse(stdout)]).toEqual([0, 2, sandbox.messages()]);
  });

  it.each<[readonly string[], readonly number[]]>([
    [[], [1, 2, 3]],
    [["--to", "+254712345679"], [3]],
    [["--sender", "ACME"], [2]],
    [["--since", "message-2"], [3]],
    [
      ["--since", "2030-01-01"],
      [1, 2, 3],
    ],
    [["--to", "+254712345678", "--sender", "SANDBOX", "--since", "2029-12-31T23:59:59+00:00"], [1]],
    [["--to", "+254700000000"], []],
    [
      ["--wait-for", "2"],
      [1, 2, 3],
    ],
  ])("--quiet %j: the ids alone", async (args, ids) => {
    const { code, stdout, stderr } = await run("--quiet", ...args);
    expect([code, stdout, stderr]).toEqual([0, ids.map((n) => `message-${n}\n`).join(""), ""]);
  });

  it("takes its global options before its name as well", async () => {
    const { stdout } = await sms(["sandbox", "--quiet", "messages", "--sender", "ACME"], { environment });
    expect(stdout).toBe("message-2\n");
  });

  it("says where there is none", async () => {
    expect(await run("--to", "+254700000000")).toEqual({ code: 0, stdout: "", stderr: "No messages.\n" });
  });

  it("--wait-for: ends once so many are there", async () => {
    const to = "+254712345670";
    const waiting = run("--to", to, "--wait-for", "2", "--quiet");
    for (let n = 0; n < 2; n++) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      await post(sandbox.url, { ...hello, to });
    }
    const { code, stdout } = await waiting;
    expect([code, stdout.trim().split("\n").length]).toEqual([0, 2]);
  });

  it("--wait-for: waits for the sandbox itself", async () => {
    const options = { now: Date.now, newId: () => "message-1" };
    const { url, close } = await startSandbox({ port: 0, ...options });
    await close();
    const waiting = run("--url", url, "--wait-for", "1", "--quiet");
    await new Promise((resolve) => setTimeout(resolve, 150));
    const late = await startSandbox({ port: Number(new URL(url).port), ...options });
    onTestFinished(() => late.close());
    await post(url, hello);
    expect(await waiting).toEqual({ code: 0, stdout: "message-1\n", stderr: "" });
  });

  it.each<[string, readonly string[], number, object]>([
    [
      "fewer than it waits for",
      ["--to", "+254712345679", "--wait-for", "2", "--timeout", "0.2"],
      11,
      { error: "1 of 2 messages came within 0.2 seconds", errorCode: "NOT_ENOUGH_MESSAGES" },
    ],
    [
      "nothing that answers",
      ["--url", "http://127.0.0.1:1"],
      9,
      { error: "no sandbox answers at http://127.0.0.1:1", errorCode: "UNREACHABLE" },
    ],
    [
      "nothing that answers in time",
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
      "a number that is none",
      ["--to", "0712"],
      2,
      { error: "--to must be a number in E.164 format", errorCode: "INVALID_OPTION" },
    ],
    [
      "a timeout for nothing",
      ["--timeout", "1"],
      2,
      { error: "--timeout needs --wait-for", errorCode: "INVALID_OPTION" },
    ],
    [
      "a profile",
      ["--profile", "shop"],
      2,
      { error: "sandbox messages has no --profile option", errorCode: "INVALID_OPTION" },
    ],
  ])("ends with an error where it finds %s", async (_, args, exitCode, error) => {
    const { code, stdout, stderr } = await run("--json", ...args);
    expect([code, stdout, JSON.parse(stderr)]).toEqual([
      exitCode,
      "",
      expect.objectContaining({ ...error, exitCode }),
    ]);
  });

  it("ends with an error where something else answers", async () => {
    const server = createServer((_, response) => void response.end("[{}]"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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

describe("where a sandbox is looked for", () => {
  it.each([
    [undefined, undefined, "http://127.0.0.1:4010"],
    [undefined, "", "http://127.0.0.1:4010"],
    [undefined, "https://sms.example.com", "http://127.0.0.1:4010"],
    [undefined, "http://127.0.0.1:5000", "http://127.0.0.1:5000"],
    ["http://localhost:6000", "http://127.0.0.1:5000", "http://localhost:6000"],
  ])("--url %s and SMS_BASE_URL %s: %s", (url, baseUrl, origin) => {
    const environment = baseUrl === undefined ? {} : { SMS_BASE_URL: baseUrl };
    expect(sandboxAddress(url, environment).origin).toBe(origin);
  });
});
