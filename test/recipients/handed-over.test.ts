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
  for await (const row of cleanRows({ name, chunks }, { country }, findings))
    found.push(row.kind === "usable" ? row.to : row.kind);
  return found;
}

const ke = (last: number) => `+2547123450${String(last).padStart(2, "0")}`;

/** Files as teams hand them over, and what is to be kept of each, row by row. */
const files: readonly (readonly [string, string, string | Buffer, "DE" | "KE" | undefined, readonly string[]])[] = [
  [
    "bars with an empty row of dashes",
    "list.csv",
    `phone|name\n${ke(1)}|A|\n-|-\n`.replace("A|", "A"),
    undefined,
    [ke(1), "rejected"],
  ],
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
    "an export of WhatsApp",
    "chat.txt",
    "22/11/2026, 10:15 - Messages are encrypted.\n22/11/2026, 10:16 - Asha: 0712345001\n[22.11.26, 10:17:03] Juma: my number is +254 712 345 002\n2026-11-22 at 10 call 0712345003 or 0712345004\n",
    "KE",
    ["rejected", ke(1), ke(2), "rejected"],
  ],
  [
    "contacts of WhatsApp",
    "Ann.vcf",
    "BEGIN:VCARD\nN:Otieno;Ann;;;\nORG:ACME;\nitem1.TEL;waid=254712345001:+254 712 345001\nTEL;type=CELL;type=pref:+254712345002\nEND:VCARD\n",
    undefined,
    ["rejected", "rejected", "rejected", ke(1), ke(2), "rejected"],
  ],
  [
    "what grep found in contacts",
    "standard input",
    "TEL;CELL:+254712345001\nTEL;WORK:+254712345002\n",
    undefined,
    [ke(1), ke(2)],
  ],
  [
    "an API with long identifiers and flags",
    "users.ndjson",
    `{"id":25471234567812345678,"mobile":true,"phone":"${ke(1)}"}\n`,
    undefined,
    [ke(1)],
  ],
  [
    "an answer of an API",
    "users.ndjson",
    `{"phone":"${ke(1)}","address":{"city":"Nairobi"}}\n{"msisdn":"${ke(2)}","tags":["a"]}\n`,
    undefined,
    [ke(1), ke(2)],
  ],
  [
    "a filter",
    "list.xlsx",
    xlsxOf([{ rows: rowOf(1, "Phone") + rowOf(2, ke(1)) + rowOf(3, ke(2)).replace("<row", '<row hidden="1"') }]),
    undefined,
    [ke(1)],
  ],
  [
    "tabs of a paste",
    "list.txt",
    `Ann\t${ke(1)}\nBob\t${ke(2)}\n`.replace(/^/, "name\tphone\n"),
    undefined,
    [ke(1), ke(2)],
  ],
  ["Arabic headers", "list.csv", `الاسم,رقم الجوال\nعلي,${ke(1)}\n`, undefined, [ke(1)]],
];

it.each(files)("of %s exactly the right rows are kept", async (_, name, content, country, expected) => {
  expect(await usable(name, content, country)).toEqual(expected);
});

it.each([
  ["psql", ` id |     phone     | name\n----+---------------+------\n  1 | ${ke(1)} | Ann\n(1 row)\n`],
  ["psql with lines of Unicode", ` name │     phone\n──────┼───────────────\n Ann  │ ${ke(1)}\n`],
  ["Markdown", `| Name | Phone |\n|------|:-----:|\n| Ann | ${ke(1)} |\n`],
  ["mysql", `+-----+---------------+\n| who | phone         |\n+-----+---------------+\n| Ann | ${ke(1)} |\n`],
  ["kubectl", `NAME         PHONE           AGE\nann          ${ke(1)}   5d\n`],
  ["sqlite in columns", `name  phone        \n----  -------------\nAnn   ${ke(1)}\n`],
])("a table that %s drew is refused, and the way to export it is named", async (_, content) => {
  const hint = expect.stringContaining("`psql --csv` or `mysql --batch`");
  await expect(usable("list.txt", content, undefined)).rejects.toThrow(expect.objectContaining({ hint }));
});
