import { expect, it } from "vitest";
import { readExclusions } from "../../src/recipients/exclusions.ts";
import { chunksOf } from "./reading.ts";

it.each([
  ["lines", "# opted out\n+254712345678\n\n0712 345679\n+254712345678\n"],
  ["a column", "name,phone\nJane,+254712345678\nJohn,0712345679\n"],
])("reads the numbers in %s, each once", async (_, content) => {
  const exclusions = await readExclusions({ name: "list", chunks: chunksOf(content) }, () => "KE");
  expect([...exclusions]).toEqual([254712345678, 254712345679]);
});

it("refuses a number that cannot be read", async () => {
  const content = "+254712345678\n0712345679\nJane\n";
  await expect(readExclusions({ name: "list", chunks: chunksOf(content) })).rejects.toThrow(
    expect.objectContaining({
      message: "2 rows of list cannot be used",
      details: [
        'line 2: "0712345679" cannot be read: it has no country',
        'line 3: "Jane" cannot be read: it has the letter J in it',
      ],
    }),
  );
});

it("accepts an empty list", async () => {
  const content = "# nobody yet\n";
  expect(await readExclusions({ name: "list", chunks: chunksOf(content) })).toEqual(new Set());
});
