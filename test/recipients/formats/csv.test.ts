import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guarded, unguarded } from "../../../src/recipients/formats/spreadsheet.ts";
import { ListFacts } from "../../../src/recipients/source.ts";
import { outline, read } from "../reading.ts";
import { seed } from "../../support/seed.ts";
import { trials } from "../../support/trials.ts";

describe("CSV", () => {
  it("has a row per record: every column a field, `message` its own text", async () => {
    const content = '\uFEFFName, Phone ,Message\r\nJane,0712 345678,\r\n"Doe, John",+254712345679,"Pay ""now"""\r\n';
    expect(await read(content)).toEqual(
      [
        { line: 2, to: "0712 345678", fields: { name: "Jane", phone: "0712 345678", message: "" }, own: {} },
        {
          line: 3,
          to: "+254712345679",
          fields: { name: "Doe, John", phone: "+254712345679", message: 'Pay "now"' },
          own: { text: 'Pay "now"' },
        },
      ].map((row) => ({ kind: "row", ...row })),
    );
  });

  it("has no value where a program wrote that there is none, and says so", async () => {
    const facts = new ListFacts();

    const rows = await read("to,a,b,c\nNULL,NaN,None of us,N/A\n", { facts });

    expect(rows).toMatchObject([{ to: "", fields: { a: "", b: "None of us", c: "" } }]);
    expect(facts.noValues).toBe(3);
  });

  it.each([
    ["semicolons", "to;a\n1;x,y\n", ["2 1"]],
    ["a column named to beside others of numbers", "phone,to,mobile\n2,1,3\n", ["2 1"]],
    ["blank lines, first, between and last", "\n \r\nto,a\n\n1,x\n  \n2,y\n\n\n", ["5 1", "7 2"]],
    ["rows of delimiters only", "to,a\n,\n1,x\n, \n", ["3 1"]],
    ["a value of several lines", 'to,a\n1,"x\ny\r\nz"\n2,y\n', ["2 1", "5 2"]],
    ["a header of several lines", 'to,"a\r\nb\nc"\r\n1,x\r\n', ["4 1"]],
    ["CR in a value, as a line end", 'to,a\n1,"x\ry"\n2,z\n', ["2 1", "4 2"]],
    ["line ends of three kinds", "to,a\r\n1,x\r2,y\n3,z", ["2 1", "3 2", "4 3"]],
    ["spaces around quotes", 'to, "a" ,b\n1, "x, y" ,z\n', ["2 1"]],
    ["no comments", "to,a\n#1,x\n", ["2 #1"]],
  ])("with %s", async (_, content, expected) => {
    expect(await outline(content)).toEqual(expected);
  });

  it("has empty cells where a row has fewer than the header, and says how many rows", async () => {
    const facts = new ListFacts();
    const rows = await read("to,a,b\n1,x\n2,x,y\n3\n", { facts });
    expect(rows.map((row) => row.kind === "row" && row.fields)).toEqual([
      { to: "1", a: "x", b: "" },
      { to: "2", a: "x", b: "y" },
      { to: "3", a: "", b: "" },
    ]);
    expect(facts.shortRows).toBe(2);
  });

  const stray = 'it has a stray "';

  it.each([
    ["a value too many", "to,a\n1,x\n2,x,y\n3,z", ["2 1", "3 it has 3 values; the header has 2", "4 3"]],
    ["a quote left open", 'to,a\n1,x\n2,"y\n3,z\n4,z\n', ["2 1", `3 ${stray}`, "4 3", "5 4"]],
    ["a quote left open before one of its own", 'to,a\n1,"x\n2,"y"\n3,"z"\n', [`2 ${stray}`, "3 2", "4 3"]],
    ["a quote inside a value", 'to,a\n1,"x\r\ny"\n2,5" pipe\n3,z\n', ["2 1", `4 ${stray}`, "5 3"]],
    ["a quote at the end of a value", 'to,a\n1,x"\n2,z\n', [`2 ${stray}`, "3 2"]],
    ["a quote in the number", 'to,a\n"1,x\n2,z\n', [`2 ${stray}`, "3 2"]],
    [
      "a quote around somebody's row",
      'to,a\n1,"x\n0712345678,y\n2,z"\n3,"z"\n',
      [`2 ${stray}`, "3 0712345678", `4 ${stray}`, "5 3"],
    ],
    ["quotes of a line that ends with CR", 'to,a\r1,5"\r2,z\r', [`2 ${stray}`, "3 2"]],
  ])("with %s has a row that cannot be used, and the others", async (_, content, expected) => {
    expect(await outline(content)).toEqual(expected);
    for (let cut = 1; cut < content.length; cut++) {
      expect(await outline(content, { cuts: [cut] })).toEqual(expected);
    }
  });

  it("takes a quote that is open for more than 64 KiB for a stray one", async () => {
    const rows = await outline(`to,a\n1,x\n2,"${"y,\n".repeat(30_000)}"\n3,z\n`);
    expect(rows.slice(0, 3)).toEqual(["2 1", `3 ${stray}`, "4 y"]);
    expect(rows.at(-1)).toBe("30004 3");
  });

  it.each([
    [
      "no number",
      "a,b\n1,x\n",
      "list has no column of numbers: no header says so, such as to or phone, and no column has a number in nearly every cell",
    ],
  ])("with %s cannot be read: %j", async (_, content, message) => {
    const refused = expect.objectContaining({ kind: "usage", errorCode: "INVALID_RECIPIENTS", message });
    await expect(read(content)).rejects.toThrow(refused);
    await expect(read(content, { cuts: [12] })).rejects.toThrow(refused);
  });

  it.each([
    [
      "a, B c\n1,2\n",
      undefined,
      'line 1 was taken for the header, with the columns "a", "B c": choose --to-column NAME',
    ],
    [
      "a,b,contact\n1,2,3\n",
      "contcat",
      'line 1 was taken for the header, with the columns "a", "b", "contact": choose --to-column contact',
    ],
    [
      'a,"tel $(x)"\n1,2\n',
      "tel",
      'line 1 was taken for the header, with the columns "a", "tel $(x)": choose --to-column \'tel $(x)\'',
    ],
  ])("%j: the hint lists the columns, and names the one that may be meant", async (content, toColumn, hint) => {
    await expect(read(content, { toColumn })).rejects.toThrow(expect.objectContaining({ hint }));
  });

  it("may have columns named like inherited members", async () => {
    const [row] = await read("to,__proto__,constructor\n1,x,y\n");
    expect(row?.kind === "row" && Object.entries(row.fields).join()).toBe("to,1,__proto__,x,constructor,y");
  });

  it("reads the same wherever chunks end", async () => {
    const content = Buffer.from('\uFEFFto;"né ""m"""\r\n\r\n1;"x;\r\n😀""\n"\r\n2;y\n3\n4;€');
    const whole = await read(content);
    expect(whole.map(({ kind, line }) => `${line} ${kind}`)).toEqual(["3 row", "6 row", "7 row", "8 row"]);
    const offsets = Array.from(content, (_, index) => index);
    for (const first of offsets) {
      for (const second of offsets.slice(first, first + trials("CUTS", 12, offsets.length))) {
        expect(await read(content, { cuts: [first, second] }), `cut at ${first} and ${second}`).toEqual(whole);
      }
    }
    expect(await read(content, { cuts: offsets })).toEqual(whole);
  });

  it("reads back any values as written", async () => {
    const any = fc.string({ unit: "grapheme", maxLength: 12 });
    const tricky = fc.string({ unit: fc.constantFrom('"', ",", ";", "\t", "\r", "\n", "\u2028", " ", "x", "😀") });
    // A CR alone is a line end.
    const cell = fc.oneof(any, tricky).map((text) => text.replaceAll("\0", "").replace(/\r(?!\n)/g, "\n"));
    const shape = fc.record({
      delimiter: fc.constantFrom(",", ";", "\t"),
      lineEnd: fc.constantFrom("\n", "\r\n"),
      quotesAll: fc.boolean(),
      cuts: fc.array(fc.nat({ max: 60 }), { maxLength: 4 }).map((cuts) => cuts.toSorted((a, b) => a - b)),
    });
    const holds = fc.asyncProperty(fc.array(fc.tuple(cell, cell)), shape, async (values, chosen) => {
      const { delimiter, lineEnd, quotesAll, cuts } = chosen;
      let content = ["to", "a"].join(delimiter) + lineEnd;
      const expected: unknown[] = [];
      for (const [to, a] of [["+254712345678", "first"] as const, ...values]) {
        const line = content.split("\n").length;
        if (to.trim() + a.trim() !== "") {
          const fields = { to: to.trim(), a: a.trim() };
          expected.push({ kind: "row", line, to: to.trim(), fields, own: {} });
        }
        content += [to, a].map((text) => written(text, quotesAll)).join(delimiter) + lineEnd;
      }
      expect(await read(content, { cuts })).toEqual(expected);
    });
    await fc.assert(holds, { seed, numRuns: trials("RUNS", 200, 500) });
  });
});

/** A value in quotes, if necessary or always. */
function written(text: string, always: boolean): string {
  return always || /["\r\n,;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

describe("a guarded text", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["-1", "'-1"],
    ["＝1", "'＝1"],
    ["Hi;=1", "Hi;'=1"],
    ["Hi\r\n\t=1", "Hi\r\n\t'=1"],
    ["'=1", "''=1"],
    ["1=1", "1=1"],
  ])("begins no formula: %j becomes %j", (text, safe) => {
    expect(guarded(text)).toBe(safe);
    expect(unguarded(safe)).toBe(text);
  });

  it("can be given back", () => {
    const text = fc.string({ unit: fc.constantFrom("'", "=", "＝", ";", "\n", "a") });
    fc.assert(fc.property(text, (plain) => unguarded(guarded(plain)) === plain));
  });
});
