import { expect, it } from "vitest";
import { Findings } from "../../src/recipients/clean.ts";
import { cleanRows } from "../../src/recipients/clean.ts";
import { rowOf, xlsxOf } from "./workbooks.ts";

async function usable(name: string, content: string | Buffer, country: "DE" | "KE" | undefined) {
  const chunks = (async function* () {
    yield Buffer.from(content);
  })();
  const found: string[] = [];
  const findings = new Findings();
  for await (const row of cleanRows({ name, chunks }, { country: () => country }, findings))
    found.push(row.kind === "usable" ? row.to : row.kind);
  return found;
}

const ke = (last: number) => `+2547123450${String(last).padStart(2, "0")}`;

/** Files as teams hand them over, and what is to be kept of each, row by row. */
const files: readonly (readonly [string, string, string | Buffer, "DE" | "KE" | undefined, readonly string[]])[] = [
  [
    "psql",
    "list.txt",
    ` id |     phone     | name\n----+---------------+------\n  1 | ${ke(1)} | Ann\n  2 |               | Bob\n(2 rows)\n`,
    undefined,
    [ke(1), "rejected"],
  ],
  ["a table of Markdown", "list.md", `| Name | Phone |\n|------|:-----:|\n| Ann | 0712345001 |\n`, "KE", [ke(1)]],
  [
    "a German spreadsheet",
    "kunden.csv",
    "Name;Telefon\nJörg;0171/1234567\nUte;+49 (0)160 1000000\n",
    "DE",
    ["+491711234567", "+491601000000"],
  ],
  [
    "a form of Google",
    "responses.csv",
    '"Timestamp","Phone number"\n"2026/11/22 10:15:00","0712 345 001"\n',
    "KE",
    [ke(1)],
  ],
  [
    "contacts of a phone",
    "contacts.txt",
    "TEL;CELL:+254712345001\nTEL;TYPE=WORK:+254712345002\n",
    undefined,
    [ke(1), ke(2)],
  ],
  [
    "a chat",
    "chat.txt",
    "Asha 0712345001\nJuma: 0712 345 002\nsee you at 10:15\n2026-11-22\n",
    "KE",
    [ke(1), ke(2), "rejected", "rejected"],
  ],
  [
    "an answer of an API",
    "users.ndjson",
    `{"phone":"${ke(1)}","address":{"city":"Nairobi"}}\n{"msisdn":"${ke(2)}","tags":["a"]}\n`,
    undefined,
    [ke(1), ke(2)],
  ],
  ["invoices", "due.csv", `to,due\n${ke(1)},3\n${ke(1)},4\n${ke(1)},3\n`, undefined, [ke(1), "rejected", "duplicate"]],
  [
    "a spreadsheet that rounded",
    "list.csv",
    `phone,n\n2.54712E+11,a\n254712000000,b\n${ke(1)},c\n`,
    undefined,
    ["rejected", "rejected", ke(1)],
  ],
  [
    "a database that has no value",
    "dump.csv",
    `phone,name\nNULL,Ann\n#N/A,Bob\n${ke(1)},None\n`,
    undefined,
    ["rejected", "rejected", ke(1)],
  ],
  [
    "a filter",
    "list.xlsx",
    xlsxOf([{ rows: rowOf(1, "Phone") + rowOf(2, ke(1)) + rowOf(3, ke(2)).replace("<row", '<row hidden="1"') }]),
    undefined,
    [ke(1)],
  ],
  [
    "a family",
    "list.csv",
    "phone\n0712345001 (wife)\n0712345002 / 0712345003\n0712345004 ext 12\n",
    "KE",
    [ke(1), "rejected", "rejected"],
  ],
  ["digits that are missing", "list.csv", "phone\n+25471234500\n+2547123450011\n", undefined, ["rejected", "rejected"]],
  ["a sheet of Excel with sep=", "list.csv", 'sep=;\nphone;n\n="0712345001";1\n', "KE", [ke(1)]],
  [
    "titles above the header",
    "report.csv",
    `Customers,,\n,,\nName,Mobile No.,Due\nAnn,${ke(1)},3\n`,
    undefined,
    [ke(1)],
  ],
  ["UTF-16", "list.txt", Buffer.from(`\uFEFFphone\tname\n${ke(1)}\tAnn\n`, "utf16le"), undefined, [ke(1)]],
  [
    "tabs of a paste",
    "list.txt",
    `Ann\t${ke(1)}\nBob\t${ke(2)}\n`.replace(/^/, "name\tphone\n"),
    undefined,
    [ke(1), ke(2)],
  ],
  ["decimals", "list.csv", "phone,n\n712345001.0,a\n", "KE", [ke(1)]],
  ["two candidates and a to", "list.csv", `phone,to,mobile\n${ke(2)},${ke(1)},${ke(3)}\n`, undefined, [ke(1)]],
  ["Arabic headers", "list.csv", `الاسم,رقم الجوال\nعلي,${ke(1)}\n`, undefined, [ke(1)]],
];

it.each(files)("of %s exactly the right rows are kept", async (_, name, content, country, expected) => {
  expect(await usable(name, content, country)).toEqual(expected);
});
