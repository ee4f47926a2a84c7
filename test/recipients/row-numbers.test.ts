import { expect, it } from "vitest";
import type { Country } from "../../src/message/number.ts";
import { readNumberList } from "../../src/recipients/number-lists.ts";
import { numbersInRow } from "../../src/recipients/row-numbers.ts";
import { typedRow } from "../../src/recipients/row.ts";

/** The last column says whether all of the cell is read. */
const cells: readonly (readonly [string, Country, string, boolean])[] = [
  ["0712 345 678-0733 123 456", "KE", "+254712345678 +254733123456", true],
  ["0712 345 678(0733 123 456)", "KE", "+254712345678 +254733123456", true],
  ["0712345678+0733123456", "KE", "+254712345678 +254733123456", true],
  ["0712345678. 0733123456", "KE", "+254712345678 +254733123456", true],
  ["(1) 0712345678-(2) 0733123456", "KE", "+254712345678 +254733123456", true],
  ["1. 0171 1234567 2. 0172 7654321", "DE", "+491711234567 +491727654321", true],
  ["0171 1234567 - 0172 7654321", "DE", "+491711234567 +491727654321", true],
  ["0171/1234567 oder 0172/7654321", "DE", "+491711234567 +491727654321", true],
  ["0712345678 or 073312345", "KE", "+254712345678", false],
  ["0712345678 or 23", "KE", "+254712345678", false],
  ["0712345678 / 07", "KE", "+254712345678", false],
  ["0712345678 (wife), Form 2", "KE", "+254712345678", true],
  ["07700 900123 or 07911 123456", "GB", "+447700900123 +447911123456", true],
  ["0172–7654321", "DE", "+491727654321", true],
  ["0172 7654321 4500", "DE", "+491727654321", false],
  ["0172 7654321 STOP", "DE", "+491727654321", true],
  ["ID 33445566 0171 1234567", "DE", "+491711234567", false],
  ["0171 1234567 (29.11.2026)", "DE", "+491711234567", true],
  ["29.11. 0172 7654321", "DE", "+491727654321", false],
  ["[14:05, 29/11/2026] 0171/1234567: STOP", "DE", "+491711234567", true],
  ["0171 1234567 (2)", "DE", "+491711234567", true],
  ["0171 1234567 2x angerufen", "DE", "+491711234567", true],
  ["(55) 1234-5678 - (33) 1234-5678", "MX", "+525512345678 +523312345678", true],
  ["712,345,678", "KE", "+254712345678", true],
  ["٠٧١٢٣٤٥٦٧٨", "KE", "+254712345678", true],
  ["7654321", "DE", "+497654321", true],
  ["712000000", "KE", "", false],
];

it.each(cells)("%j of %s is the numbers %s, all of it: %s", (text, country, numbers, isWhole) => {
  const reading = numbersInRow(typedRow(text), { country });
  expect([reading.numbers.join(" "), reading.fault === undefined]).toEqual([numbers, isWhole]);
});

it("holds back all numbers of a row, where another list is refused", async () => {
  const rows = [typedRow("0712345678 do not text"), typedRow("0733123456 / 0722123456")];
  expect((await readNumberList("list", rows, "KE", { everyNumber: true })).size).toBe(3);
  await expect(readNumberList("list", rows, "KE")).rejects.toThrow("2 rows of list cannot be used");
});
