import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { constants, existsSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { atEnd } from "../support/at-end.ts";
import { ownFolder } from "../support/folders.ts";
import { until } from "../support/until.ts";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { program, runSms, type SmsOptions, startSms } from "../support/sms.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const { sandbox } = withSandbox();

let recipients = 0;
const testKey = () => ({ SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_test_sandbox" });
const textsTo = (to: string) =>
  sandbox()
    .messages()
    .flatMap((each) => (each.to === to ? each.message : []));

/** Starts a watch for a recipient of its own. */
function startWatch(args: readonly string[] = [], { env = testKey(), stdout }: SmsOptions = {}) {
  const to = `+2547123456${String(++recipients).padStart(2, "0")}`;
  const running = startSms(["watch", "--to", to, ...args], { env, stdout });
  return { ...running, texts: () => textsTo(to), write: (text: string) => running.child.stdin?.write(text) };
}

/** Starts a watch, and waits until the watch has told its first line. */
async function started(...args: readonly string[]) {
  const watch = startWatch(["--group", "1h", ...args]);
  watch.write("ERROR a 1\n");
  await until(() => watch.texts().length === 1);
  const bytesRead = () => Number(/^rchar: (\d+)/.exec(readFileSync(`/proc/${watch.child.pid}/io`, "utf8"))?.[1]);
  /** Writes lines, and waits until the watch has read them. */
  const read = async (text: string) => {
    const before = bytesRead();
    // More than anything else that the watch reads meanwhile.
    const padding = "\n".repeat(60_000);
    watch.write(text + padding);
    await until(() => bytesRead() >= before + padding.length);
  };
  return { ...watch, read };
}

describe.concurrent("sms watch", needs("/proc"), () => {
  it.each([
    ["sends at SIGTERM what it has", "SIGTERM", 0, [expect.stringMatching(/^2 lines of 1 kind, .*\n2x ERROR a 2$/)]],
    ["leaves at Ctrl-C without, and says so", "SIGINT", 130, []],
  ] as const)("%s", async (_, name, code, more) => {
    const { read, texts, signal, stderr } = await started();
    await read("ERROR a 2\nERROR a 3\n");

    expect(await signal(name)).toBe(code);
    expect(texts()).toEqual(["ERROR a 1", ...more]);
    expect(stderr().includes("2 lines were not sent")).toBe(more.length === 0);
  });

  it("gathers if the record can be read and not written, since a restart would forget its texts", async () => {
    const to = "+254712345699";
    const through = ["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "-"];

    const { code, stderr } = await runSms(["watch", "--to", to], { env: testKey(), stdin: "ERROR a\n", through });

    expect({ code, texts: textsTo(to) }).toEqual({ code: 11, texts: [] });
    expect(stderr).toMatch(
      /^Warning: the record cannot be read and written \(.*\(EFBIG\)\), so --at-most 6\/h counts as used up/m,
    );
  });

  it("goes on when nobody reads what it prints", async () => {
    const { child, write, texts } = await started();
    child.stdout?.destroy();
    for (let line = 0; line < 2_000; line++) write(`ERROR a ${line}\n`);
    child.stdin?.end("FATAL b\n");

    expect((await once(child, "close"))[0]).toBe(0);
    expect(texts()[1]).toMatch(/^2,001 lines of 2 kinds, .*\n2,000x ERROR a 0\n1x FATAL b$/);
  });

  it("goes on at a terminal that is stopped by Ctrl-S, and the first SIGTERM ends it", needs("script"), async () => {
    const to = "+254712345694";
    const { folder, env } = ownFolder();
    execFileSync("mkfifo", [join(folder, "lines")]);
    const lines = openSync(join(folder, "lines"), "r+");
    const sms = shellLine([...program, "watch", "--to", to, "--group", "1s"]);
    const line = `sh -c 'echo $$ >pid; exec "$@"' - ${sms} <lines; echo $? >code`;
    const terminal = spawn("script", ["--quiet", "--flush", "--command", line, "/dev/null"], {
      cwd: folder,
      env: { PATH: process.env["PATH"], TERM: "xterm", ...env, ...testKey() },
    });
    atEnd(() => terminal.kill("SIGKILL"));
    let shown = "";
    terminal.stdout.on("data", (chunk: Buffer) => (shown += chunk.toString()));
    writeSync(lines, "ERROR a 1\n");
    await until(() => shown.includes(`to ${to}: 1 line`) && shown.includes("1 line, 1 text sent"));

    terminal.stdin.write("\u0013");
    for (const count of [2, 3]) {
      writeSync(lines, `ERROR a ${count}\n`);
      await until(() => textsTo(to).length === count);
    }
    process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGTERM");

    const code = join(folder, "code");
    await until(() => existsSync(code) && readFileSync(code, "utf8") === "0\n");

    expect(shown).not.toContain("3 texts sent");
  });

  it("is ended by the first SIGTERM when its output is a pipe that nobody reads", async () => {
    const fifo = join(ownFolder().folder, "output");
    execFileSync("mkfifo", [fifo]);
    const stdout = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    expect(() => {
      for (;;) writeSync(stdout, "x".repeat(4096));
    }).toThrow("EAGAIN");
    const { write, texts, signal } = startWatch([], { stdout });
    write("ERROR a 1\nERROR a 2\n");
    await until(() => texts().length === 1);

    expect(await signal("SIGTERM")).toBe(0);
    expect(texts()).toEqual(["ERROR a 1", expect.stringMatching(/^1 line, /)]);
  });

  it("reads at SIGTERM what the pipe holds, also before it has read anything", async () => {
    const { folder } = ownFolder();
    const keyCommand = join(folder, "key");
    writeFileSync(keyCommand, `#!/bin/sh\n>"${folder}/asked"\nsleep 1\necho sk_test_sandbox\n`, { mode: 0o700 });
    const env = { SMS_BASE_URL: sandbox().url, SMS_API_KEY_CMD: shellLine([keyCommand]) };
    const { write, texts, signal } = startWatch([], { env });
    write("ERROR a 1\nERROR a 2\nERROR b\n");
    await until(() => existsSync(join(folder, "asked")));

    expect(await signal("SIGTERM")).toBe(0);
    expect(texts()).toEqual(["ERROR a 1", expect.stringMatching(/^2 lines of 2 kinds, /)]);
  });

  it("ends at SIGTERM although an input without an end goes on", async () => {
    const { write, texts, signal } = startWatch();
    const endless = spawn("yes", ["ERROR a"], { stdio: ["ignore", "pipe", "ignore"] });
    atEnd(() => endless.kill("SIGKILL"));
    endless.stdout.on("data", (chunk: Buffer) => write(chunk.toString()));
    await until(() => texts().length === 1);

    expect(await signal("SIGTERM")).toBe(0);
  });

  it("counts at a restart a text whose answer a kill came before, and the history has it as uncertain", async () => {
    const service = await startScriptedServer();
    const env = { ...ownFolder().env, SMS_BASE_URL: service.url, SMS_API_KEY: "sk_test_sandbox" };
    const args = ["watch", "--to", "+254712345697", "--at-most", "1/h"];
    const { child } = startSms(args, { env });
    child.stdin?.write("ERROR a 1\n");
    await service.firstRequest;
    child.kill("SIGKILL");
    await once(child, "close");
    const history = await runSms(["history", "--json"], { env });
    expect(JSON.parse(history.stdout)).toMatchObject([{ kind: "watch", to: "+254712345697", outcome: "uncertain" }]);
    const again = await runSms(args, { env, stdin: "ERROR a 2\n" });

    expect({ code: again.code, stderr: again.stderr, requests: service.requests.length }).toEqual({
      code: 11,
      stderr: expect.stringContaining("--at-most 1/h allows no more"),
      requests: 1,
    });
  });

  it("tells many recipients at once, and Node warns of no leak", async () => {
    const others = Array.from({ length: 15 }, (_, index) => ["--to", `+2547123457${index + 10}`]).flat();
    const { child, stderr } = await started(...others, "--quiet");
    child.stdin?.end();

    expect((await once(child, "close"))[0]).toBe(0);
    expect(stderr()).toBe("");
  });

  it("tells the others when the first recipient opts out", async () => {
    const [first, other] = ["+254712345695", "+254712345696"] as const;
    const env = { ...ownFolder().env, ...testKey() };
    // The refused key makes the watch read its key and its guards again.
    const all = ["--to", first, "--to", "+254700000401", "--to", other];
    const { child } = startSms(["watch", ...all, "--group", "1h"], { env });
    child.stdin?.write("ERROR a 1\n");
    await until(() => textsTo(other).length === 1);
    await runSms(["optout", "add", first], { env });
    child.stdin?.end("ERROR a 2\n");

    expect((await once(child, "close"))[0]).toBe(11);
    expect([textsTo(first).length, textsTo(other).length]).toEqual([1, 2]);
  });

  it("refuses a folder as its input, which Node reads as an empty one", () => {
    const [file, ...words] = program;
    const env = { ...ownFolder().env, ...testKey() };
    const args = [...words, "watch", "--to", "+254712345698"];
    const ended = spawnSync(file, args, { env, stdio: [openSync(".", "r"), "pipe", "pipe"], encoding: "utf8" });

    expect(ended).toMatchObject({ status: 2, stderr: expect.stringContaining("standard input is a folder") });
  });
});
