import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { ownFolder } from "../support/folders.ts";
import { exitCodes, type SignalName, startSms } from "../support/sms.ts";
import { needs } from "../support/needs.ts";
import { testKey } from "../support/scripted-run.ts";
import { trials } from "../support/trials.ts";

const to = ["--to", "+254712345678"];
const hi = ["--message", "Hi"];
const key = { SMS_BASE_URL: "http://127.0.0.1:9", ...testKey };

interface Reading {
  /** `FIFO` becomes the path of a pipe without a writer. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const readings: Readonly<Record<string, Reading>> = {
  "recipients on standard input": { args: ["send", "--recipients", "-", ...hi], env: key },
  "recipients for a dry run": { args: ["send", "--recipients", "-", ...hi, "--dry-run"], env: key },
  "recipients in a FIFO": { args: ["send", "--recipients", "FIFO", ...hi], env: key },
  "exclusions in a FIFO": { args: ["send", "--run", "r", ...to, ...hi, "--exclude", "FIFO"], env: key },
  "the text on standard input": { args: ["send", ...to], env: key },
  "the text in a FIFO": { args: ["send", ...to, "--message-file", "FIFO"], env: key },
  "the text of a preview": { args: ["preview"], env: {} },
  "a key file that is a FIFO": {
    args: ["send", ...to, ...hi],
    env: { ...key, SMS_API_KEY: "", SMS_API_KEY_FILE: "FIFO" },
  },
  "a key on standard input": { args: ["login", "--base-url", "http://127.0.0.1:9", "--with-key"], env: {} },
};

describe.concurrent("a signal while it reads", needs("/proc", "POSIX shell"), () => {
  const signals = Object.keys(exitCodes) as SignalName[];

  function holdReading({ args, env }: Reading) {
    const { folder, env: own } = ownFolder();
    const fifo = join(folder, "fifo");
    execFileSync("mkfifo", [fifo]);
    const named = (text: string) => (text === "FIFO" ? fifo : text);
    const all = Object.entries({ ...own, ...env }).map(([name, value]) => [name, named(value)]);
    return {
      running: startSms(args.map(named), { env: Object.fromEntries(all) }),
      state: join(folder, "state", "runs"),
    };
  }

  const few = trials("SIGNALS", 1, signals.length);

  it.each(
    Object.keys(readings).flatMap((what, index) =>
      Array.from({ length: few }, (_, more) => [what, signals[(index + more) % signals.length] ?? "SIGINT"] as const),
    ),
  )("%s ends it: %s", async (what, signal) => {
    const { running, state } = holdReading(readings[what] ?? { args: [], env: {} });
    await running.listens();
    const code = await running.signal(signal);

    expect({ code, stderr: running.stderr().split("\n")[0] }).toEqual({
      code: exitCodes[signal],
      stderr: expect.stringMatching(/^(Not sent|Error): interrupted$/) as unknown,
    });
    expect([running.stdout(), existsSync(state) ? readdirSync(state) : []]).toEqual(["", []]);
  });

  it("endless duplicates ends it", async () => {
    const { running } = holdReading({ args: ["send", "--recipients", "-", ...hi], env: key });
    const block = "+254712345678\n".repeat(1_000);
    const endless = Readable.from(
      (function* () {
        for (;;) yield block;
      })(),
    );
    if (running.child.stdin !== null) endless.pipe(running.child.stdin);
    await running.listens();

    expect(await running.signal("SIGINT")).toBe(130);
  });
});
