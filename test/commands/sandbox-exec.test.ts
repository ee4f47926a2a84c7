import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, test } from "vitest";
import { until } from "../support/until.ts";
import { type Machine, sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { startSms } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
/** A script that sends that many messages, like any other client, and notes the answers and its environment. */
function script(messages: number): string {
  const path = join(folder, "script.mjs");
  writeFileSync(
    path,
    `const { SMS_BASE_URL, SMS_API_KEY } = process.env;
const answers = [];
for (let n = 0; n < ${messages}; n++) {
  const headers = { authorization: "Bearer " + SMS_API_KEY, "content-type": "application/json" };
  const body = JSON.stringify({ to: "+254712345678", message: "Hello" });
  answers.push((await fetch(SMS_BASE_URL + "/api/v1/sms/send", { method: "POST", headers, body })).status);
}
const inbox = [];
for (const headers of [{}, { authorization: "Bearer " + process.env.SMS_SANDBOX_TOKEN }]) {
  inbox.push((await fetch(SMS_BASE_URL + "/_sandbox/messages", { headers })).status);
}
const sms = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^SMS_|^no_proxy$/.test(name)));
(await import("node:fs")).writeFileSync(${JSON.stringify(join(folder, "noted"))}, JSON.stringify({ answers, inbox, sms }));
`,
  );
  return path;
}

async function exec(options: readonly string[], messages: number, environment: Machine["environment"] = {}) {
  const words = ["--", process.execPath, script(messages)];
  const end = await sms(["sandbox", "exec", ...options, ...words], { environment });
  const noted = JSON.parse(readFileSync(join(folder, "noted"), "utf8"));
  return { ...end, answers: noted.answers, inbox: noted.inbox, env: noted.sms };
}

describe("sms sandbox exec", () => {
  test("gives the command a sandbox and a live key, and takes away what would be another key, profile or record", async () => {
    const { env, ...end } = await exec(["--credits", "1"], 2, {
      SMS_BASE_URL: "https://sms.example.com",
      SMS_API_KEY_FILE: "/nonexistent",
      SMS_API_KEY_CMD: "false",
      SMS_EMAIL: "me@example.com",
      SMS_PASSWORD: "secret",
      SMS_PROFILE: "shop",
      SMS_RECORD: "postgres://sms@db.example/sms",
      SMS_SENDER: "ACME",
      NO_PROXY: "example.com",
    });
    expect(env).toEqual({
      SMS_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      SMS_API_KEY: "sk_live_sandbox",
      SMS_SANDBOX_TOKEN: expect.stringMatching(/^[0-9a-f-]{36}$/),
      SMS_CONFIG_DIR: expect.stringContaining(tmpdir()),
      SMS_STATE_DIR: expect.stringContaining(tmpdir()),
      SMS_SENDER: "ACME",
      // Of the machine of the tests.
      SMS_HISTORY: "off",
      no_proxy: "example.com,127.0.0.1",
    });
    expect(end).toEqual({
      code: 0,
      stdout: "",
      stderr: `The sandbox listens at ${env.SMS_BASE_URL}.\nReceived 1 message in 1 segment; 1 credit would be charged.\n`,
      answers: [200, 402],
      inbox: [401, 200],
    });
  });

  test("gives the test key to a command that expects one", async () => {
    expect((await exec([], 0, { SMS_EXPECT: "test" })).env.SMS_API_KEY).toBe("sk_test_sandbox");
  });

  it.each([
    ["as many as expected", 2, 2, 0, ""],
    ["none, as expected", 0, 0, 0, ""],
    ["fewer", 0, 1, 11, "Error: the sandbox accepted 0 messages, and 1 was expected\n"],
    ["more", 2, 1, 11, "Error: the sandbox accepted 2 messages, and 1 was expected\n"],
  ])("counts the messages: %s", async (_, messages, expected, code, error) => {
    const end = await exec(["--quiet", "--expect-messages", String(expected)], messages);
    expect(end).toMatchObject({ code, stderr: expect.stringMatching(`^${error}`) });
    expect(end.stderr.match(/ live \+254712345678, 1 segment$/gm) ?? []).toHaveLength(code === 0 ? 0 : messages);
  });

  const environment = { PATH: process.env["PATH"] ?? "" };

  it.each([
    ["the exit code of the command before the count", ["node", "-e", "process.exit(3)"], 3, "; 0 credits would be"],
    ["127", ["nosuch"], 127, 'Error: cannot run "nosuch": there is no such program\n'],
    ["2 without a command", [], 2, "missing required argument 'command'"],
  ])("ends with %s", async (_, words, code, text) => {
    const args = ["sandbox", "exec", "--expect-messages", "1", "--", ...words];
    expect(await sms(args, { environment })).toMatchObject({ code, stderr: expect.stringContaining(text) });
  });

  test("takes no option of the command for its own", async () => {
    const command = ["node", "-e", "process.exit(process.argv.length)", "x", "--quiet", "--expect-messages", "5"];
    expect((await sms(["sandbox", "exec", ...command], { environment })).code).toBe(5);
  });
});

describe("the command that sms sandbox exec runs", needs("POSIX shell"), () => {
  test("has stdin, stdout and stderr for itself, and finds nothing of ours after it", async () => {
    const args = ["sandbox", "exec", "--quiet", "--", "sh", "-c", 'cat; echo err >&2; mkdir -p "$SMS_STATE_DIR"'];
    const { ended } = startSms(args, { stdin: "in", env: { TMPDIR: folder } });
    expect(await ended).toMatchObject({ code: 0, stdout: "in", stderr: "err\n" });
    expect(readdirSync(folder)).toEqual([]);
  });

  const counting = `n=0; trap 'n=$((n+1)); : > "$MARK"' INT; trap 'echo "$n"; exit 9' TERM; echo ready; while :; do sleep 0.01; done`;

  test("gets the signals, of which none ends sms", async () => {
    const mark = join(temporaryFolder(), "interrupted");
    const env = { TMPDIR: folder, MARK: mark };
    const running = startSms(["sandbox", "exec", "-q", "--", "sh", "-c", counting], { env });
    await running.firstLine();
    running.child.kill("SIGINT");
    // Two signals that wait together come in any order.
    await until(() => existsSync(mark));
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 9, stdout: "ready\n1\n", stderr: "" });
    expect(readdirSync(folder)).toEqual([]);
  });
});
