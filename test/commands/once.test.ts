import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { onceFiles } from "../support/once-files.ts";
import { to, withHistory } from "../record/with-history.ts";
import { needs } from "../support/needs.ts";
import type { Machine } from "../support/machine.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer, inTurn } from "../support/scripts.ts";

const { history, path, run, sandbox, send } = withHistory();

const once = ["--to", to, "--once", "deploy-1"];
const hour = 3_600_000;
const noon = Date.parse("2026-11-22T12:00:00Z");

const received = () => sandbox().messages().length;
const records = () => onceFiles(path("state")).filter((name) => name.endsWith(".ndjson"));

async function failure(args: readonly string[], machine: Machine = {}) {
  const before = received();
  const { code, stdout, stderr } = await send([...args, "--json"], machine);
  expect(stdout).toBe("");
  const { error, errorCode, outcome, replayed } = JSON.parse(stderr) as Readonly<Record<string, unknown>>;
  return { code, error, errorCode, outcome, replayed, sent: received() - before };
}

describe("the same key again", () => {
  it("is free after all tries failed, which are one message of the history", async () => {
    const script = inTurn(answer(429, {}, { "retry-after": "0" }), answer(429, {}, { "retry-after": "0" }), accept());
    const server = await startScriptedServer({ onRequest: script });
    const environment = { SMS_BASE_URL: server.url };
    expect((await send([...once, "--retries", "1"], { environment })).code).toBe(7);
    expect(await history()).toMatchObject([{ outcome: "unsent", errorCode: "RATE_LIMITED" }]);
    expect((await send(once, { environment })).code).toBe(0);
    expect(server.requests).toHaveLength(3);
  });

  it("sends nothing and repeats the answer", async () => {
    const first = await send([...once, "--json"]);
    const again = await send([...once, "--json"]);
    expect({ first: first.code, again: again.code, received: received() }).toEqual({ first: 0, again: 0, received: 1 });
    expect(JSON.parse(again.stdout)).toEqual({ ...JSON.parse(first.stdout), replayed: true });
    expect((await send([...once, "--quiet"])).stdout).toBe("msg_1\n");
    expect(received()).toBe(1);
  });

  it("sends again where CI keeps nothing, which is warned of while the state folder is new", async () => {
    const ci = { environment: { CI: "true", SMS_STATE_DIR: path("runner") } };
    const first = await send(once, ci);
    expect(first.stderr).toMatch(/^Warning: .*runner is new and knows nothing that an earlier job sent/);
    expect((await send(once, ci)).stderr).toBe("");
    expect((await send(once)).stderr).toBe("");
    expect(received()).toBe(2);
  });

  it("says when the message was sent", async () => {
    await send(once, { clock: noon });
    const { stdout } = await send(once);
    expect(stdout).toMatch(
      /^✓ Nothing was sent now: the message to \+254712345678 from SANDBOX was sent at\s+2026-11-22T12:00:00.000Z\n  Message   msg_1\n/,
    );
    expect(stdout).toContain("  Balance   999 credits left then\n");
    expect(stdout).not.toContain("Queued");
  });

  it("counts once in the history, and changes no balance", async () => {
    await send(once);
    await send(["--to", to]);
    await send(once);
    expect((await history()).map(({ messageId }: { messageId: string }) => messageId)).toEqual(["msg_2", "msg_1"]);
    expect(JSON.parse((await run(["status", "--json"])).stdout)).toMatchObject({ balance: { credits: 998 } });
  });

  it("stays uncertain, but ends a pause in time", async () => {
    const uncertain = ["--to", "+254700000500", "--once", "a"];
    const failed = { code: 8, errorCode: "INTERNAL_ERROR", outcome: "uncertain" };
    expect(await failure(uncertain, { clock: noon })).toMatchObject({ ...failed, replayed: undefined });
    expect(await failure(uncertain, { clock: noon + hour })).toMatchObject({ ...failed, replayed: true, sent: 0 });
    const pause = [...uncertain, "--for", "1h"];
    const paused = await failure([...pause, "-m", "Another"], { clock: noon + hour - 1 });
    expect(paused).toMatchObject({ ...failed, replayed: true, sent: 0 });
    expect((await send(pause, { clock: noon + 1 })).stderr).toContain(
      "This is the outcome of the message of 2026-11-22T12:00:00.000Z: nothing was sent now, and nothing is sent until 2026-11-22T13:00:00.000Z.\n",
    );
    expect(await history()).toHaveLength(1);
    const stderr = expect.stringContaining("under this --once key goes after the pause\n");
    expect(await send(pause, { clock: noon + hour })).toMatchObject({ code: 8, stderr });
  });

  it.each([
    ["rejected", "+254700000402", 5],
    ["not sent", "+254700000429", 7],
  ])("sends again what was %s", async (_, number, code) => {
    const args = ["--to", number, "--once", "a", "--retries", "0"];
    expect(await send(args)).toMatchObject({ code });
    expect(onceFiles(path("state"))).toEqual([]);
    // Another text, too: the key is free.
    const { stderr } = await send([...args, "-m", "Ho", "--json"]);
    expect(stderr).not.toContain("ONCE_CHANGED");
  });

  it("sends again what was not sent since the hours ended after its intent was recorded", async () => {
    mkdirSync(path("state"), { mode: 0o700 });
    const clock = () => (records().length > 0 ? noon + 12 * hour : noon);
    const args = ["--between", "08:00-20:00", ...once];
    const refusal = { code: 12, errorCode: "OUTSIDE_HOURS", outcome: "unsent", sent: 0 };
    expect(await failure(args, { clock })).toMatchObject(refusal);
    expect(records()).toEqual([]);
    expect((await send(args, { clock: noon })).code).toBe(0);
  });

  it("is free if the hours end while the intent of another try is recorded", async () => {
    // The intent, its withdrawal after the 429, and the intent again.
    let changes = 0;
    const clock = () => {
      if (records().length !== changes % 2) changes++;
      return changes < 3 ? noon : noon + 12 * hour;
    };
    const server = await startScriptedServer({ onRequest: inTurn(answer(429, {}, { "retry-after": "0" }), accept()) });
    const environment = { SMS_BASE_URL: server.url };
    const { code } = await run(["send", ...once, "-m", "Hi", "--between", "08:00-20:00"], { clock, environment });
    expect({ code, requests: server.requests.length }).toEqual({ code: 12, requests: 1 });
    expect(records()).toEqual([]);
  });

  it("pauses for the time of --for, whatever the text, sender or key", async () => {
    const pause = [...once, "--for", "1h"];
    const first = await send([...pause, "-m", "92 %", "--json"], { clock: noon });
    for (const other of ["-m 91%", "-s ACME", "-m 93% --max-credits 0"]) {
      const paused = await send([...pause, ...other.split(" "), "--json"], { clock: noon + hour - 1 });
      expect(paused.code).toBe(0);
      expect(JSON.parse(paused.stdout)).toEqual({ ...JSON.parse(first.stdout), replayed: true });
    }
    const environment = { SMS_API_KEY: "sk_test_sandbox" };
    const quiet = await send([...pause, "--quiet"], { clock: noon + 1, environment });
    expect(quiet).toMatchObject({ code: 0, stdout: "msg_1\n" });
    expect(received()).toBe(1);
    const another = ["--to", "+254712345679", ...pause.slice(2)];
    expect(await failure(another, { clock: noon + 1 })).toMatchObject({ code: 2, errorCode: "ONCE_CHANGED" });
    // A test key reached nobody, and who waits for an alert must know that.
    await send([...pause, "-m", "94 %"], { clock: noon + hour, environment });
    const { stdout, stderr } = await send(pause, { clock: noon + hour });
    expect(stdout).toContain("  Mode        test key: no phone receives it\n");
    expect(stderr).toBe("Warning: the message before was sent with a test key, so no phone received it\n");
  });

  it("says of a message that a sandbox took that no phone has it, with a test key and once the sandbox is gone", async () => {
    const pause = [...once, "--for", "1h"];
    const environment = { SMS_BASE_URL: sandbox().url };
    await send(pause, { environment });
    for (const key of ["sk_test_sandbox", "sk_live_sandbox"]) {
      const { code, stdout } = await send(pause, { environment: { ...environment, SMS_API_KEY: key } });
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("live key in a sandbox: no phone") });
      await sandbox().close();
    }
  });

  it("sends again after the time of --for", async () => {
    const at = async (clock: number, ...more: readonly string[]) => {
      await send([...once, ...more], { clock });
      return received();
    };
    expect(await at(noon, "--for", "1h")).toBe(1);
    expect(await at(noon + hour - 1, "--for", "1h")).toBe(1);
    expect(await at(noon + hour)).toBe(1);
    // A clock that was set back frees nothing.
    expect(await at(noon - 2 * hour, "--for", "1h")).toBe(1);
    expect(await at(noon + hour, "--for", "1h", "-m", "Another")).toBe(2);
    expect(await at(noon + hour + 1, "--for", "1h", "-m", "Another")).toBe(2);
  });
});

describe("a key that was used", () => {
  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ["text", ["-m", "Ho"], {}],
    ["recipient", ["--to", "+254712345679"], {}],
    ["sender", ["--sender", "ACME"], {}],
    ["key or account, another mode (live, now test)", [], { SMS_API_KEY: "sk_test_sandbox" }],
  ])("is refused for another %s", async (what, more, environment) => {
    await send(["--to", to, "--once", "a"]);
    const args = more.includes("--to") ? [...more, "--once", "a"] : ["--to", to, "--once", "a", ...more];
    const error = `this --once key was used with another ${what}`;
    const refusal = { errorCode: "ONCE_CHANGED", outcome: "unsent", replayed: undefined, sent: 0 };
    expect(await failure(args, { environment })).toEqual({ ...refusal, code: 2, error });
  });

  it("is waited for a little longer than the time of a request, and no longer", async () => {
    const server = await startScriptedServer({
      onRequest: (...request) => void setTimeout(() => accept()(...request), 1500),
    });
    const environment = { SMS_BASE_URL: server.url };
    const words = ["send", ...once, "-m", "Hi", "--json"];
    const first = run(words, { environment });
    await server.firstRequest;
    const second = await run([...words, "--timeout", "1"], { environment });
    expect((await first).code).toBe(0);
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(second.stdout)).toMatchObject({ replayed: true });
    expect(server.requests).toHaveLength(1);
  });

  it("by a clock that was ahead pauses for its length from when that is first seen", async () => {
    const year = 365 * 24 * hour;
    const pause = [...once, "--for", "1h", "--json"];
    const sendAt = async (clock: number) => {
      const { stdout } = await send(pause, { clock });
      return (JSON.parse(stdout) as { readonly replayed?: true }).replayed === true;
    };
    expect(await sendAt(noon + year)).toBe(false);
    expect(await sendAt(noon)).toBe(true);
    expect(await sendAt(noon + hour - 1)).toBe(true);
    expect(await sendAt(noon + hour)).toBe(false);
  });

  it("answers although its guards would now refuse", async () => {
    await send(once);
    await run(["optout", "add", to]);
    expect(await send(once)).toMatchObject({ code: 0 });
    expect(await failure(["--to", to, "--once", "new"])).toMatchObject({ code: 2, errorCode: "OPTED_OUT", sent: 0 });
    expect(await send([...once, "--max-credits", "0"])).toMatchObject({ code: 0 });
    const free = ["--to", "+254712345670", "--once", "free"];
    expect(await failure([...free, "--max-credits", "0"])).toMatchObject({ code: 12, sent: 0 });
    expect(await send(free)).toMatchObject({ code: 0 });
  });
});

describe("a key", () => {
  it("shows in a dry run whether it would send", async () => {
    const guards = async () => JSON.parse((await send([...once, "--dry-run", "--json"])).stdout).guards;
    expect(await guards()).toEqual(['--once "deploy-1": the key is free']);
    expect(existsSync(path("state", "once"))).toBe(false);
    await send(once, { clock: noon });
    const guard = '--once "deploy-1": used at 2026-11-22T12:00:00.000Z, and accepted, so nothing is sent now';
    expect(await guards()).toEqual([guard]);
    expect(await failure([...once, "--dry-run", "-m", "Ho"])).toMatchObject({ code: 2, errorCode: "ONCE_CHANGED" });
  });

  it("that a sandbox of its own took is still free for the service", async () => {
    const first = await send([...once, "--sandbox", "--quiet"]);
    expect(await send([...once, "--sandbox", "--quiet"])).toEqual(first);
    expect(await send([...once, "--quiet"])).toMatchObject({ stdout: "msg_1\n" });
  });

  it("and its text are not in the state folder, which is private", needs("user ids"), async () => {
    await send(["--to", to, "--once", "../../secret key", "-m", "private text"]);
    const [file = ""] = onceFiles(path("state"));
    expect(file).toMatch(/\/[0-9a-f]{2}\/keys\.tsv$/);
    expect(readFileSync(file, "utf8")).not.toMatch(/secret|private/);
    const modes = [file, dirname(file), path("state", "once")].map((name) => statSync(name).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700, 0o700]);
    expect((await run(["runs", "list", "--json"])).stdout).toBe("[]\n");
  });

  it("that cannot be recorded sends nothing", async () => {
    writeFileSync(path("file"), "");
    for (const SMS_STATE_DIR of ["/dev/null/sms", path("file", "state")]) {
      const { code, sent } = await failure(once, { environment: { SMS_STATE_DIR } });
      expect({ code, sent }).toEqual({ code: 2, sent: 0 });
    }
  });

  it("is not looked for where others could write", needs("user ids"), async () => {
    mkdirSync(path("state", "once"), { recursive: true, mode: 0o700 });
    chmodSync(path("state", "once"), 0o777);
    expect(await failure(once)).toMatchObject({ code: 2, errorCode: "INSECURE_STATE", sent: 0 });
  });

  it.each([
    [["--once", ""], '--once "" is empty: a variable was empty'],
    ...["\n", "-"].map((end): [readonly string[], string] => [
      ["--once", `release${end}`],
      `--once ${JSON.stringify(`release${end}`)} ends in ${JSON.stringify(end)}: a variable was empty`,
    ]),
    [["--once", "k".repeat(201)], "--once is too long"],
    [["--once", "a", "--for", "0h"], '--for takes a time span, not "0h"'],
  ])("with %j is refused", async (more, error) => {
    expect(await failure(["--to", to, ...more])).toMatchObject({ code: 2, error, sent: 0 });
  });
});
