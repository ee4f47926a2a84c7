import { expect, it } from "vitest";
import { readNumberList } from "../../src/recipients/number-lists.ts";
import { readRecipients } from "../../src/recipients/read.ts";
import { chunksOf } from "./reading.ts";

it.each([
  ["lines", "# opted out\n+254712345678\n\n0712 345679\n+254712345678\n"],
  ["a column", "name,phone\nJane,+254712345678\nJohn,0712345679\n"],
])("reads the numbers in %s, each once", async (_, content) => {
  const numbers = await readNumberList("list", rowsOf(content), "KE");

  expect(numbers.size).toBe(2);
  expect([254712345678, 254712345679].filter((number) => numbers.has(number))).toHaveLength(2);
});

it("refuses a number that cannot be read", async () => {
  const content = "+254712345678\n0712345679\nJane\n";
  await expect(readNumberList("list", rowsOf(content), undefined)).rejects.toThrow(
    expect.objectContaining({
      message: "2 rows of list cannot be used",
      details: [
        'line 2: "0712345679" cannot be read: it has no country',
        'line 3: "Jane" cannot be read: it has no digits',
      ],
    }),
  );
});

it("accepts an empty list only if that is wanted", async () => {
  const comments = "# nobody yet\n";
  expect((await readNumberList("list", rowsOf(comments, "nothing"), undefined)).size).toBe(0);
  await expect(readNumberList("list", rowsOf(comments), undefined)).rejects.toThrow("list has only comments");
});

function rowsOf(content: string, least: "rows" | "nothing" = "rows") {
  return readRecipients({ name: "list", chunks: chunksOf(content) }, { least });
}
