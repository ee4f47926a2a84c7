import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gather, type Terms, type Notice, type Result } from "../../../src/sending/watch/gatherer.ts";
import { seed } from "../../support/seed.ts";
import { trials } from "../../support/trials.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const usual: Terms = {
  recipients: 1,
  group: 2 * minute,
  atMost: { texts: 6, time: hour },
  isOpen: () => true,
};

/** What is told of, as in `first x`, `3: 2 a 1 b (limit)` or `quiet`. */
function words({ batch, isFirst, delays, quietSince }: Notice): string {
  const kinds = [...(batch?.kinds ?? [])].map(([kind, { lines }]) => `${lines} ${kind}`);
  const told = isFirst ? ["first", ...(batch?.kinds.keys() ?? [])] : kinds;
  const late = delays.size === 0 ? [] : [`(${[...delays].join(" ")})`];
  return [...told, ...late, ...(quietSince === undefined ? [] : ["quiet"])].join(" ");
}

/**
 * Runs steps of `time line`, `time !` (the next text is not sent), `time x` (it is refused) or `time end`, in seconds, and
 * returns `time words` of each text.
 */
function tell(steps: readonly string[], terms: Partial<Terms> = {}): readonly string[] {
  const { add, take, settle, nextAt, end } = gather({ ...usual, ...terms });
  const texts: string[] = [];
  let now = 0;
  const fates: ("unsent" | "refused")[] = [];
  const at = () => ({ now, wall: now });
  const send = () => {
    for (const notice of take(at())) {
      const fate = fates.shift();
      settle(notice, fate ?? "told", at());
      texts.push(`${now / second} ${[words(notice), fate].join(" ").trim()}`);
    }
  };
  const waitUntil = (time: number) => {
    for (let next = nextAt(at()); next <= time; next = nextAt(at())) {
      now = Math.max(now, next);
      send();
    }
    now = time;
  };
  for (const step of steps) {
    const [time = "", ...line] = step.split(" ");
    waitUntil(Number(time) * second);
    if (step.endsWith(" !")) fates.push("unsent");
    else if (step.endsWith(" x")) fates.push("refused");
    else if (step.endsWith(" end")) end(at());
    else add(line.join(" "), at());
    send();
  }
  return texts;
}

type Case = readonly [what: string, steps: readonly string[], texts: readonly string[], terms?: Partial<Terms>];

const cases: readonly Case[] = [
  ["tells the first line at once", ["0 a"], ["0 first a"]],
  ["gathers what follows", ["0 a", "1 a", "2 b", "3 a", "200 end"], ["0 first a", "121 2 a 1 b"]],
  ["tells a line after a silence at once", ["0 a", "120 b"], ["0 first a", "120 first b"]],
  ["gathers a line after less silence", ["0 a", "119 b", "300 end"], ["0 first a", "239 1 b"]],
  ["sends what is gathered at the end", ["0 a", "1 b", "2 end"], ["0 first a", "2 1 b"]],
  [
    "keeps what exceeds the limit for the next text",
    ["0 a", "1 a", "130 b", "300 c", "301 c", "3800 end"],
    ["0 first a", "121 1 a", "3600.001 1 b 2 c (limit)"],
    { atMost: { texts: 2, time: hour } },
  ],
  ["never exceeds the limit at the end", ["0 a", "1 b", "2 end"], ["0 first a"], { atMost: { texts: 1, time: hour } }],
  [
    "counts what an earlier watch told",
    ["0 a", "1 b", "3600 end"],
    ["2400.001 1 a 1 b (limit)"],
    { atMost: { texts: 2, time: hour }, toldBefore: [[-20 * minute, -10 * minute]] },
  ],
  [
    "says once that it is quiet",
    ["0 a", "10 b", "9000 end"],
    ["0 first a", "130 1 b", "1810 quiet"],
    { quietAfter: 30 * minute },
  ],
  [
    "says with what waits that it is quiet",
    ["0 a", "10 b", "4000 end"],
    ["0 first a", "3600.001 1 b (limit) quiet"],
    { quietAfter: 30 * minute, atMost: { texts: 1, time: hour } },
  ],
  [
    "is quiet no more once a line comes",
    ["0 a", "10 b", "2500 c", "4000 end"],
    ["0 first a", "3600.001 1 b 1 c (limit)"],
    { quietAfter: 30 * minute, atMost: { texts: 1, time: hour } },
  ],
  [
    "gathers outside the hours for the opening",
    ["0 a", "1 b", "500 a", "2000 end"],
    ["1010 2 a 1 b (hours)"],
    { isOpen: (wall) => wall >= 1_000 * second },
  ],
  [
    "tells what was not sent in the next text, and tries later each time",
    ["0 !", "0 !", "0 a", "1 b", "500 end"],
    ["0 first a unsent", "30 1 a (unsent) unsent", "90 1 a (unsent)", "121 1 b"],
  ],
  [
    "lets go what is refused, which neither delays nor joins what follows, nor counts for the limit",
    ["0 x", "0 x", "0 a", "1 b", "122 c", "300 end"],
    ["0 first a refused", "121 1 b refused", "122 first c"],
    { atMost: { texts: 1, time: hour } },
  ],
  [
    "says later that it is quiet if that was not sent",
    ["0 a", "1 !", "2000 end"],
    ["0 first a", "1800 quiet unsent", "1830 quiet"],
    { quietAfter: 30 * minute },
  ],
];

it.each(cases.map(([what, ...rest]) => ({ what, rest })))("$what", ({ rest: [steps, texts, terms] }) => {
  expect(tell(steps, terms)).toEqual(texts);
});

it("knows when the next text goes", () => {
  const { add, take, settle, state, end } = gather({
    ...usual,
    atMost: { texts: 1, time: hour },
    isOpen: (wall) => wall < hour,
  });
  const at = (now: number) => ({ now, wall: now });
  expect(state(at(0)).next).toBe(Infinity);
  add("a", at(0));
  for (const notice of take(at(0))) settle(notice, "told", at(0));
  add("b", at(second));
  expect(state(at(second))).toEqual({ kinds: 1, room: 0, next: hour + 1 });
  end(at(hour));
  expect(state(at(hour)).next).toBe(Infinity);
});

describe("whatever comes when, and whatever fails", () => {
  const step = fc.record({
    pause: fc.oneof(fc.nat(10), fc.nat(30 * minute), fc.nat(3 * hour)),
    lines: fc.array(fc.nat(1_200), { maxLength: 4 }),
    flight: fc.nat(40 * second),
    fate: fc.constantFrom("told", "unsent", "refused"),
    jump: fc.oneof(fc.constant(0), fc.integer({ min: -24 * hour, max: 24 * hour })),
  });
  const terms = fc.record({
    recipients: fc.integer({ min: 1, max: 3 }),
    group: fc.integer({ min: 0, max: 10 * minute }),
    atMost: fc.record({ texts: fc.integer({ min: 1, max: 4 }), time: fc.integer({ min: 1, max: hour }) }),
    quietAfter: fc.option(fc.integer({ min: 1, max: hour }), { nil: undefined }),
    closed: fc.integer({ min: 1, max: 3 * hour }),
  });

  it("counts every line in one text to each recipient or as untold, and never passes the limit", () => {
    fc.assert(
      fc.property(terms, fc.array(step, { maxLength: 40 }), ({ closed, ...given }, steps) => {
        const { add, take, settle, nextAt, end, untold } = gather({
          ...given,
          isOpen: (wall) => Math.floor(wall / closed) % 3 !== 1,
        });
        let [now, wall, added] = [0, 0, 0];
        const at = () => ({ now, wall });
        const told = Array.from({ length: given.recipients }, () => ({
          lines: 0,
          refused: 0,
          sent: [] as [number, number][],
        }));
        const flying: { notice: Notice; began: number; lands: number; fate: Result }[] = [];
        const send = (flight: number, fate: Result) => {
          for (const notice of take(at())) {
            expect((notice.batch?.kinds.size ?? 0) <= 1_000).toBe(true);
            flying.push({
              notice,
              began: now,
              lands: now + flight,
              fate,
            });
          }
        };
        const land = () => {
          const [next] = flying.toSorted((one, other) => one.lands - other.lands);
          if (next === undefined) return;
          flying.splice(flying.indexOf(next), 1);
          now = Math.max(now, next.lands);
          settle(next.notice, next.fate, at());
          const recipient = told[next.notice.recipient];
          const lines = next.notice.batch?.lines ?? 0;
          if (recipient !== undefined && next.fate === "refused") recipient.refused += lines;
          if (next.fate !== "told" || recipient === undefined) return;
          recipient.lines += lines;
          recipient.sent.push([next.began, now]);
        };
        for (const { pause, lines, flight, fate, jump } of steps) {
          const until = now + pause;
          for (let turns = 0; turns < 50; turns++) {
            const next = Math.min(nextAt(at()), ...flying.map(({ lands }) => lands));
            if (next > until) break;
            wall += Math.max(0, next - now);
            now = Math.max(now, next);
            if (flying.some(({ lands }) => lands <= now)) land();
            send(flight, fate);
          }
          wall += Math.max(0, until - now) + jump;
          now = Math.max(now, until);
          for (const line of lines) add(`line ${String.fromCodePoint(0x4e00 + line)}`, at());
          added += lines.length;
          send(flight, fate);
        }
        end(at());
        send(0, "told");
        while (flying.length > 0) land();
        for (const [index, { lines, refused, sent }] of told.entries()) {
          expect(lines + refused + (untold(index, at())?.batch.lines ?? 0)).toBe(added);
          for (const [, settled] of sent) {
            // Wherever in its flight each text reached the phone.
            const within = sent.filter(([began, ended]) => ended >= settled && began <= settled + given.atMost.time);
            expect(within.length).toBeLessThanOrEqual(given.atMost.texts);
          }
        }
      }),
      { seed, numRuns: trials("WATCH_RUNS", 60, 600) },
    );
  });
});
