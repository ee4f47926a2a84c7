import { expect, it } from "vitest";
import { statusLines } from "../../../src/sending/watch/views.ts";

const status = { lines: 12_345, kinds: 3, texts: 2, nextMs: 73_400, hold: undefined };

it.each([
  [status, 80, ["12,345 lines, 3 kinds gathered, 2 texts sent, next text in 74 s"]],
  [status, 50, ["12,345 lines, 3 kinds gathered, 2 texts sent, next", "text in 74 s"]],
  [{ ...status, hold: "outside the hours" }, 80, ["12,345 lines, 3 kinds gathered, 2 texts sent, outside the hours"]],
  [{ ...status, lines: 1, kinds: 0, texts: 1, nextMs: Infinity }, 50, ["1 line, 1 text sent"]],
])("shows %j in %i columns", (shown, columns, lines) => {
  expect(statusLines(shown, columns)).toEqual(lines);
});
