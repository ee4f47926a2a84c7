import { describe, expect, it, test } from "vitest";
import { ListFacts } from "../../../src/recipients/source.ts";
import { outline, read } from "../reading.ts";
import { rowOf, xlsxOf, zipOf } from "../workbooks.ts";

async function fieldsOf(content: Buffer, options: Parameters<typeof read>[1] = {}) {
  const rows = await read(content, { name: "list.xlsx", ...options });
  return rows.map((row) => (row.kind === "row" ? { line: row.line, cell: row.cell, ...row.fields } : row));
}

const header = rowOf(1, "Name", "Mobile No.", "Due");

describe("an Excel workbook", () => {
  it("has its values as they are", async () => {
    const strings =
      '<si><t xml:space="preserve"> Jos&#233; &amp; Co </t></si><si><r><t>Ri</t></r><r><rPr/><t>ch &#128512;</t></r><rPh><t>x</t></rPh></si>';
    const rows =
      rowOf(1, "Customers") +
      rowOf(3, "Name", "Mobile No.", "Due", "On") +
      '<row r="5"><c r="A5" t="s"><v>0</v></c><c r="B5"><v>2.54712345678E11</v></c><c r="C5"><v>12.300000000000001</v></c><c r="D5" s="1"><v>46348</v></c></row>' +
      '<row r="6" hidden="1"><c r="A6" t="s"><v>1</v></c><c r="B6" t="str"><f>"0"&amp;1</f><v>0712345678</v></c><c r="C6" t="b"><v>1</v></c><c r="D6" s="2"><v>46348.354166666664</v></c></row>' +
      '<row r="7"><c r="A7" t="inlineStr"><is><t>a_x000D_b</t></is></c><c r="B7"><f>B5</f><v>254712345679</v></c><c r="C7"><v>0.0000001</v></c><c r="D7" s="3"><v>0.5</v></c></row>' +
      '<row r="8"><c r="A8" s="1"/></row>';
    const content = xlsxOf([{ name: "A &amp; B", rows }], { strings });
    const facts = new ListFacts();

    const visible = await fieldsOf(content, { facts });
    const [, hidden] = await fieldsOf(content, { everyNumber: true });

    expect(visible).toEqual([
      { line: 5, cell: "B5", name: "José & Co", "mobile no.": "254712345678", due: "12.3", on: "2026-11-22" },
      { line: 7, cell: "B7", name: "a\rb", "mobile no.": "254712345679", due: "0.0000001", on: "12:00:00" },
    ]);
    const [name, on] = ["Rich 😀", "2026-11-22 um 08:30"];
    expect(hidden).toEqual({ line: 6, cell: "B6", name, "mobile no.": "0712345678", due: "TRUE", on });
    expect(facts).toMatchObject({
      sheet: "A & B",
      columns: { name: "Mobile No.", by: "name" },
      passed: ['a line above the header: "Customers"'],
      hiddenRows: 1,
    });
  });

  const shown: readonly (readonly [format: string | number, value: string, shown: string])[] = [
    ["0000", "42", "0042"],
    ["#,##0.00", "1200.5", "1,200.50"],
    ['"KES" #,##0', "1200", "KES 1,200"],
    ["_-* #,##0.00_-;-* #,##0.00_-", "1234.5", "1,234.50"],
    ["+0", "254712345678", "+254712345678"],
    ["[Red]-0.00;0.00", "3", "-3.00"],
    ["[>=1000]#,##0;0", "7", "7"],
    ["# ?/?", "1.5", "1 1/2"],
    ["[h]:mm", "1.5", "36:00"],
    ["0.00E+00", "254712345678", "254712345678"],
    ["[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", "46357", "2026-12-01"],
    ["not a [format", "42", "42"],
    [11, "254712345678", "254712345678"],
    [14, "46357", "2026-12-01"],
    [14, "46357.6", "2026-12-01"],
    [18, "0.395833333", "09:30"],
    [20, "46357.395833333", "09:30"],
    [21, "0.395833333", "09:30:00"],
    [22, "46357.586805556", "2026-12-01 14:05"],
    ["KES#,##0.00", "1234.5", "KES1,234.50"],
    ["[$KES]#,##0.00", "1234.5", "KES1,234.50"],
  ];

  it("has each cell as the sheet shows it", async () => {
    const cells = shown.map(([, value], index) => `<c s="${5 + index}"><v>${value}</v></c>`).join("");
    const names = shown.map((_, index) => `c${index}`);
    const rows = `${rowOf(1, "to", ...names)}<row r="2"><c><v>254712345678</v></c>${cells}</row>`;

    const [row] = await read(xlsxOf([{ rows }], { formats: shown.map(([format]) => format) }));

    const values = shown.map(([format], index) => [format, row?.kind === "row" && row.fields[`c${index}`]]);
    expect(values).toEqual(shown.map(([format, , text]) => [format, text]));
  });

  it.each([
    ["0", "2026-12-01T14:05:00", "2026-12-01 14:05"],
    ["0", "2026-12-01", "2026-12-01"],
    ["1", "2026-12-01T14:05:00", "2026-12-01"],
    ["3", "2026-12-01T14:05:00Z", "14:05:00"],
    ["1", "in May", "in May"],
  ])("has a day in ISO 8601 by its format, of style %s: %s", async (style, value, text) => {
    const cell = `<c s="${style}" t="d"><v>${value}</v></c>`;
    const rows = `${rowOf(1, "to", "day")}<row r="2"><c><v>254712345678</v></c>${cell}</row>`;
    expect(await fieldsOf(xlsxOf([{ rows }]))).toMatchObject([{ day: text }]);
  });

  it("has a text as its format writes it", async () => {
    const cell = '<c s="5" t="inlineStr"><is><t>712345678</t></is></c>';
    const rows = `${rowOf(1, "Name", "Phone")}<row r="2"><c/>${cell}</row>`;
    expect(await outline(xlsxOf([{ rows }], { formats: ['0;0;0;"+254"@'] }))).toEqual(["2 +254712345678"]);
  });

  const hiding = "<col min='2' max='2' hidden='1'/><col min='5' max='16384' width='0'/>";
  const withHidden = {
    columns: hiding,
    rows:
      rowOf(1, "Name", "Old phone", "Phone", "Due", "Note") +
      rowOf(2, "Jo", "+254712345670", "+254712345678", "5", "x") +
      rowOf(3, "Al", "", "+254712345679", "6", ""),
  };

  it("has no columns that the sheet hides, and says which had values", async () => {
    const facts = new ListFacts();

    const rows = await fieldsOf(xlsxOf([withHidden]), { facts });

    expect(rows).toEqual([
      { line: 2, cell: "C2", name: "Jo", phone: "+254712345678", due: "5" },
      { line: 3, cell: "C3", name: "Al", phone: "+254712345679", due: "6" },
    ]);
    expect(facts).toMatchObject({ hiddenColumns: ["B", "E"], passed: [] });
  });

  it("has the columns that it hides where a list holds people back", async () => {
    const facts = new ListFacts();

    const [row] = await fieldsOf(xlsxOf([withHidden]), { facts, everyNumber: true, toColumn: "Old phone" });

    expect(row).toMatchObject({ "old phone": "+254712345670", note: "x" });
    expect(facts.hiddenColumns).toEqual([]);
  });

  it("has the value of merged cells in each of their rows", async () => {
    const rows =
      rowOf(1, "Family", "Phone", "Child", "Due") +
      rowOf(2, "Otieno", "+254712345678", "Ann", "5") +
      rowOf(3, "", "", "Bob", "6") +
      rowOf(4, "", "+254712345679", "Cy", "7") +
      rowOf(5) +
      rowOf(6, "", "", "Dan", "8");

    const values = await read(xlsxOf([{ rows, merged: ["A2:A4", "B2:B3", "C1:D1", "A5:A6"] }]));

    expect(values.map((row) => row.kind === "row" && `${row.line} ${row.to} ${row.fields["family"]}`)).toEqual([
      "2 +254712345678 Otieno",
      "3 +254712345678 Otieno",
      "4 +254712345679 Otieno",
      "6  ",
    ]);
  });

  it.each([
    ["", "1899-12-31", "1900-02-28", "1900-03-01", "2026-11-22"],
    ['date1904="1"', "1904-01-01", "1904-02-29", "1904-03-02", "2030-11-23"],
  ])("counts days from where %j says", async (properties, ...days) => {
    const cells = [0, 59, 61, 46348].map((day) => `<c s="1"><v>${day}</v></c>`).join("");
    const rows = `${rowOf(1, "to", "a", "b", "c", "d")}<row r="2"><c><v>254712345678</v></c>${cells}</row>`;
    const [row] = await fieldsOf(xlsxOf([{ rows }], { properties }));
    expect(row).toMatchObject({ a: days[0], b: days[1], c: days[2], d: days[3] });
  });

  it("is read wherever its files are", async () => {
    const content = xlsxOf([{ rows: header + rowOf(2, "Jo", "+254712345678", "5") }]);
    const moved = content.toString("latin1").replaceAll("xl/worksheets/sheet1.xml", "xl/Worksheets/Sheet1.XML");
    expect(await outline(Buffer.from(moved, "latin1"))).toEqual(["2 +254712345678"]);
    const relations =
      '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="../pages/one.xml"/></Relationships>';
    const others = {
      "xl/_rels/workbook.xml.rels": relations,
      "pages/one.xml": `<worksheet><sheetData>${header}${rowOf(2, "Jo", "+254712345679", "5")}</sheetData></worksheet>`,
    };
    expect(await outline(xlsxOf([{ rows: "" }], { others }))).toEqual(["2 +254712345679"]);
  });

  it("has no values of formulas that its writer did not calculate", async () => {
    const rows = `${header}<row r="2"><c/><c><f>X1</f><v>0</v></c></row>`;
    const faults = await read(xlsxOf([{ rows }], { calculation: 'fullCalcOnLoad="1"' }));
    const sentence = "its formula was not calculated: open the workbook in a spreadsheet, and save it";
    expect(faults).toMatchObject([{ where: "cell B2", sentence }]);
  });

  it("has faults of cells by cell, which spoil a row if they are in its number", async () => {
    const rows =
      header +
      '<row r="2"><c/><c><v>2.54712345678123E15</v></c></row>' +
      '<row r="3"><c t="e"><v>#REF!</v></c><c><v>254712345678</v></c></row>' +
      '<row r="4"><c/><c><f>X1</f></c></row>';
    const all = await read(xlsxOf([{ rows }]));
    expect(all.map((row) => (row.kind === "fault" ? `${row.where}: ${row.sentence}` : row.to))).toEqual([
      "cell B2: it has more than 15 digits, which the workbook has rounded: make it text",
      "254712345678",
      "cell B4: its formula has no value: open the workbook in a spreadsheet, and save it",
    ]);
    expect(all[1]?.kind === "row" && all[1].unreadable?.get("name")).toBe("cell A3: it has the error #REF!");
  });

  const data = { name: "Data", rows: header + rowOf(2, "Jo", "+254712345678", "5") };
  const notes = { name: "Notes", rows: rowOf(1, "Text", "By") + rowOf(2, "call them", "Jo") };
  const hiddenSheet = { name: "Old", state: "hidden", rows: data.rows };
  const pivot = { name: "Pivot", rows: rowOf(1, "Sum", "Sum") + rowOf(2, "1", "2") };
  const two = [data, { ...data, name: "More" }];

  it("is read in its only sheet with numbers, and hidden ones are not looked at", async () => {
    const facts = new ListFacts();

    const rows = await outline(xlsxOf([notes, hiddenSheet, pivot, data, pivot]), { facts });

    expect(rows).toEqual(["2 +254712345678"]);
    expect(facts).toMatchObject({ sheet: "Data", passed: ['the hidden sheet "Old"'] });
    expect(await outline(xlsxOf(two), { sheet: "More" })).toEqual(["2 +254712345678"]);
  });

  const none = "no visible sheet of list has a column of numbers";
  it.each([
    ["two sheets have numbers", two, undefined, 'list has numbers in several sheets, such as "Data" and "More"'],
    ["there is no such sheet", two, "Most", 'list has no sheet "Most"'],
    ["its only sheet has none", [notes], undefined, "list has no column of numbers"],
    ["both sheets have none", [notes, notes], undefined, none],
    ["it is empty", [{ rows: "" }], undefined, "list is empty"],
    ["only a hidden sheet has any", [{ rows: "" }, hiddenSheet], undefined, none],
  ])("is refused if %s", async (_, sheets, sheet, message) => {
    await expect(outline(xlsxOf(sheets), { sheet })).rejects.toThrow(message);
  });
});

test.each([
  ["cut off", xlsxOf([{ rows: header }]).subarray(0, 900), /^list is a broken workbook: /],
  [
    "with a document type",
    xlsxOf([{ rows: header }], { others: { "xl/sharedStrings.xml": '<!DOCTYPE x [<!ENTITY a "b">]><sst/>' } }),
    /it has a document type$/,
  ],
  ["with a column too far", xlsxOf([{ rows: '<row r="1"><c r="XFE1"><v>1</v></c></row>' }]), /it has a column XFE1$/],
  ["with a row too far", xlsxOf([{ rows: '<row r="1048577"/>' }]), /it has a row 1048577$/],
  ["with a row too long", xlsxOf([{ rows: rowOf(1, "x".repeat(70_000)) }]), /row of it has more than 64 KiB of text$/],
  ["without the sheet", xlsxOf([{ rows: header }], { others: { "xl/_rels/workbook.xml.rels": "<x>" } }), /broken/],
  ["of OpenDocument", zipOf({ "content.xml": "<a/>" }), /^list is an OpenDocument file$/],
  [
    "protected (.xlsx)",
    Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from("EncryptedPackage", "utf16le")]),
    /^list is protected by a password$/,
  ],
  ["of before 2007", Buffer.from("d0cf11e0a1b11ae1", "hex"), /^list is an Excel workbook of before 2007 \(.xls\)$/],
  ["that is another archive", zipOf({ "a.txt": "a" }), /^list is not a list of recipients$/],
  [
    "that is a letter",
    zipOf({ "_rels/.rels": "<Relationships/>", "word/document.xml": "<document/>" }),
    /^list is a document of Word$/,
  ],
  ["in binary", zipOf({ "xl/workbook.bin": "a" }), /^list is a binary workbook \(.xlsb\)$/],
])("a workbook %s is named", async (_, content, message) => {
  await expect(outline(content)).rejects.toThrow(
    expect.objectContaining({ kind: "usage", message: expect.stringMatching(message) }),
  );
});

test("a workbook whose bytes changed is refused, and never read wrongly", async () => {
  const people = Array.from({ length: 50 }, (_, at) => rowOf(at + 2, `N${at}`, `+2547123456${at + 10}`, "5"));
  const whole = xlsxOf([{ rows: header + people.join("") }]);
  const expected = await outline(whole);
  let refusals = 0;
  const wrong: number[] = [];

  for (let at = 0; at < whole.length; at += 7) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    const rows = await outline(changed).catch(() => "refused");
    if (rows === "refused") refusals++;
    else wrong.push(...(JSON.stringify(rows) === JSON.stringify(expected) ? [] : [at]));
  }

  expect(wrong).toEqual([]);
  expect(refusals).toBeGreaterThan(20);
});

const strings = (content: string) => ({ others: { "xl/sharedStrings.xml": content } });
const styles = `<styleSheet><cellXfs>${"<xf/>".repeat(70_000)}</cellXfs></styleSheet>`;
const unpacked = "it unpacks to more than a spreadsheet can have";

test.each([
  ["one text", strings(`<a>${" ".repeat(3_000_000)}</a>`), "it has a text of more than a million characters"],
  ["its size", strings("<a/>".repeat(5_000_000)), unpacked],
  ["its depth", strings("<a>".repeat(1_001)), unpacked],
  ["its elements", { others: { "xl/styles.xml": styles } }, unpacked],
])("a bomb is refused for %s", async (_, parts, reason) => {
  await expect(outline(xlsxOf([{ rows: header }], parts))).rejects.toThrow(reason);
});
