import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { sms } from "../support/machine.ts";
import { type RunningSms, startSms } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";

const folder = temporaryFolder();
function configFile(content: unknown): string {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** Starts a sandbox in a process of its own on a free port; `printed` is what it printed with `--json`. */
async function serve(...args: readonly string[]): Promise<{ running: RunningSms; url: string; printed: object }> {
  const running = startSms(["sandbox", "--port", "0", ...args], { env: { SMS_API_KEY: "sk_live_sandbox" } });
  onTestFinished(() => running.signal("SIGTERM"));
  const line = await running.begun;
  const printed = line.startsWith("{") ? (JSON.parse(line) as object) : {};
  return { running, printed, url: /http:\/\/[\d.:]+/.exec(line)?.[0] ?? line };
}

function post(url: string, fields: object, key = "sk_live_sandbox", path = "/api/v1/sms/send") {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(url + path, { method: "POST", headers, body: JSON.stringify(fields) });
}

const hello = { to: "+254712345678", message: "Hello" };

describe("sms sandbox", () => {
  test("prints one line with --json once it listens, with its keys although one is in the environment", async () => {
    const { running, url, printed } = await serve("--json");
    expect(printed).toEqual({ url, keys: ["sk_test_sandbox", "sk_live_sandbox"] });
    expect((await post(url, hello)).status).toBe(200);
    running.signal("SIGTERM");
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout, stderr]).toEqual([0, `${JSON.stringify(printed)}\n`, ""]);
  });

  test("prints only its address with --quiet", async () => {
    const { running, url } = await serve("--quiet");
    running.signal("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout, stderr]).toEqual([0, `${url}\n`, ""]);
  });

  test("says how to use it, and at the end what it received", async () => {
    const { running, url } = await serve();
    await post(url, { ...hello, message: "a".repeat(161) });
    await post(url, hello, "sk_test_sandbox");
    await fetch(`${url}/_sandbox/messages`, { method: "DELETE" });
    running.signal("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, "Received 2 messages in 3 segments; 2 credits would be charged.\n"]);
    expect(stdout).toBe(`The sandbox listens at ${url}; Ctrl-C stops it.

  Inbox    ${url}/
  Keys     sk_test_sandbox (test: free), sk_live_sandbox (live: charged)
  Numbers  +254700000400 401 402 403 429 500 502 503 get that answer
           +254700000598 is cut off, …599 never answered, …200 not JSON

In another shell:

  export SMS_BASE_URL=${url} SMS_API_KEY=sk_test_sandbox
  sms send --to +254712345678 --message "Hello"

`);
  });

  test("follows --config, which flags override", async () => {
    const keys = [{ key: "sk_live_a" }, { key: "sk_test_b", revoked: true }];
    const config = configFile({ keys, credits: 5, kesPerCredit: 2, senders: [{ name: "ACME" }], rate: 9 });
    const { url, printed } = await serve("--json", "--config", config, "--credits", "7", "--rate", "starter");
    expect(printed).toEqual({ url, keys: ["sk_live_a"] });
    expect(await (await post(url, hello, "sk_live_a")).json()).toMatchObject({
      senderId: "ACME",
      totalCostKes: 2,
      newBalance: 6,
    });
    const account = await fetch(`${url}/_sandbox/account`);
    expect(await account.json()).toMatchObject({ rate: 500, credits: 6 });
  });

  test("follows --sender, --rate, and the paths of --config", async () => {
    const id = "5e4de00000000000000000ff";
    const config = configFile({ paths: ["/api/v1/sms/send", "/v1/sms/send"] });
    const senders = ["--sender", `SHOP:${id}`, "--sender", "ACME"];
    const { url } = await serve("--json", "--config", config, ...senders, "--rate", "2");
    const first = post(url, { ...hello, senderId: id }, "sk_test_sandbox", "/v1/sms/send");
    expect(await (await first).json()).toMatchObject({ senderId: "SHOP" });
    expect(await (await post(url, { ...hello, senderIdName: "ACME" })).json()).toMatchObject({ senderId: "ACME" });
    expect((await post(url, hello)).status).toBe(429);
  });
});

describe("sms sandbox refuses", () => {
  it.each<[string, readonly string[], string, string]>([
    ["a fault it does not know", ["--fault", "404:1%"], "INVALID_FAULT", '--fault: "404:1%" is not a fault'],
    [
      "server options before messages",
      ["--port", "0", "messages"],
      "INVALID_OPTION",
      "--port before messages is an option of sandbox",
    ],
  ])("%s", async (_, args, errorCode, error) => {
    const { code, stdout, stderr } = await sms(["sandbox", "--json", ...args]);
    expect([code, stdout, JSON.parse(stderr)]).toEqual([2, "", expect.objectContaining({ errorCode, error })]);
  });

  it("an option before messages that messages does not have without advice to give it later", async () => {
    expect((await sms(["sandbox", "--port", "0", "messages"])).stderr).toContain("Next: leave it out\n");
  });

  it.each<[string, unknown, readonly string[]]>([
    ["is not JSON", "{", ["it must be a JSON object"]],
    [
      "has two",
      { rate: 0, keys: [{ key: "x" }] },
      [
        "rate must be a whole number from 1 to 1,000,000",
        "keys[0].key does not contain an API key: it does not begin with sk_test_ or sk_live_",
      ],
    ],
  ])("a file that %s, and names each mistake", async (_, content, faults) => {
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

  it("a file that does not exist", async () => {
    const { code, stderr } = await sms(["sandbox", "--config", join(folder, "none.json"), "--json"]);
    expect([code, JSON.parse(stderr)]).toMatchObject([2, { errorCode: "UNREADABLE_FILE" }]);
  });
});
