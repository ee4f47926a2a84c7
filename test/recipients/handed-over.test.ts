import { expect, it } from "vitest";
import { cleanRows, Findings } from "../../src/recipients/clean.ts";
import { chunksOf } from "./reading.ts";
import { rowOf, xlsxOf } from "./workbooks.ts";

/** The numbers of a file, row by row, without their common beginning, and what became of the others. */
async function usable(name: string, content: string | Buffer, country?: "DE" | "KE") {
  const rows: string[] = [];
  for await (const row of cleanRows({ name, chunks: chunksOf(content) }, { country }, new Findings()))
    rows.push(row.kind === "usable" ? row.to.replace("+2547123450", "") : row.kind);
  return rows.join(" ");
}

const chat = [
  "22/11/2026, 10:15 - Messages are encrypted.",
  "22/11/2026, 10:16 - Asha: 0712345001",
  "[22.11.26, 10:17:03] Juma: my number is +254 712 345 002",
  "2026-11-22 at 10 call 0712345003 or 0712345004",
];
const contact = [
  "BEGIN:VCARD\nN:Otieno;Ann;;;\nORG:ACME;",
  "item1.TEL;waid=254712345001:+254 712 345001\nTEL;type=CELL;type=pref:+254712345002\nEND:VCARD\n",
];
const german = "Name;Telefon\nJörg;0171/1234567\nUte;+49 (0)160 1000000\n";
const form = '"Timestamp","Phone number"\n"2026/11/22 10:15:00","0712 345 001"\n';
const identified = '{"id":25471234567812345678,"mobile":true,"phone":"+254712345001"}\n';
const nested = '{"phone":"+254712345001","address":{"city":"Nairobi"}}\n{"msisdn":"+254712345002","tags":["a"]}\n';
const filtered = rowOf(3, "+254712345002").replace("<row", '<row hidden="1"');

it.each([
  ["bars with an empty row of dashes", "list.csv", "phone|name\n+254712345001|A\n-|-\n", undefined, "01 rejected"],
  ["a German spreadsheet", "kunden.csv", german, "DE", "+491711234567 +491601000000"],
  ["a form of Google", "responses.csv", form, "KE", "01"],
  ["contacts of a phone", "a.txt", "TEL;CELL:+254712345001\nTEL;TYPE=WORK:+254712345002\n", undefined, "01 02"],
  ["a chat", "a.txt", "Asha 0712345001\nJuma: 0712 345 002\nat 10:15\n2026-11-22\n", "KE", "01 02 rejected rejected"],
  ["an export of WhatsApp", "chat.txt", chat.join("\n"), "KE", "rejected 01 02 rejected"],
  ["a contact of WhatsApp", "Ann.vcf", contact.join("\n"), undefined, "rejected rejected rejected 01 02 rejected"],
  ["what grep found", "standard input", "TEL;CELL:+254712345001\nTEL;WORK:+254712345002\n", undefined, "01 02"],
  ["an API with long identifiers and flags", "users.ndjson", identified, undefined, "01"],
  ["an answer of an API", "users.ndjson", nested, undefined, "01 02"],
  [
    "a filter",
    "list.xlsx",
    xlsxOf([{ rows: rowOf(1, "Phone") + rowOf(2, "+254712345001") + filtered }]),
    undefined,
    "01",
  ],
  ["tabs of a paste", "list.txt", "name\tphone\nAnn\t+254712345001\nBob\t+254712345002\n", undefined, "01 02"],
  ["Arabic headers", "list.csv", "الاسم,رقم الجوال\nعلي,+254712345001\n", undefined, "01"],
] as const)("of %s, exactly the right rows are kept", async (_, name, content, country, rows) => {
  expect(await usable(name, content, country)).toBe(rows);
});

it.each([
  ["psql", ` id |     phone     | name\n----+---------------+------\n  1 | +254712345001 | Ann\n(1 row)\n`],
  ["psql with lines of Unicode", ` name │     phone\n──────┼───────────────\n Ann  │ +254712345001\n`],
  ["Markdown", `| Name | Phone |\n|------|:-----:|\n| Ann | +254712345001 |\n`],
  ["mysql", `+-----+---------------+\n| who | phone         |\n+-----+---------------+\n| Ann | +254712345001 |\n`],
  ["kubectl", `NAME         PHONE           AGE\nann          +254712345001   5d\n`],
  ["sqlite in columns", `name  phone        \n----  -------------\nAnn   +254712345001\n`],
])("a table that %s drew is refused, and the way to export it is named", async (_, content) => {
  const hint = expect.stringContaining("`psql --csv` or `mysql --batch`");
  await expect(usable("list.txt", content)).rejects.toThrow(expect.objectContaining({ hint }));
});
