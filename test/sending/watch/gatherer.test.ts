import * as fc from "fast-check";
import { expect, it } from "vitest";
import { newGatherer, type Notice, type NoticeResult } from "../../../src/sending/watch/gatherer.ts";
import { lineOf } from "../../../src/sending/watch/lines.ts";
import { seed } from "../../support/seed.ts";
import { trials } from "../../support/trials.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

type NoticeLimits = Parameters<typeof newGatherer>[0];

const usual: NoticeLimits = { group: 2 * minute, atMost: perHour(6), holdAll: () => undefined };

function perHour(texts: number): NoticeLimits["atMost"] {
  return { texts, timeMs: hour, words: `${texts}/h` };
}

const closed = { brief: "closed", sentence: "it is closed" };

/** What is told of, as in `first x` or `2 a 1 b (at most 6/h)`. */
function words({ batch, delays }: Notice): string {
  const kinds = [...batch.kinds].map(([kind, { lines }]) => `${lines} ${kind}`);
  const told = batch.isFirst && delays.size === 0 ? ["first", ...batch.kinds.keys()] : kinds;
  return [...told, ...(delays.size === 0 ? [] : [`(${[...delays].join(", ")})`])].join(" ");
}

const results = {
  counted: { kind: "counted" },
  refused: { kind: "refused" },
  retry: { kind: "retry", reason: "no network" },
  full: { kind: "full", ms: 300_000 },
} as const;

/**
 * Runs steps of `time line`, `time !` (the next text is not sent), `time x` (it is refused) or `time end`, in seconds, and
 * returns `time words` of each text.
 */
function tell(steps: readonly string[], limits: Partial<NoticeLimits> = {}): readonly string[] {
  let now = 0;
  const { add, nextNotice, finish, nextAt, end } = newGatherer(
    { ...usual, ...limits },
    { now: () => now, wallClock: () => now },
  );
  const texts: string[] = [];
  const fates: ("retry" | "refused")[] = [];
  const send = () => {
    const notice = nextNotice();
    if (notice === undefined) return;
    const fate = fates.shift();
    finish(notice, results[fate ?? "counted"]);
    texts.push(`${now / second} ${[words(notice), fate].join(" ").trim()}`);
  };
  const waitUntil = (time: number) => {
    for (let next = nextAt(); next <= time; next = nextAt()) {
      now = Math.max(now, next);
      send();
    }
    now = time;
  };
  for (const step of steps) {
    const [time = "", ...line] = step.split(" ");
    waitUntil(Number(time) * second);
    if (step.endsWith(" !")) fates.push("retry");
    else if (step.endsWith(" x")) fates.push("refused");
    else if (step.endsWith(" end")) end();
    else add(lineOf(line.join(" ")));
    send();
  }
  return texts;
}

type Case = readonly [what: string, steps: readonly string[], texts: readonly string[], limits?: Partial<NoticeLimits>];

const cases: readonly Case[] = [
  ["tells the first line at once", ["0 a"], ["0 first a"]],
  ["gathers what follows", ["0 a", "1 a", "2 b", "3 a", "200 end"], ["0 first a", "121 2 a 1 b"]],
  ["tells a line after a silence at once", ["0 a", "120 b"], ["0 first a", "120 first b"]],
  ["gathers a line after less silence", ["0 a", "119 b", "300 end"], ["0 first a", "239 1 b"]],
  ["sends what is gathered at the end", ["0 a", "1 b", "2 end"], ["0 first a", "2 1 b"]],
  [
    "keeps what exceeds the limit for the next text",
    ["0 a", "1 a", "130 b", "300 c", "301 c", "3800 end"],
    ["0 first a", "121 1 a", "3600.001 1 b 2 c (at most 2/h)"],
    { atMost: perHour(2) },
  ],
  ["never exceeds the limit at the end", ["0 a", "1 b", "2 end"], ["0 first a"], { atMost: perHour(1) }],
  [
    "counts what an earlier watch told",
    ["0 a", "1 b", "3600 end"],
    ["2400.001 1 a 1 b (at most 2/h)"],
    { atMost: perHour(2), earlierTimes: [-20 * minute, -10 * minute] },
  ],
  [
    "gathers outside the hours for the opening",
    ["0 a", "1 b", "500 a", "2000 end"],
    ["1010 2 a 1 b (closed)"],
    { holdAll: (wall) => (wall >= 1_000 * second ? undefined : closed) },
  ],
  [
    "tells what was not sent in the next text, and tries later each time",
    ["0 !", "0 !", "0 a", "1 b", "500 end"],
    ["0 first a retry", "30 1 a (not sent before) retry", "90 1 a (not sent before)", "121 1 b"],
  ],
  [
    "lets go what is refused, which neither delays nor joins what follows, nor counts for the limit",
    ["0 x", "0 x", "0 a", "1 b", "122 c", "300 end"],
    ["0 first a refused", "121 1 b refused", "122 first c"],
    { atMost: perHour(1) },
  ],
];

it.each(cases.map(([what, ...rest]) => ({ what, rest })))("$what", ({ rest: [steps, texts, limits] }) => {
  expect(tell(steps, limits)).toEqual(texts);
});

type Fate = NoticeResult["kind"];

const step = fc.record({
  pause: fc.oneof(fc.nat(10), fc.nat(30 * minute), fc.nat(3 * hour)),
  lines: fc.array(fc.nat(1_200), { maxLength: 4 }),
  flight: fc.nat(40 * second),
  fate: fc.constantFrom<Fate>("counted", "retry", "refused", "full"),
  jump: fc.oneof(fc.constant(0), fc.integer({ min: -24 * hour, max: 24 * hour })),
});

const limits = fc.record({
  group: fc.integer({ min: 0, max: 10 * minute }),
  atMost: fc.record({
    texts: fc.integer({ min: 1, max: 4 }),
    timeMs: fc.integer({ min: 1, max: hour }),
    words: fc.constant("N"),
  }),
});

/** Runs steps with texts that are some time in flight, under a clock on the wall that jumps. */
function simulate(own: NoticeLimits, steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
  let [now, wall] = [0, 0];
  const count = { added: 0, gone: 0, mostKinds: 0 };
  const texts: { readonly began: number; readonly settled: number }[] = [];
  let flying: { notice: Notice; began: number; lands: number; fate: Fate } | undefined;
  const { add, nextNotice, finish, nextAt, end, remainder } = newGatherer(own, {
    now: () => now,
    wallClock: () => wall,
  });
  const send = (flight: number, fate: Fate) => {
    const notice = nextNotice();
    if (notice === undefined) return;
    count.mostKinds = Math.max(count.mostKinds, notice.batch.kinds.size);
    flying = { notice, began: now, lands: now + flight, fate };
  };
  const land = () => {
    if (flying === undefined) return;
    const { notice, began, lands, fate } = flying;
    flying = undefined;
    now = Math.max(now, lands);
    finish(notice, results[fate]);
    if (fate !== "retry" && fate !== "full") count.gone += notice.batch.lines;
    if (fate === "counted") texts.push({ began, settled: now });
  };
  for (const { pause, lines, flight, fate, jump } of steps) {
    const until = now + pause;
    for (let turns = 0; turns < 50; turns++) {
      const next = Math.min(nextAt(), flying?.lands ?? Infinity);
      if (next > until) break;
      wall += Math.max(0, next - now);
      now = Math.max(now, next);
      if (flying !== undefined && flying.lands <= now) land();
      send(flight, fate);
    }
    wall += Math.max(0, until - now) + jump;
    now = Math.max(now, until);
    for (const line of lines) add(lineOf(`line ${String.fromCodePoint(0x4e00 + line)}`));
    count.added += lines.length;
    send(flight, fate);
  }
  end();
  send(0, "counted");
  land();
  return { ...count, texts, untold: remainder().batch.lines };
}

it("counts every line in one text or as untold, and never passes the limit", () => {
  const property = fc.property(
    limits,
    fc.integer({ min: 1, max: 3 * hour }),
    fc.array(step, { maxLength: 40 }),
    ({ group, atMost }, openMs, steps) => {
      const holdAll: NoticeLimits["holdAll"] = (wall) => (Math.floor(wall / openMs) % 3 === 1 ? closed : undefined);

      const { added, gone, untold, mostKinds, texts } = simulate({ group, atMost, holdAll: holdAll }, steps);

      expect(gone + untold).toBe(added);
      expect(mostKinds).toBeLessThanOrEqual(1_000);
      for (const { settled } of texts) {
        // Wherever in its flight each text reached the phone.
        const within = texts.filter((text) => text.settled >= settled && text.began <= settled + atMost.timeMs);
        expect(within.length).toBeLessThanOrEqual(atMost.texts);
      }
    },
  );
  fc.assert(property, { seed, numRuns: trials("WATCH_RUNS", 60, 600) });
});
