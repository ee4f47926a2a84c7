import { describe, expect, it } from "vitest";
import { delimiterOf, guessFormat } from "../../../src/recipients/formats/format.ts";

describe("the format", () => {
  it.each([
    ["customers.csv", "+254712345678", "csv"],
    ["customers.CSV", "+254712345678", "csv"],
    ["customers.tsv", "+254712345678", "csv"],
    ["customers.txt", "to,name", "plain"],
    ["customers.ndjson", "+254712345678", "ndjson"],
    ["customers.jsonl", "+254712345678", "ndjson"],
  ])("of %s follows from its name, despite %j", (name, line, format) => {
    expect(guessFormat(name, [line], false)).toBe(format);
  });

  it.each([
    ["plain", ["+254712345678", "0712 345 678", "(020) 123-4567", "+254712345678\t", "# opted out, as of May", "Jane"]],
    ["csv", ["to", "Phone ", '"MSISDN"', "name,to", "name;to", "name\tto"]],
    ["ndjson", ['{"to":"+254712345678"}', '  {"to":"+254712345678"}', "{"]],
  ])("is %s for a source that starts with one of %j", (format, lines) => {
    for (const name of ["standard input", "list.constructor"])
      expect(lines.map((line) => guessFormat(name, [line], false))).toEqual(lines.map(() => format));
  });

  it("is CSV if a column is named", () => {
    expect(guessFormat("standard input", ["contact"], true)).toBe("csv");
  });
});

it.each([
  [",", ["to", "to,name", "to,name;alias,due", '"a ""b;c;d"" e",to']],
  [";", ["to;name", "to;name, first;due", 'to;"open, and on, and on']],
  ["\t", ["to\tname", "to\tname, first"]],
])("the delimiter is %j for each header of %j", (delimiter, headers) => {
  expect(headers.map((header) => delimiterOf([header]))).toEqual(headers.map(() => delimiter));
});

it("a delimiter within quotes does not count", () => {
  expect(delimiterOf(['"to;a;b","name"'])).toBe(",");
});
