import { expect, it } from "vitest";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { freePort } from "../../support/free-port.ts";
import { sms } from "../../support/machine.ts";
import { needs } from "../../support/needs.ts";
import { virtualTime } from "./virtual-time.ts";

const minute = 60_000;

it("tells in one text what came while the service was away for an hour", needs("CI to be set"), async () => {
  let ids = 0;
  const start = Date.parse("2026-11-22T14:00:00+03:00");
  const open = (port: number) =>
    startSandbox({ port, rate: Infinity, credits: 100, now: Date.now, newId: () => `${++ids}`, random: Math.random });
  const first = await open(await freePort());
  let sandbox = first;
  const { now, sleep, goTo } = virtualTime(start);
  async function* input(): AsyncGenerator<Uint8Array> {
    for (let time = 0; time < 120; time++) {
      await goTo(start + time * minute);
      if (time === 10) await first.close();
      if (time === 70) sandbox = await open(Number(new URL(first.url).port));
      yield Buffer.from(`ERROR payment ${time} failed\n`);
    }
  }
  try {
    const args = ["--to", "+254712345678", "--at-most", "60/h"];
    const { code, stderr } = await sms(["watch", ...args, "--quiet"], {
      stdin: input(),
      environment: { SMS_BASE_URL: first.url, SMS_API_KEY: "sk_test_sandbox" },
      now,
      clock: now,
      sleep,
    });
    expect(code).toBe(0);
    expect(stderr.match(/^Error: /gm)).toHaveLength(1);
    const [text = "", ...others] = sandbox.messages().map(({ message }) => message);
    expect(text).toMatch(/^\d\d lines of 1 kind, 14:(08|09|10)-15:1\d UTC\+3 \(late: not sent before\)\n/);
    expect(others.join()).not.toContain("late");
    const told = [...first.messages(), ...sandbox.messages()].map(({ message }) => /^(\d+) lines? /.exec(message)?.[1]);
    expect(told.reduce((sum, count) => sum + Number(count ?? 1), 0)).toBe(120);
  } finally {
    await sandbox.close();
  }
});
