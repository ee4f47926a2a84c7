import { expect, it } from "vitest";
import { read } from "./reading.ts";

it("reads one number per line; blank lines and comments are skipped but counted", async () => {
  const content = "\uFEFF# customers\r\n+254712345678\r\n\r\n  0712 345 678 \r\n\t# more\r\n+254712345679 # Jane";
  expect(await read(content)).toEqual([
    { kind: "row", line: 2, to: "+254712345678", fields: {} },
    { kind: "row", line: 4, to: "0712 345 678", fields: {} },
    { kind: "row", line: 6, to: "+254712345679 # Jane", fields: {} },
  ]);
});

it("has no columns to choose from", async () => {
  await expect(read("+254712345678\n", { format: "plain", toColumn: "phone" })).rejects.toThrow(
    "--to-column needs columns, but list is read as one number per line",
  );
});
