import { expect, it } from "vitest";
import { statusLines } from "../../../src/sending/watch/views.ts";

const status = { lines: 12_345, kinds: 3, texts: 2, room: 4, atMost: "6/h", next: 73_400, isOpen: true };

it.each([
  [status, 80, ["12,345 lines, 3 kinds gathered, 2 texts sent, 4 left of 6/h, next text in 74 s"]],
  [status, 50, ["12,345 lines, 3 kinds gathered, 2 texts sent, 4", "left of 6/h, next text in 74 s"]],
  [
    { ...status, next: 3_595_000 },
    30,
    ["12,345 lines, 3 kinds", "gathered, 2 texts sent, 4 left", "of 6/h, next text in 3,595 s"],
  ],
  [
    { ...status, lines: 4, isOpen: false },
    80,
    ["4 lines, 3 kinds gathered, 2 texts sent, 4 left of 6/h, outside the hours"],
  ],
  [{ ...status, lines: 1, kinds: 0, texts: 1, next: Infinity }, 50, ["1 line, 1 text sent, 4 left of 6/h"]],
])("shows %j in %i columns", (shown, columns, lines) => {
  expect(statusLines(shown, columns)).toEqual(lines);
});
