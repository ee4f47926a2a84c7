import { expect, it } from "vitest";
import { outline, read } from "./reading.ts";

it("reads one number per line; blank lines and comments are skipped but counted", async () => {
  const content = "\uFEFF# customers\r\n+254712345678\r\n\r\n  0712 345 678 \r\n\t# more\r\n+254712345679 # Jane";
  expect(await read(content)).toEqual([
    { kind: "row", line: 2, to: "+254712345678", fields: {} },
    { kind: "row", line: 4, to: "0712 345 678", fields: {} },
    { kind: "row", line: 6, to: "+254712345679 # Jane", fields: {} },
  ]);
});

it.each([
  ["lines of mixed ends", "1\r\n2\n3", ["1 1", "2 2", "3 3"]],
  ["U+2028 inside a line", "1\u20282\n3", ["1 1\u20282", "2 3"]],
  ["lines that CR alone ends", "1\r2\r\r3\r", ["1 1", "2 2", "4 3"]],
])("%s", async (_, content, expected) => {
  expect(await outline(content)).toEqual(expected);
});

it("has no columns to choose from", async () => {
  await expect(read("+254712345678\n", { format: "plain", toColumn: "phone" })).rejects.toThrow(
    "--to-column needs columns, but list is read as one number per line",
  );
});
