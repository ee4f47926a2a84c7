import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readZone } from "../../../src/guards/hours.ts";
import { cutToSegments } from "../../../src/message/cut.ts";
import { countSegments } from "../../../src/message/segments.ts";
import { addLine, type Batch, emptyBatch } from "../../../src/sending/watch/batch.ts";
import type { Notice } from "../../../src/sending/watch/gatherer.ts";
import { lineOf } from "../../../src/sending/watch/lines.ts";
import { textOf } from "../../../src/sending/watch/wording.ts";
import { texts } from "../../message/texts.ts";
import { seed } from "../../support/seed.ts";
import { trials } from "../../support/trials.ts";

const at = Date.parse("2026-11-22T14:02:03Z");
const minute = 60_000;
const wording = { segments: 2 };
const utc = readZone("UTC", "a test");

function batchOf(lines: readonly string[], from = at, until = from): Batch {
  const batch = emptyBatch();
  for (const line of lines) addLine(batch, lineOf(line), from);
  batch.until = until;
  return batch;
}

function notice(lines: readonly string[], others: Partial<Notice> = {}): Notice {
  const batch = batchOf(lines, at, at + 2 * minute);
  return { batch, delays: new Set(), ...others };
}

function first(line: string, delays = new Set<string>()): Notice {
  return notice([line], { batch: Object.assign(batchOf([line]), { isFirst: true }), delays });
}

const many = (count: number, line: string) => Array.from({ length: count }, () => line);

const cases: readonly (readonly [notice: Notice, text: string])[] = [
  [first("ERROR db1 is down"), "ERROR db1 is down"],
  [first("ERROR db1 is down", new Set(["at most 6/h"])), "1 line, 14:02 UTC (late: at most 6/h)\n1x ERROR db1 is down"],
  [
    notice([...many(2, "WARN slow 7 ms"), ...many(1_200, "ERROR payment 17 failed")]),
    "1,202 lines of 2 kinds, 14:02-14:04 UTC\n1,200x ERROR payment 17 failed\n2x WARN slow 7 ms",
  ],
  [notice(["ERROR a"]), "1 line, 14:02-14:04 UTC\n1x ERROR a"],
  [
    notice(["a", "a"], { delays: new Set(["at most 6/h", "not sent before", "outside the hours"]) }),
    "2 lines of 1 kind, 14:02-14:04 UTC (late: at most 6/h, not sent before, outside the hours)\n2x a",
  ],
];

it.each(cases)("tells %#", (told, text) => {
  expect(textOf(told, at + 30 * minute, wording, utc)).toBe(text);
});

it("names the days when it is not of today, and the zone", () => {
  const zone = readZone("Asia/Kolkata", "a test");
  const overnight = { ...notice(["a", "a"]), batch: batchOf(["a", "a"], at, at + 16 * 60 * minute) };
  expect(textOf(overnight, at + 17 * 60 * minute, wording, zone)).toContain("2026-11-22 19:32 to 11:32 UTC+5:30");
});

it("is cut if it has room for some kinds only, the most frequent first", () => {
  const lines = Array.from({ length: 90 }, (_, index) => `ERROR ${String.fromCharCode(97 + (index % 30)).repeat(60)}`);
  expect(textOf(notice(lines), at, wording, utc)).toMatch(
    /^90 lines of 25 kinds, .*\n18x ERROR aaa[^]*\n3x ERROR ggg[^]*\.\.\.$/,
  );
  const crowd = Array.from({ length: 1_500 }, (_, index) => `ERROR ${String.fromCharCode(0x100 + index)}`);
  const text = textOf(notice([...many(9, "ERROR disk full"), ...crowd]), at, wording, utc);
  expect(text).toMatch(/^1,509 lines of over 1,000 kinds, .*\n9x ERROR disk full\n1x /);
});

it("loses no room to a rare kind in another alphabet", () => {
  const text = textOf(notice([...many(9, `ERROR ${"a".repeat(120)}`), `ERROR ${"ж".repeat(20)}`]), at, wording, utc);
  expect(countSegments(text)).toMatchObject({ encoding: "GSM-7" });
  expect(text).toContain("?????");
});

describe("a text", () => {
  it("never has more segments than it may, and never nothing", () => {
    const delays = fc.subarray(["at most 6/h", "outside the hours"]).map((all) => new Set(all));
    const segments = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(
        fc.array(texts, { minLength: 1, maxLength: 30 }),
        segments,
        fc.boolean(),
        delays,
        (lines, most, isFirst, late) => {
          const told = isFirst ? first(lines[0] ?? "", late) : notice(lines, { delays: late });
          const { text } = cutToSegments(textOf(told, at, { segments: most }, utc), most);
          expect(countSegments(text).segments).toBeLessThanOrEqual(most);
          expect(text.trim()).not.toBe("");
          expect(text.isWellFormed()).toBe(true);
        },
      ),
      { seed, numRuns: trials("WATCH_RUNS", 60, 300) },
    );
  });
});
