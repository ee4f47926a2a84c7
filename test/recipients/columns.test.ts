import { describe, expect, it, test } from "vitest";
import { isNumberHeader } from "../../src/recipients/header-words.ts";
import { ListFacts } from "../../src/recipients/source.ts";
import { outline, read } from "./reading.ts";

test("a header that means the number is known in many languages, whatever its case and punctuation", () => {
  const known =
    "to|PHONE|Phone Number|phone_no|PhoneNumber|Mobile No.|Tel|Tel.|Cell #|WhatsApp|Contact Number|MSISDN|Phone 1|" +
    "Mobile (with country code)|Customer Phone|Cell-phone|Téléphone|N° de téléphone|Portable|Teléfono|Móvil|Celular|" +
    "Número de teléfono|Nº de móvil|Telemóvel|Telefone|Handynummer|Telefon-Nr.|Mobil|Rufnummer|رقم الهاتف|الجوال|رقم الموبايل|\u200Fرقم الجوال\u200F|" +
    "Simu|Namba ya simu|Nambari ya simu ya mkononi|Guardian phone|Parent's mobile no.|Client Tel|Celular del padre|" +
    "guardianphone|MotherPhone|Phone number with country code|मोबाइल|मोबाइल नंबर|मोबाईल क्र.|ফোন নম্বর|கைபேசி எண்|" +
    "Номер телефона|Моб. тел.|Cep telefonu|No. HP|Nomor telepon|SĐT|Điện thoại di động|联系电话|手机号码|電話番号|携帯|" +
    "휴대폰 번호|เบอร์โทรศัพท์|Telefoonnummer|Mobiltelefon Mutter|Telefon komórkowy|Τηλέφωνο|טלפון נייד|ስልክ ቁጥር|" +
    "Msisdn|To number|Nambari|Puhelin|Telefonsz\u00e1m|Mpesa No|WA Number|" +
    "Selfoon|Order phone|Numéro de portable|Cellulare|شماره موبایل|تلفن همراه|موبائل نمبر|Telefone celular|Taleefan";
  const others =
    "Name|Customer No|Customer Number|Invoice Number|Account|Total|Hotel|No.|Phone type||Notes|Kunde|Kundennummer|" +
    "Rechnungsnummer|Contact|Cancelled|Mobile money|Date|Stock|Phone model|Phone country code|Fax|Telefax|Mobile OS|" +
    "Customer ID|Kontonummer|Num\u00e9ro de compte|Nambari ya akaunti|Nambari ya kitambulisho|Tarehe|Pager|Fax number|" +
    "Phone verified status|Contact name|CEP|Contact e-mail|Phone owner|Headquarters|Microscope|Amount|رقم الحساب|账号";
  expect(known.split("|").filter((name) => !isNumberHeader(name))).toEqual([]);
  expect(others.split("|").filter(isNumberHeader)).toEqual([]);
});

const numbers = "+254712345678,+254712345670,+254712345699".split(",");
const rowsOf = (row: (to: string, index: number) => string) => numbers.map(row).join("\n");
const two = (first: string, second: string) => `list.csv has two columns of numbers: "${first}" and "${second}"`;
const headless = (number: string) => `list.csv has no header: its first line has the number "${number}"`;

describe("the column of numbers", () => {
  it.each([
    ["the one of which nearly all cells are numbers", "Who,Reach\nA,+254712345678\nB,\nC,+254712345679\n", "Reach"],
    [
      "not one of other numbers",
      `Invoice,Reach,Day\n${rowsOf((to, index) => `20260000${index},${to},2026-11-2${index}`)}\n`,
      "Reach",
    ],
    ["named, though a row has such a word", "Name,Reach,Kind\nA,+254712345678,Mobile\nB,+254712345679,Home\n", "Reach"],
    ["that of a guardian", "Account,Guardian phone\n0712345670,\n0712345671,x\n0712345673,\n", "Guardian phone"],
    ["a contact with numbers", "Name,Contact,Ref\nA,0712345678,0712345670\nB,n/a,0712345671\n", "Contact"],
    ["named to, though a row is wider", "to,Name\n0712345678,Jo,Kim,Lee,5\n0712345679,Al\n", "to"],
  ])("is %s", async (_, content, name) => {
    const facts = new ListFacts();

    await read(content, { name: "list.csv", country: "KE", facts });

    expect(facts.columns?.name).toBe(name);
  });

  it("are several where they are named, and a row has the first that has a number", async () => {
    const content = "Name,Mobile,Phone\nA,0712345001,0712345002\nB,,0712345003\nC,none,0712345004\nD,,\n";
    const objects = '{"a":"none","b":"0712345001"}\n{"a":"0712345002","b":"0712345003"}\n';

    const rows = await outline(content, { name: "list.csv", toColumn: "mobile,Phone" });

    expect(rows).toEqual(["2 0712345001", "3 0712345003", "4 0712345004", "5 "]);
    expect(await outline(content, { name: "list.csv", toColumn: "Phone,Mobile" })).toContain("2 0712345002");
    expect(await outline(objects, { name: "list.ndjson", toColumn: "a,b" })).toEqual(["1 0712345001", "2 0712345002"]);
    expect(await outline('"a,b",a\n0712345001,x\n', { toColumn: "a,b" })).toEqual(["2 0712345001"]);
    const repeated = "Tel,Tel\n,0712345001\n";
    expect(await outline(repeated, { toColumn: "Tel,Tel" })).toEqual(["2 0712345001"]);
    const hint = expect.stringMatching(/^rename one of them; --to-column Tel,Tel takes the first/);
    await expect(outline(repeated, { toColumn: "Tel" })).rejects.toMatchObject({ hint });
    await expect(outline(content, { toColumn: "Mobile,Fone" })).rejects.toThrow("list has no column named");
  });

  const runs = "no header says so, such as to or phone, and a column of numbers goes up by one from row to row";
  it.each([
    ["two columns", `A,B\n${rowsOf((to) => `${to},${to}`)}`, two("A", "B")],
    [
      "invoices that are landlines",
      "Name,Reach,Rechnung\nJo,0171 2345678,20260001\nAl,n/a,20260102\nBo,0171 2345679,20260303\n",
      "list.csv has no column of numbers",
    ],
    ["a second column of which many are", "A,B\n+4915112345678,+4915112345670\n+4915112345679,n/a\n", two("A", "B")],
    ["running numbers", "Id,Name\n015112345678,A\n015112345679,B\n015112345680,C\n", runs],
    [
      "a first row with two numbers",
      "Jane,0712345678 / 0733111222\nJo,015112345679\nAl,015112345680\n",
      headless("0712345678 / 0733111222"),
    ],
  ])("is refused for %s", async (_, content, message) => {
    await expect(read(content, { name: "list.csv", country: "DE" })).rejects.toThrow(message);
  });

  it("is found beyond the first rows, which say nothing", async () => {
    const content = `Name,Reach\n${"A,\n".repeat(30)}${"B,+254712345678\n".repeat(60)}`;
    expect(await outline(content, { name: "list.csv" })).toHaveLength(90);
  });
});

test("what is passed over is said", async () => {
  const facts = new ListFacts();
  const content =
    'sep=;\r\nKunden;;\r\n;;\r\nName;Telefon;\r\nJo; ="0712345678" ;\r\n Flo;"=""0712345679""";\r\nAl;\u00A00712 345 680 ;;\r\n';
  const rows = await read(content, { name: "list.csv", facts });
  expect(rows.map((row) => [row.line, row.kind === "row" && row.fields])).toEqual([
    [5, { name: "Jo", telefon: "0712345678" }],
    [6, { name: "Flo", telefon: "0712345679" }],
    [7, { name: "Al", telefon: "0712 345 680" }],
  ]);
  expect(facts).toMatchObject({
    columns: { name: "Telefon", by: "name" },
    formulaTexts: 2,
    passed: ["the line sep=;", 'a line above the header: "Kunden"', "column 3, empty and without a name"],
  });
});

test.each(["|", "\\", "]", "^", "\t"])("sep=%s separates the cells", async (mark) => {
  const content = `sep=${mark}\nName${mark}Phone\nJo${mark}="0712345678"\n`;
  expect(await outline(content, { name: "list.csv" })).toEqual(["3 0712345678"]);
});
