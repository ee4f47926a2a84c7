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
    ["+254712345678", "plain"],
    ["0712 345 678", "plain"],
    ["(020) 123-4567", "plain"],
    ["+254712345678\t", "plain"],
    ["# opted out, as of May", "plain"],
    ["Jane", "plain"],
    ["to", "csv"],
    ["Phone ", "csv"],
    ['"MSISDN"', "csv"],
    ["name,to", "csv"],
    ["name;to", "csv"],
    ["name\tto", "csv"],
    ['{"to":"+254712345678"}', "ndjson"],
    ['  {"to":"+254712345678"}', "ndjson"],
    ["{", "ndjson"],
  ])("of a source that starts with %j is %s", (line, format) => {
    expect(guessFormat("standard input", [line], false)).toBe(format);
    expect(guessFormat("list.constructor", [line], false)).toBe(format);
  });

  it("is CSV if a column is named", () => {
    expect(guessFormat("standard input", ["contact"], true)).toBe("csv");
  });
});

describe("the delimiter of a header", () => {
  it.each([
    ["to", ","],
    ["to,name", ","],
    ["to;name", ";"],
    ["to\tname", "\t"],
    ["to;name, first;due", ";"],
    ["to,name;alias,due", ","],
    ["to\tname, first", "\t"],
    ['"to;a;b","name"', ","],
    ['"a ""b;c;d"" e",to', ","],
    ['to;"open, and on, and on', ";"],
  ])("%j is %j", (header, delimiter) => {
    expect(delimiterOf([header])).toBe(delimiter);
  });
});
