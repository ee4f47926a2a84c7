import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type CleanOptions, cleanRows, Findings } from "../../src/recipients/clean.ts";
import { cleanWriter } from "../../src/recipients/clean-columns.ts";
import { seed } from "../support/seed.ts";
import { chunksOf } from "./reading.ts";
import { rowOf, xlsxOf } from "./workbooks.ts";

const options: CleanOptions = { country: "KE" };

async function clean(content: string | Buffer, more: CleanOptions & { name?: string } = {}) {
  const findings = new Findings();
  const files = { usable: "", rejected: "" };
  const writer = cleanWriter(
    {
      usable: (record) => (files.usable += `${record}\n`),
      rejected: (record) => (files.rejected += `${record}\n`),
    },
    findings.list,
  );
  const lines: string[] = [];
  const source = { name: more.name ?? "list", chunks: chunksOf(content) };
  for await (const row of cleanRows(source, { ...options, ...more }, findings)) {
    writer.add(row);
    lines.push(`${row.line} ${row.kind === "rejected" ? row.cause : `${row.kind} ${row.to}`}`);
  }
  writer.end("to");
  return { findings, ...files, lines };
}

function recordsOf(csv: string): readonly (readonly string[])[] {
  return parse(csv, { relax_column_count: true });
}

it("changes only what leaves no doubt, and counts each kind of change", async () => {
  const cells = [
    "+254712345001",
    "0712 345-002",
    "254712345003.0",
    "0049 151 23456789",
    "'0712345004",
    "tel:+254712345005",
    "\u202A+254712345006\u202C",
    "07123",
    "2.54712E+11",
    "0712345007 / 0712345008",
    "n.a.",
  ];
  const { findings, lines } = await clean(`to,name\n${cells.map((cell) => `${cell},x`).join("\n")}\n,y\n`);
  expect(lines).toEqual([
    "2 usable +254712345001",
    "3 usable +254712345002",
    "4 usable +254712345003",
    "5 usable +4915123456789",
    "6 usable +254712345004",
    "7 usable +254712345005",
    "8 usable +254712345006",
    "9 impossible",
    "10 mangled",
    "11 several",
    "12 not-a-number",
    "13 no-number",
  ]);
  expect(findings.changes).toEqual({ country: 3, punctuation: 1, decimals: 1, doubleZero: 1, marks: 3 });
});

it("takes the only number beside other words, and no extension or date for one", async () => {
  const lines = ["0712345001 (wife)", "TEL;CELL:+254712345002", "Asha 0712345003", "0712345004 ext 12", "2026-11-22"];
  const content = [...lines, "0712345005 / 0712345006"].join("\n");
  const cleaned = await clean(content, { name: "list.txt" });
  expect([cleaned.lines, cleaned.findings.changes]).toEqual([
    [
      "1 usable +254712345001",
      "2 usable +254712345002",
      "3 usable +254712345003",
      "4 other-text",
      "5 not-a-number",
      "6 several",
    ],
    { words: 2, marks: 1 },
  ]);
});

it("rejects a row whose number stands on another row with other columns", async () => {
  const { lines } = await clean("to,due\n0712345001,3\n0712345001,3\n0712345001,4\n", { name: "list.csv" });
  expect(lines).toEqual(["2 usable +254712345001", "3 duplicate +254712345001", "4 differs"]);
});

it("keeps landlines unless only mobile numbers are wanted", async () => {
  const content = "to\n0202345678\n0712345001\n";
  const kept = await clean(content, { name: "list.csv" });
  expect([kept.findings.numbers, kept.findings.landlines]).toEqual([2, 1]);
  expect((await clean(content, { name: "list.csv", mobileOnly: true })).lines).toEqual([
    "2 landline",
    "3 usable +254712345001",
  ]);
});

it("renames columns that would be ours, and names columns that have values and no name", async () => {
  const list = `Phone,line,reason,,empty,to\n${["0712345001", "none"].map((to) => `${to},7,due,x,,y`).join("\n")}\n`;
  const { usable, rejected } = await clean(`Sheet\n${list}`, { toColumn: "Phone" });
  expect(recordsOf(usable)).toEqual([
    ["to", "line", "line (source)", "reason", "column 4", "empty", "to (source)"],
    ["+254712345001", "3", "7", "due", "x", "", "y"],
  ]);
  expect(recordsOf(rejected)[0]?.slice(2)).toEqual([
    "Phone",
    "line (source)",
    "reason (source)",
    "column 4",
    "empty",
    "to",
  ]);
});

it("reads the rows that it rejected again once they are corrected, without what guards them in a spreadsheet", async () => {
  const first = await clean("name,Phone\n=Eve,0712345001\n-Bob,07\nAnn,n.a.\n", { name: "list.csv" });
  expect(first.usable).toBe(`"to","line","name"\n"+254712345001","2","'=Eve"\n`);
  const corrected = first.rejected.replace('"07"', '" 0712 345 002 "');
  expect(corrected).not.toBe(first.rejected);
  const second = await clean(corrected, { name: "list-rejected.csv" });
  expect(second.lines).toEqual(["2 usable +254712345002", "3 not-a-number"]);
  expect(second.usable).toContain(`"'-Bob"`);
});

it("keeps the number of NDJSON that it rejects where it is found again, under whatever name it came", async () => {
  const first = await clean('{"phone":"n.a.","n":"1"}\n{"msisdn":"0712345001"}\n', { name: "list.ndjson" });
  const corrected = first.rejected.replace('"n.a."', '"0712345002"');
  expect((await clean(corrected, { name: "list-rejected.csv" })).lines).toEqual(["2 usable +254712345002"]);
});

const cell = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map((digit) => `071234500${digit}`),
  fc.constantFrom("0712 345 001", "n.a.", "07", "0712345001 / 0712345002", "2.5E+11", "254712345003.0", "=1+1", "-"),
  fc.string({ unit: fc.constantFrom("0", "7", "a", " ", "+", ".", "é"), maxLength: 8 }),
);
const list = fc.array(fc.record({ to: cell, name: fc.constantFrom("Amina", "", "=cmd", "Müller", "x y") }), {
  minLength: 1,
  maxLength: 12,
});
type Rows = readonly { readonly to: string; readonly name: string }[];

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const formats: Readonly<Record<string, (rows: Rows) => string | Buffer>> = {
  "list.csv": (rows) => ["to,name,n", ...rows.map(({ to, name }) => `${quote(to)},${quote(name)},1`)].join("\n"),
  "list.ndjson": (rows) => rows.map((row) => JSON.stringify({ ...row, to: row.to.trim() })).join("\n"),
  "list.txt": (rows) => rows.map(({ to }) => (to.trim() === "" ? "none" : to)).join("\n"),
  "list.xlsx": (rows) =>
    xlsxOf([
      {
        rows: [
          rowOf(1, "to", "name", "n"),
          ...rows.map((row, index) => rowOf(index + 2, escape(row.to), row.name, "1")),
        ].join(""),
      },
    ]),
};

it.each(Object.keys(formats))(
  "loses no row of %s, whatever is in it, nor when it cleans what it rejected",
  async (name) => {
    await fc.assert(
      fc.asyncProperty(list, async (rows) => {
        const cleaned = await clean(formats[name]?.(rows) ?? "", { name });
        const { findings } = cleaned;
        expect(findings.rows).toBe(rows.length);
        expect(findings.rows).toBe(findings.numbers + findings.duplicates + findings.rejected);
        expect(recordsOf(cleaned.usable).slice(1)).toHaveLength(findings.numbers);
        const rejected = recordsOf(cleaned.rejected).slice(1);
        expect(rejected).toHaveLength(findings.rejected);
        expect(new Set(cleaned.lines.map((line) => Number.parseInt(line, 10))).size).toBe(rows.length);
        if (findings.rejected === 0) return;
        const again = await clean(cleaned.rejected, { name: "list-rejected.csv", toColumn: "to" });
        expect(again.findings.rows).toBe(rejected.length);
      }),
      { seed, numRuns: 25 },
    );
  },
);
