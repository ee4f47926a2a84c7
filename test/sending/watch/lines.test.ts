import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { addLine, emptyBatch } from "../../../src/sending/watch/batch.ts";
import { lineOf, lineReader, sampleOf } from "../../../src/sending/watch/lines.ts";
import { seed } from "../../support/seed.ts";

function linesOf(...chunks: readonly (string | Uint8Array)[]): readonly string[] {
  const lines: string[] = [];
  const reader = lineReader((line) => lines.push(line));
  for (const chunk of chunks) reader.read(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  reader.end();
  return lines;
}

it.each<readonly [readonly (string | Uint8Array)[], readonly string[]]>([
  [
    ["a\nb\r\n", "c"],
    ["a", "b", "c"],
  ],
  [
    ["a", "b\nc", "d\n"],
    ["ab", "cd"],
  ],
  [["\n \n\t\r\n"], []],
  [[Buffer.from([0xff, 0x41, 0x0a])], ["\uFFFDA"]],
  [[Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)], ["é"]],
])("reads %j as %j", (chunks, lines) => {
  expect(linesOf(...chunks)).toEqual(lines);
});

it("keeps the beginning of a line without an end", () => {
  const [line = "", next] = linesOf(...Array.from({ length: 200 }, () => "x".repeat(65_536)), "\nnext");
  expect([line.length, next]).toEqual([65_536, "next"]);
});

it("reads the same lines wherever the bytes are divided", () => {
  const bytes = fc.array(fc.constantFrom("a", "é", "😀", "\n", "\r\n", "\u0000"), { maxLength: 40 });
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 9 }), (characters, size) => {
      const whole = Buffer.from(characters.join(""));
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
        whole.subarray(index * size, (index + 1) * size),
      );
      expect(linesOf(...pieces)).toEqual(linesOf(whole));
    }),
    { seed },
  );
});

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it("a batch keeps of a line only what is shown", () => {
  const batch = emptyBatch();
  const before = heapUsed();
  for (let index = 0; index < 500; index++) {
    const name = index.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)));
    addLine(batch, lineOf(`cannot ${name} ${"x".repeat(60_000)}`), 0);
  }
  expect(batch.kinds.size).toBe(500);
  expect(heapUsed() - before).toBeLessThan(5_000_000);
});

const same: readonly (readonly string[])[] = [
  ["payment 17 failed", "payment 1,234.5 failed"],
  ["offset -5", "offset 5", "offset +12"],
  ["took 350ms", "took 1m2.5s", "took 2h"],
  ["at 14:02:03.123", "at 14:02"],
  ["GET /users/7/orders/99 500", "GET /users/12345/orders/1 503"],
  ["job 550e8400-e29b-41d4-a716-446655440000 died", "job abcdefab-abcd-abcd-abcd-abcdefabcdef died"],
  ["<Pool object at 0x7fff5694dc58>", "<Pool object at 0x00000001>"],
  ["commit a3f9c1d", "commit 77aa001", "commit deadbeef"],
  ["from 10.0.0.1:5432", "from 192.168.17.4:80"],
  ["db1 is down", "db27 is down"],
  ["2026-11-22T14:02:03.123Z boom", "2026-11-22T14:02:04+03:00 boom", "2026-11-22 14:02:03,123 boom"],
  ["Nov 22 14:02:03 db1 postgres[12]: FATAL", "Dec  1 04:02:03 db1 postgres[99]: FATAL"],
  ["<11>1 2026-11-22T14:02:03.5Z db1 x: FATAL", "<11>1 2026-12-22T14:02:03.5Z db1 x: FATAL"],
  ["\u001b[31mERROR\u001b[0m disk", "ERROR disk"],
];

it.each(same)("takes %j as one kind", (first, ...others) => {
  for (const other of others) expect(lineOf(other).kind).toBe(lineOf(first ?? "").kind);
});

const different: readonly (readonly [string, string])[] = [
  ["payment failed", "payment refused"],
  ["db1 is down", "web1 is down"],
  ["line 10:undefined name", "line 10:syntax error"],
  ["added", "faced"],
];

it.each(different)("tells %j from %j", (one, other) => {
  expect(lineOf(one).kind).not.toBe(lineOf(other).kind);
});

const samples: readonly (readonly [line: string, sample: string])[] = [
  ["payment 17 failed", "payment 17 failed"],
  ["Nov 22 14:02:03 db1 postgres[12]: FATAL: no 7", "db1 postgres[12]: FATAL: no 7"],
  ["[2026-11-22 14:02:03] ERROR x", "ERROR x"],
  ["\u001b[1;31mERROR\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 a\tb\u0000c\u202Ed", "ERROR link a b c d"],
  ["it’s “gone” – 5…", 'it\'s "gone" - 5...'],
  ["\u001b[0m", "(nothing that a phone shows)"],
  ["x".repeat(5_000), "x".repeat(320)],
];

it.each(samples)("shows %j as %j", (line, sample) => {
  expect(sampleOf(line)).toBe(sample);
});
