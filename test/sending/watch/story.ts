import { sms } from "../../support/machine.ts";
import { drawing } from "../../support/seed.ts";
import { virtualTime } from "./virtual-time.ts";

const minute = 60_000;
const midnight = Date.parse("2026-11-22T00:00:00+03:00");

/** Lines of one kind, from when to when, in minutes after midnight, and how many a minute. */
interface Trouble {
  readonly from: number;
  readonly to: number;
  readonly perMinute: number;
  readonly line: (draw: (below: number) => number) => string;
}

const at = (hours: number, minutes: number) => 60 * hours + minutes;
const payment = (draw: (below: number) => number) =>
  `ERROR payment ${draw(1e6)} failed: no answer from the bank in ${draw(9_000)} ms`;
const database = (draw: (below: number) => number) => `FATAL db1: connection refused (attempt ${draw(999)})`;
const queue = (draw: (below: number) => number) => `WARN queue billing has ${draw(90_000)} jobs`;

/** A day on which a database goes away at night, comes back, and goes away again. */
const troubles: readonly Trouble[] = [
  {
    from: at(2, 14),
    to: at(5, 40),
    perMinute: 240,
    line: database,
  },
  { from: at(2, 16), to: at(5, 41), perMinute: 900, line: payment },
  { from: at(2, 30), to: at(5, 43), perMinute: 20, line: queue },
  {
    from: at(7, 43),
    to: at(8, 50),
    perMinute: 120,
    line: database,
  },
  { from: at(7, 43), to: at(8, 52), perMinute: 780, line: payment },
  { from: at(7, 50), to: at(9, 30), perMinute: 20, line: queue },
];

/** How often lines come, in a minute. */
const bursts = 2;

/** Runs the program over that day. `url` is where a sandbox listens, and `state` a folder for the history. */
export async function tellDay(url: string, state: string) {
  const { now, sleep, goTo } = virtualTime(midnight);
  const draw = drawing(29);
  let lines = 0;
  async function* input(): AsyncGenerator<Uint8Array> {
    for (let burst = 0; burst < 24 * 60 * bursts; burst++) {
      const time = burst / bursts;
      const due = troubles.filter(({ from, to }) => from <= time && time < to);
      const text = due.map(({ perMinute, line }) => {
        const count = perMinute / bursts;
        lines += count;
        return Array.from({ length: count }, () => `${line(draw)}\n`).join("");
      });
      if (text.length === 0) continue;
      await goTo(midnight + time * minute);
      yield Buffer.from(text.join(""));
    }
    await goTo(midnight + 24 * 60 * minute);
  }
  const args = ["--to", "+254712345678", "--group", "5m", "--at-most", "1/h"];
  const ended = await sms(["watch", ...args, "--json"], {
    stdin: input(),
    environment: { SMS_BASE_URL: url, SMS_API_KEY: "sk_test_sandbox", SMS_STATE_DIR: state },
    now,
    clock: now,
    sleep,
  });
  const texts = ended.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly at: string; readonly text: string; readonly lines: number });
  return { ...ended, texts, lines };
}

/** Returns texts as a phone lists them: each under the time at which it came. */
export function shownOf(texts: readonly { readonly at: string; readonly text: string }[]): string {
  const clock = (time: string) => new Date(Date.parse(time) + 3 * 60 * minute).toISOString().slice(11, 16);
  return texts.map((one) => `${clock(one.at)}  ${one.text.replaceAll("\n", "\n       ")}\n`).join("");
}
