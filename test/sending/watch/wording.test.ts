import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readZone } from "../../../src/guards/hours.ts";
import { countSegments } from "../../../src/message/segments.ts";
import { Gathering } from "../../../src/sending/watch/batch.ts";
import type { Notice } from "../../../src/sending/watch/gatherer.ts";
import { textOf } from "../../../src/sending/watch/wording.ts";
import { texts } from "../../message/texts.ts";
import { seed } from "../../support/seed.ts";
import { trials } from "../../support/trials.ts";

const at = Date.parse("2026-11-22T14:02:03Z");
const minute = 60_000;
const wording = { segments: 2, zone: readZone("UTC", "a test"), atMost: "6/h" };

function batchOf(lines: readonly string[], from = at, until = from): Gathering {
  const batch = new Gathering();
  for (const line of lines) batch.add(line, from);
  batch.until = until;
  return batch;
}

function notice(lines: readonly string[], others: Partial<Notice> = {}): Notice {
  const batch = batchOf(lines, at, at + 2 * minute);
  return { recipient: 0, batch, isFirst: false, delays: new Set(), quietSince: undefined, ...others };
}

const many = (count: number, line: string) => Array.from({ length: count }, () => line);

const cases: readonly (readonly [notice: Notice, text: string])[] = [
  [notice(["ERROR db1 is down"], { isFirst: true }), "ERROR db1 is down"],
  [
    notice([...many(2, "WARN slow 7 ms"), ...many(1_200, "ERROR payment 17 failed")]),
    "1,202 lines of 2 kinds, 14:02-14:04 UTC\n1,200x ERROR payment 17 failed\n2x WARN slow 7 ms",
  ],
  [notice(["ERROR a"]), "1 line, 14:02-14:04 UTC\n1x ERROR a"],
  [
    notice(["a", "a"], { delays: new Set(["limit", "unsent", "hours"]) }),
    "2 lines of 1 kind, 14:02-14:04 UTC (late: at most 6/h, not sent before, outside the hours)\n2x a",
  ],
  [notice(["a", "a"], { quietSince: at }), "2 lines of 1 kind, 14:02-14:04 UTC, quiet since\n2x a"],
  [notice([], { batch: undefined, quietSince: at }), "Quiet for 30 min: no line since 14:02 UTC"],
];

it.each(cases)("tells %#", (told, text) => {
  expect(textOf(told, at + 30 * minute, wording)).toBe(text);
});

it("names the days when it is not of today, and the zone", () => {
  const zone = readZone("Asia/Kolkata", "a test");
  const overnight = { ...notice(["a", "a"]), batch: batchOf(["a", "a"], at, at + 16 * 60 * minute) };
  expect(textOf(overnight, at + 17 * 60 * minute, { ...wording, zone })).toContain(
    "22 Nov 19:32-23 Nov 11:32 UTC+5:30",
  );
});

it("says how many kinds it does not show, and how often they came", () => {
  const lines = Array.from({ length: 90 }, (_, index) => `ERROR ${String.fromCharCode(97 + (index % 30)).repeat(60)}`);
  expect(textOf(notice(lines), at, wording)).toMatch(/\n\d+x 2\d more kinds$/);
  const crowd = Array.from({ length: 1_500 }, (_, index) => `ERROR ${String.fromCharCode(0x100 + index)}`);
  const text = textOf(notice([...crowd, ...many(9, "ERROR disk full")]), at, wording);
  expect(text).toMatch(/^1,509 lines of over 1,000 kinds/);
  expect(text).toMatch(/\n1,\d+x others$/);
});

it("loses no room to a rare kind in another alphabet", () => {
  const text = textOf(notice([...many(9, `ERROR ${"a".repeat(120)}`), `ERROR ${"ж".repeat(20)}`]), at, wording);
  expect(countSegments(text)).toMatchObject({ encoding: "GSM-7" });
  expect(text).toContain("?????");
});

describe("a text", () => {
  it("never has more segments than it may, and never nothing", () => {
    const delays = fc.subarray(["limit", "hours", "unsent"] as const).map((all) => new Set(all));
    const segments = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(
        fc.array(texts, { minLength: 1, maxLength: 30 }),
        segments,
        fc.boolean(),
        delays,
        (lines, most, isFirst, late) => {
          const told = notice(isFirst ? lines.slice(0, 1) : lines, { isFirst, delays: late });
          const text = textOf(told, at, { ...wording, segments: most });
          expect(countSegments(text).segments).toBeLessThanOrEqual(most);
          expect(text.trim()).not.toBe("");
          expect(text.isWellFormed()).toBe(true);
        },
      ),
      { seed, numRuns: trials("WATCH_RUNS", 60, 300) },
    );
  });
});
