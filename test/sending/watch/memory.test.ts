import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { addLine, emptyBatch } from "../../../src/sending/watch/batch.ts";
import { lineOf } from "../../../src/sending/watch/lines.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it("keeps of a line only what is shown", () => {
  const batch = emptyBatch();
  const before = heapUsed();
  for (let index = 0; index < 500; index++) {
    const name = index.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)));
    addLine(batch, lineOf(`cannot ${name} ${"x".repeat(60_000)}`), 0);
  }
  expect(batch.kinds.size).toBe(500);
  expect(heapUsed() - before).toBeLessThan(5_000_000);
});

it("knows a kind again that is cut within a character", () => {
  const batch = emptyBatch();
  const line = `${"x".repeat(999)}😀`;
  for (let count = 0; count < 3; count++) addLine(batch, lineOf(line), 0);
  expect([...batch.kinds.values()]).toMatchObject([{ lines: 3 }]);
});
