import { join } from "node:path";
import { expect, it } from "vitest";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { sms } from "../../support/machine.ts";
import { needs } from "../../support/needs.ts";
import { drawing } from "../../support/seed.ts";
import { virtualTime } from "./virtual-time.ts";

const minute = 60_000;
const midnight = Date.parse("2026-11-22T00:00:00+03:00");
const draw = drawing(29);
const payment = () => `ERROR payment ${draw(1e6)} failed: no answer from the bank in ${draw(9_000)} ms`;
const database = () => `FATAL db1: connection refused (attempt ${draw(999)})`;
const queue = () => `WARN queue billing has ${draw(90_000)} jobs`;
const at = (hours: number, minutes: number) => 60 * hours + minutes;

/** A database goes away at night, comes back, and goes away again. */
const troubles = [
  { from: at(2, 14), to: at(5, 40), perMinute: 240, line: database },
  { from: at(2, 16), to: at(5, 41), perMinute: 900, line: payment },
  { from: at(2, 30), to: at(5, 43), perMinute: 20, line: queue },
  { from: at(7, 43), to: at(8, 50), perMinute: 120, line: database },
  { from: at(7, 43), to: at(8, 52), perMinute: 780, line: payment },
  { from: at(7, 50), to: at(9, 30), perMinute: 20, line: queue },
];

const burstsPerMinute = 2;

interface Text {
  readonly at: string;
  readonly text: string;
  readonly lines: number;
}

async function watchDay(url: string, state: string) {
  const { now, sleep, goTo } = virtualTime(midnight);
  let lines = 0;
  async function* input(): AsyncGenerator<Uint8Array> {
    for (let burst = 0; burst < 24 * 60 * burstsPerMinute; burst++) {
      const time = burst / burstsPerMinute;
      const due = troubles.filter(({ from, to }) => from <= time && time < to);
      const text = due.flatMap(({ perMinute, line }) =>
        Array.from({ length: perMinute / burstsPerMinute }, () => `${line()}\n`),
      );
      lines += text.length;
      if (text.length === 0) continue;
      await goTo(midnight + time * minute);
      yield Buffer.from(text.join(""));
    }
    await goTo(midnight + 24 * 60 * minute);
  }
  const environment = { SMS_BASE_URL: url, SMS_API_KEY: "sk_test_sandbox", SMS_STATE_DIR: state };
  const args = ["watch", "--to", "+254712345678", "--group", "5m", "--at-most", "1/h", "--json"];
  const { code, stdout, stderr } = await sms(args, { stdin: input(), environment, now, clock: now, sleep });
  const texts = JSON.parse(`[${stdout.trimEnd().replaceAll("\n", ",")}]`) as readonly Text[];
  return { code, stderr, texts, lines };
}

/** Returns texts as a phone lists them: each under the time at which it came. */
function listOf(texts: readonly Text[]): string {
  const clock = (time: string) => new Date(Date.parse(time) + 3 * 60 * minute).toISOString().slice(11, 16);
  return texts.map(({ at: time, text }) => `${clock(time)}  ${text.replaceAll("\n", "\n       ")}\n`).join("");
}

it("tells the day of 300,000 lines in the texts of story.snapshot", needs("CI to be set"), async () => {
  let ids = 0;
  const newId = () => `${++ids}`;
  const account = { rate: Infinity, credits: 100, now: Date.now, newId, random: Math.random };
  const sandbox = await startSandbox({ port: 0, ...account });
  try {
    const { code, texts, lines, stderr } = await watchDay(sandbox.url, join(temporaryFolder(), "state"));

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(lines).toBeGreaterThan(300_000);
    expect(texts.reduce((sum, text) => sum + text.lines, 0)).toBe(lines);
    expect(sandbox.messages().map(({ message }) => message)).toEqual(texts.map(({ text }) => text));
    const times = texts.map((text) => Date.parse(text.at));
    for (const time of times)
      expect(times.filter((other) => other >= time && other <= time + 60 * minute).length).toBeLessThanOrEqual(1);
    await expect(`${listOf(texts.slice(0, 2))}…\n${listOf(texts.slice(-2))}`).toMatchFileSnapshot("story.snapshot");
  } finally {
    await sandbox.close();
  }
});
