import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type CleanOptions, cleanRows, Findings } from "../../src/recipients/clean.ts";
import { cleanWriter } from "../../src/recipients/clean-columns.ts";
import type { Country } from "../../src/message/number.ts";
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
  return parse(csv, { bom: true, relax_column_count: true });
}

it("changes only what leaves no doubt, and counts each kind of change", async () => {
  const cells: readonly (readonly [cell: string, outcome: string])[] = [
    ["+254712345001", "usable +254712345001"],
    ["0712 345-002", "usable +254712345002"],
    ["254712345003.0", "usable +254712345003"],
    ["0049 151 23456789", "usable +4915123456789"],
    ["'0712345004", "usable +254712345004"],
    ["tel:+254712345005", "usable +254712345005"],
    ["\u202A+254712345006\u202C", "usable +254712345006"],
    ["07123", "impossible"],
    ["2.54712E+11", "mangled"],
    ["0712345007 / 0712345008", "several"],
    ["n.a.", "not-a-number"],
    ["", "no-number"],
  ];

  const { findings, lines } = await clean(`to,name\n${cells.map(([cell]) => `${cell},x`).join("\n")}\n`);

  expect(lines).toEqual(cells.map(([, outcome], index) => `${index + 2} ${outcome}`));
  expect(findings.changes).toEqual({ country: 3, punctuation: 2, decimals: 1, prefixes: 1, marks: 3 });
});

const spellings: readonly (readonly [string, Country, string])[] = [
  ["00 44 7911 123456", "KE", "+447911123456"],
  ["011 44 7911 123456", "US", "+447911123456"],
  ["+44 07911 123456", "KE", "+447911123456"],
  ["+44 (0)7911 123456", "KE", "+447911123456"],
  ["+2540712345678", "UG", "+254712345678"],
  ["+52 1 55 1234 5678", "US", "+525512345678"],
  ["044 55 1234 5678", "MX", "+525512345678"],
  ["8 (912) 345-67-89", "RU", "+79123456789"],
  ["0712\u2013345\u2013678", "KE", "+254712345678"],
  ["\u0660\u0667\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668", "KE", "+254712345678"],
  ["\uFF0B254712345678", "UG", "+254712345678"],
  ["254,712,345,678", "KE", "+254712345678"],
  ["011 15 2345 6789", "AR", "+5491123456789"],
  ["011 96123 4567", "BR", "+5511961234567"],
  ["03211234567", "CO", "+573211234567"],
  ["02351234", "MH", "+6922351234"],
];

it.each(spellings)("takes %s in %s, which has one reading", async (text, country, e164) => {
  const { lines } = await clean(`to\n"${text}"\n`, { name: "list.csv", country });
  expect(lines).toEqual([`2 usable ${e164}`]);
});

it.each([
  ["254712000000", "KE", "mangled"],
  ["447911123456", "KE", "unclear"],
  ["2026-11-22", "KE", "not-a-number"],
  ["10:15", "KE", "not-a-number"],
  ["22.11.26", "DE", "not-a-number"],
  ["12345678", "KE", "unassigned"],
  ["71234567890123", "KE", "impossible"],
  ["+5511 8765-4321", "BR", "impossible"],
  ["0712 345 678/9", "KE", "several"],
  ["\u2460712345678", "KE", "other-text"],
] as const)("rejects %s in %s, which has none or several: %s", async (text, country, cause) => {
  const { lines } = await clean(`to\n"${text}"\n`, { name: "list.csv", country });
  expect(lines).toEqual([`2 ${cause}`]);
});

it.each([
  ["0712345678 (wife)", "usable +254712345678"],
  ["Tel: 0712345678", "usable +254712345678"],
  ["p:+254712345678", "usable +254712345678"],
  ["Simu nyumbani 0712345678", "usable +254712345678"],
  ["\u062C\u0648\u0627\u0644 0712345678", "usable +254712345678"],
  ["Fax 0712345678", "other-text"],
  ["0712345678 (Asha)", "other-text"],
  ["O712345678", "other-text"],
  ["0712345678x12", "other-text"],
  ["~~0712345678~~", "other-text"],
  ...Array.from("\u274C\u2715\u00D7\u2020\u2620\u{1F6AB}\u{1F6B7}\u{1F645}\u{1F44E}\u{1F534}").map((mark) => [
    `${mark}0712345678`,
    "other-text",
  ]),
  ["0712345678 \u260E", "usable +254712345678"],
  ["0712345678 (pager)", "other-text"],
])("reads %j of a column of numbers as %s", async (text, expected) => {
  expect((await clean(`to\n"${text}"\n`, { name: "list.csv" })).lines).toEqual([`2 ${expected}`]);
});

it("takes the only number of a line of a plain list, with the words beside it for a name unless they say no", async () => {
  const texts: readonly (readonly [line: string, outcome: string])[] = [
    ["Asha 0712345001", "+254712345001,1,Asha"],
    ["Juma: 0712345002", "+254712345002,2,Juma"],
    ["0712345003 (wife)", "+254712345003,3,"],
    ["TEL;CELL:+254712345004", "+254712345004,4,"],
    ["1. Baraka \u2013 0712345006", "+254712345006,5,Baraka"],
    ["2) Ann (mum) 0712345007", "+254712345007,6,Ann (mum)"],
    ["Bob 0712345004 do not text", "other-text"],
    ["0712345004 ext 12", "other-text"],
    ["2026-11-22", "not-a-number"],
    ["0712345005 / 0712345006", "several"],
  ];

  const { usable, lines, findings } = await clean(texts.map(([line]) => line).join("\n"), { name: "list.txt" });

  const [, ...records] = recordsOf(usable);
  expect([...records.map((record) => record.join()), ...lines.slice(6)]).toEqual([
    ...texts.slice(0, 6).map(([, record]) => record),
    ...texts.slice(6).map(([, cause], index) => `${index + 7} ${cause}`),
  ]);
  expect(findings.changes).toEqual({ country: 5, words: 2 });
});

const refusals = [
  "do not text, Don\u2019t call, DND, D.N.D., Stopped, STOPP, stops, removed, please remove me, UNSUB, unsubscribed, cancelled",
  "Canceled, declined, opted  out, opt-out, OPTOUT, no more, no  texting, passed away, deceased, late Mr. Otieno, R.I.P., QUIT",
  "opt me out, unsuscribe, DO-NOT-CALL, donotcall, revoked, suspended, withdrew consent, left the group, block",
  "wrong number, blacklisted, refused, invalid, unreachable, doesn't want it, out of service, Fax, old",
  "bitte löschen, gelöscht, Kündigung, verzogen, keinesfalls, supprimé, décès, n'envoyez plus, eliminado, quitar, excluído, óbito",
  "ameacha, hatumii tena, haipatikani, hayupo, amejitoa, nitoe, futa, namba mbaya, رقم خاطئ, مرفوض, удалён, 解約, 거부, rezygnacja",
  "keine SMS, falsche Nummer, abgemeldet, gesperrt, verstorben, ungültig, nein, nie wieder, Widerruf, tot, Abmeldung",
  "décédé, de\u0301ce\u0301de\u0301e, ARRÊT, désabonné, plus de SMS, ne plus appeler, refusé, faux numéro, pas de textos",
  "baja, BAJA, dado de baja, cancelado, ya no, no quiere, número equivocado, falleció, no molestar, rechazado, ALTO",
  "sair, SAIR, bloqueado, não enviar, falecida, número errado, recusou, descadastrar, sbagliato, non chiamare, overleden, niet",
  "alikataa, amekataa, hataki, hapendi, amefariki, usitumie, usitumilie, msimtumie, namba si yake, niondoe, hapana, marehemu",
  "توقف, لا ترسل, خطأ, خطا, إلغاء, متوفى, كفى رسائل",
  "умер, умерла, Не писать, СТОП, отписался, чужой номер",
  "退订, 不要, 拒絶, 已故, 停止, 配信停止, 수신거부, नहीं, बंद, ग़लत",
  "\u2020, \u2715, \u00D7, \u2620\uFE0F, \u{1F6B7}, \u{1F645}\u200D\u2640\uFE0F, \u{1F44E}\u{1F3FD}, \u26D4, jangan kirim, meninggal, istemiyor",
].flatMap((texts) => texts.split(", "));

it.each(refusals)("takes nobody of a paste who said %s, whatever stands around it", async (no) => {
  const list = [`Asha 0712345001 ${no}`, `0712345002 - ${no}`, `Dan (${no}): 0712345003`].join("\n");
  const { lines } = await clean(list, { name: "no.txt" });
  expect(lines.filter((line) => line.includes("usable"))).toEqual([]);
});

const people = [
  "Peter Löscher, Marie Stopes, Tom Stoppard, Noah, Sair Khan, Ana Baja, Baja Otieno, Joao Cancelo, Fabian Cancellara, Anna Falschlunger",
  "Markus Kündig, توفيق, Declan, Remo, Notburga, Diedrich, Deadra, Mary Smith née Jones, Neema Kondoa, Hatake",
  "Noel (wife), Nono, Oldham, Van 't Hoff, Niel, Mort Sahl, Morten Nie, Pare Juma, 고인수, मतीन, ममता, Удалов",
  "王小明, N'Golo, Refilwe, Alina Block, Donte, Faxon, Latera, Ripley, Tel No Mandela, Mobile no, Wangari, Salah, Gillian Cant, Resilience, Kataleya",
].flatMap((texts) => texts.split(", "));

it("keeps a person whose name only begins or looks like a word that says no", async () => {
  const list = people.map((name, index) => `${name} 07123450${index + 10} (sms)`).join("\n");
  const { lines } = await clean(list, { name: "people.txt" });
  expect(lines.filter((line) => !line.includes("usable"))).toEqual([]);
});

it.each([
  ["11/29/26, 2:06 PM - +254 733 123456: please remove me", "other-text"],
  ["11/29/26, 2:06\u202FPM - +254 733 123456: hello there", ""],
  ["[29/11/2026, 14:06:33] +254 733 123456: hello: there", ""],
  ["29/11/26, 2:06 p. m. - Asha Otieno: 0733 123456", "Asha Otieno"],
  ["29.11.26, 14:06 - Asha: my number is 0733 123456", "Asha"],
])("reads the line of a chat %j with the name %j", async (line, expected) => {
  const { usable, lines } = await clean(line, { name: "chat.txt" });
  const [, record] = recordsOf(usable);
  expect(record?.[2] ?? lines[0]?.slice(2)).toBe(expected);
});

it("suggests the number that is probably meant beside the reason, but nobody who said no", async () => {
  const cells: readonly (readonly [cell: string, reason: string, suggestion: string])[] = [
    ["0712345008 (Asha)", "other words stand beside it", "+254712345008"],
    ["0712345009 do not text", "other words stand beside it", ""],
    ["+551187654321", "it lacks the 9 of mobile numbers", "+5511987654321"],
    ["447911123456", "it has no + in front, if it is a number of United Kingdom", "+447911123456"],
    ["00 254 712 345 678 Asha", expect.any(String), ""],
    ["n.a.", "it has no digits; write it as +2547XXXXXXXX", ""],
  ];
  const content = `to,name\n${cells.map(([cell]) => `${cell},x`).join("\n")}\n`;

  const { rejected } = await clean(content, { name: "list.csv" });

  const suggestions = recordsOf(rejected).map(([, reason, suggestion]) => [reason, suggestion]);
  expect(suggestions).toEqual([["reason", "suggestion"], ...cells.map(([, ...row]) => row)]);
});

it.each([
  ["07123456", {}, ""],
  ["07123456", { keepUnassigned: true }, "+2547123456"],
  ["020 234 5678 (Asha)", {}, "+254202345678"],
  ["020 234 5678 (Asha)", { mobileOnly: true }, ""],
])("suggests no number that it would refuse itself: for %s with %j %j", async (text, more, suggestion) => {
  const { rejected } = await clean(`to\n${text}\n`, { name: "list.csv", ...more });

  const [, [, reason, shown] = []] = recordsOf(rejected);
  expect(shown).toBe(suggestion);
  expect(reason).not.toMatch(/write \+\d/);
});

it.each([
  ["0202345678", "KE", "landline"],
  ["0180 12345", "DE", "shared-cost number"],
] as const)("keeps %s in %s, a %s, unless only mobile numbers are wanted", async (text, country, what) => {
  const list = { name: "list.csv", country };

  const { findings } = await clean(`to\n${text}\n`, list);
  const { lines, rejected } = await clean(`to\n${text}\n`, { ...list, mobileOnly: true });

  expect(findings).toMatchObject({ usable: 1, noMobile: 1 });
  expect(lines).toEqual(["2 no-mobile"]);
  expect(rejected).toContain(`is a ${what}`);
});

it("keeps all rows of a number whose columns differ, and says how many", async () => {
  const content = "to,due\n0712345001,3\n0712345001,3\n0712345001,4\n0712 345 001,4\n";
  const { lines, findings } = await clean(content, { name: "list.csv" });
  expect(lines).toEqual(["2 usable", "3 duplicate", "4 usable", "5 duplicate"].map((line) => `${line} +254712345001`));
  expect(findings.sameNumber).toBe(1);
  const objects = '{"to":"0712345001","due":3}\n{"to":"0712 345 001","due":3}\n{"to":"0712345001","due":4}\n';
  expect((await clean(objects)).lines).toEqual(
    ["1 usable", "2 duplicate", "3 usable"].map((line) => `${line} +254712345001`),
  );
});

it("writes N/A and the like as no value, and rejects a row as it came", async () => {
  const { usable, rejected } = await clean("to,name\n0712345001,n/a\nx,NULL\n", { name: "list.csv" });
  expect(recordsOf(usable)[1]?.join()).toBe("+254712345001,2,");
  expect(recordsOf(rejected)[1]?.slice(3).join()).toBe("x,NULL");
});

it("renames columns that would be ours, and names columns that have values and no name", async () => {
  const list = `Phone,line,reason,,empty,to\n${["0712345001", "none"].map((to) => `${to},7,due,x,,y`).join("\n")}\n`;

  const { usable, rejected } = await clean(`Sheet\n${list}`, { toColumn: "Phone" });

  const others = "line (source),reason";
  expect(recordsOf(usable).map((record) => record.join())).toEqual([
    `to,line,${others},column 4,empty,to (source)`,
    "+254712345001,3,7,due,x,,y",
  ]);
  expect(recordsOf(rejected)[0]?.join()).toBe(`line,reason,suggestion,Phone,${others} (source),column 4,empty,to`);
});

it("reads the rows that it rejected again once they are corrected, without what guards them in a spreadsheet", async () => {
  const first = await clean("name,Phone\n=Eve,0712345001\n-Bob,07\nAnn,n.a.\n", { name: "list.csv" });
  expect(first.usable).toBe(`\uFEFF"to","line","name"\n"+254712345001","2","'=Eve"\n`);
  const corrected = first.rejected.replace('"07"', '" 0712 345 002 "');
  expect(corrected).not.toBe(first.rejected);
  const second = await clean(corrected, { name: "list-rejected.csv" });
  expect(second.lines).toEqual(["2 usable +254712345002", "3 not-a-number"]);
  expect(second.usable).toContain(`"'-Bob"`);
});

it("writes no reason of the first cleaning again, but what stands in its columns if they have the numbers", async () => {
  const { rejected } = await clean('name,Phone,line\nBob,07,x\nAnn,n.a.,y\n"Eve" x,1,z\n', { name: "list.csv" });

  const again = await clean(rejected.replace('"07"', '"0712345002"'));
  const chosen = await clean(rejected.replace('"2",', '"0712345002",'), { toColumn: "line" });

  expect(recordsOf(again.usable).map(String)).toEqual(["to,line,name,line (source)", "+254712345002,2,Bob,x"]);
  const [header, ...rows] = recordsOf(again.rejected).map(String);
  expect(header).toBe("line,reason,suggestion,name,Phone,line (source)");
  expect(rows).toEqual([expect.stringMatching(/^3,it has no digits.*,Ann,n\.a\.,y$/), expect.stringContaining("Eve")]);
  expect(recordsOf(chosen.usable)[0]).toContain("reason");
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
const sheetOf = (rows: Rows) => rows.map((row, index) => rowOf(index + 2, escape(row.to), row.name, "1")).join("");
const formats: Readonly<Record<string, (rows: Rows) => string | Buffer>> = {
  "list.csv": (rows) => ["to,name,n", ...rows.map(({ to, name }) => `${quote(to)},${quote(name)},1`)].join("\n"),
  "list.ndjson": (rows) => rows.map((row) => JSON.stringify({ ...row, to: row.to.trim() })).join("\n"),
  "list.txt": (rows) => rows.map(({ to }) => (to.trim() === "" ? "none" : to)).join("\n"),
  "list.xlsx": (rows) => xlsxOf([{ rows: rowOf(1, "to", "name", "n") + sheetOf(rows) }]),
};

it.each(Object.keys(formats))(
  "loses no row of %s, whatever is in it, nor when it cleans what it rejected",
  async (name) => {
    await fc.assert(
      fc.asyncProperty(list, async (rows) => {
        const cleaned = await clean(formats[name]?.(rows) ?? "", { name });
        const { findings } = cleaned;
        expect(findings.rows).toBe(rows.length);
        expect(findings.rows).toBe(findings.usable + findings.duplicates + findings.rejected);
        expect(recordsOf(cleaned.usable).slice(1)).toHaveLength(findings.usable);
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

const contact = [
  "BEGIN:VCARD\nN:Otieno;Ann;;;\nORG:ACME;",
  "item1.TEL;waid=254712345001:+254 712 345001\nTEL;type=CELL;type=pref:+254712345002\nEND:VCARD\n",
];
const german = "Name;Telefon\nJörg;0171/1234567\nUte;+49 (0)160 1000000\n";
const identified = '{"id":25471234567812345678,"mobile":true,"phone":"+254712345001"}\n';
const nested = '{"phone":"+254712345001","address":{"city":"Nairobi"}}\n{"msisdn":"+254712345002","tags":["a"]}\n';
const hidden = rowOf(3, "+254712345002").replace("<row", '<row hidden="1"');
const filtered = xlsxOf([{ rows: rowOf(1, "Phone") + rowOf(2, "+254712345001") + hidden }]);

it.each([
  ["bars with an empty row of dashes", "list.csv", "phone|name\n+254712345001|A\n-|-\n", undefined, "01 no"],
  ["a German spreadsheet", "kunden.csv", german, "DE", "+491711234567 +491601000000"],
  ["contacts of a phone", "a.txt", "TEL;CELL:+254712345001\nTEL;TYPE=WORK:+254712345002\n", undefined, "01 02"],
  ["a chat", "a.txt", "Asha 0712345001\nJuma: 0712 345 002\nat 10:15\n2026-11-22\n", "KE", "01 02 no no"],
  ["a contact of WhatsApp", "Ann.vcf", contact.join("\n"), undefined, "02"],
  ["an API with long identifiers and flags", "users.ndjson", identified, undefined, "01"],
  ["an answer of an API", "users.ndjson", nested, undefined, "01 02"],
  ["a filter", "list.xlsx", filtered, undefined, "01"],
] as const)("of %s, exactly the right rows are kept", async (_, name, content, country, rows) => {
  const { lines } = await clean(content, { name, country });
  const short = lines.map((line) => line.replace(/^\d+ (usable (\+2547123450)?)?/, "").replace("not-a-number", "no"));
  expect(short.join(" ")).toBe(rows);
});

it.each([
  ["psql", ` id |     phone     | name\n----+---------------+------\n  1 | +254712345001 | Ann\n(1 row)\n`],
  ["Markdown", `| Name | Phone |\n|------|:-----:|\n| Ann | +254712345001 |\n`],
])("a table that %s drew is refused, and the way to export it is named", async (_, content) => {
  const hint = expect.stringContaining("`psql --csv` or `mysql --batch`");
  await expect(clean(content, { name: "list.txt" })).rejects.toThrow(expect.objectContaining({ hint }));
});
