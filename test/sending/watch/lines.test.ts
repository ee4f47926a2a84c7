import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { addLine, emptyBatch } from "../../../src/sending/watch/batch.ts";
import { lineOf } from "../../../src/sending/watch/lines.ts";
import { lineReader } from "../../../src/sending/watch/lines.ts";
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

it("a batch knows a kind again that is cut within a character", () => {
  const batch = emptyBatch();
  const line = `${"x".repeat(999)}😀`;
  for (let count = 0; count < 3; count++) addLine(batch, lineOf(line), 0);
  expect([...batch.kinds.values()]).toMatchObject([{ lines: 3 }]);
});
