import { rowOf, xlsxOf, zipOf } from "./workbooks.ts";

/** A list that was misread becomes a row here. */
export interface ListCase {
  readonly what: string;
  readonly name?: string;
  readonly content: string | Buffer;
  readonly toColumn?: string;
  /** The lines of the numbers and how they end; all begin with +2547123450. */
  readonly numbers?: string;
  /** A send refuses words beside a number. */
  readonly isPaste?: true;
  /** What is said instead, or with them. */
  readonly says?: string;
  /** What is said where the list holds people back, which may refuse it. */
  readonly heldSays?: string;
}

const [a, b, c] = ["+254712345001", "+254712345002", "+254712345003"] as const;
const people = `Name,Phone\nAnn,${a}\nBob,${b}\n`;
const numbers = "2:01 3:02";
const outlook =
  "First Name,Business Fax,Business Phone,Home Phone,Mobile Phone,Pager,Assistant's Phone\n" +
  `Ann,${c},,,${a},${c},${c}\nBob,${c},,,${b},,${c}\n`;
const google =
  "First Name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value\n" +
  `Ann,Mobile,${a},Work Fax,${c}\nBob,Home Fax,${c},Mobile,${b}\nCho,Pager,${c},,\n`;

export const lists: readonly ListCase[] = [
  { what: "a plain table", content: people, numbers },
  // The header.
  {
    what: "a letterhead with a phone",
    content: `Springfield School,Tel 020 2345678\n,\n${people}`,
    numbers: "4:01 5:02",
  },
  { what: "a letterhead with a phone of its own cell", content: `Tel:,0202345678\n${people}`, numbers: "3:01 4:02" },
  { what: "a title that names phones", content: `Phone list 2026,\n${people}`, numbers: "3:01 4:02" },
  { what: "a till number", content: `Paybill 4012345,\nAccount 12,\n${people}`, numbers: "4:01 5:02" },
  { what: "a date above", content: `Printed,28.11.2026\n${people}`, numbers: "3:01 4:02" },
  { what: "a header of one name", content: `Phone\n${a}\n${b}\n`, numbers },
  { what: "a header of one name in a text", name: "list.txt", content: `Mobile No.\n${a}\n${b}\n`, numbers },
  {
    what: "a row with a comma too many",
    content: `Name,Phone\nAnn,${a}\nBob, jr,${b}\nCho,${c}\n`,
    numbers: "2:01 4:03",
  },
  { what: "a sparse column under a name", content: `Name,Phone\n${"x,\n".repeat(1200)}Ann,${a}\n`, numbers: "1202:01" },
  {
    what: "two tables side by side",
    content: `Name,Phone,,Name,Phone\nAnn,${a},,Bob,${b}\n`,
    says: "two tables side by side",
  },
  { what: "names in two lines and NBSP", content: `Name,"Phone\nNumber"\nAnn,${a}\n`, numbers: "3:01" },
  { what: "somebody above the header", content: `${c}\n${people}`, says: `has the number "${c}"` },
  {
    what: "days for names",
    content: `Name,Phone,28.11.2026,2025-2026,Balance at 30112026\nAnn,${a},x,y,z\nBob,${b},x,y,z\n`,
    numbers,
  },
  { what: "no header, and a word beside a number", content: `Ann,Tel ${a}\nBob,Tel ${b}\n`, says: "has no header" },
  { what: "no header", content: `Ann,${a}\nBob,${b}\n`, says: "such as name,to" },
  { what: "no header, the number first", content: `${a},Ann,x\n${b},Bob,y\n`, says: "such as to,name,column3" },
  { what: "a header that names nothing", content: `Who,Reach\nAnn,${a}\nBob,${b}\n`, numbers },
  {
    what: "a title above a header that names nothing",
    content: `June,,\nWho,Reach,x\nAnn,${a},1\nBob,${b},2\n`,
    numbers: "3:01 4:02",
  },
  {
    what: "a header over two columns",
    name: "a.xlsx",
    content: xlsxOf([{ rows: rowOf(1, "Name", "Phone", "") + rowOf(2, "Ann", a, b), merged: ["B1:C1"] }]),
    numbers: "2:01",
    says: 'passed over: column "column 3", which has numbers too',
    heldSays: '"column 3", which has numbers too',
  },
  {
    what: "a header over two columns of text",
    content: `Name;Phone;\nAnn;${a};${c}\nBob;${b};\n`,
    numbers,
    says: 'passed over: column "column 3", which has numbers too',
    heldSays: '"column 3", which has numbers too',
  },
  ...["Next of kin", "Guardian", "Alternative"].map((header) => ({
    what: `a column ${header} beside a phone`,
    content: `Name,Phone,${header},Member\nAnn,${a},${c},30112233\nBob,${b},,30112234\nCho,+254712345004,,30112236\n`,
    numbers: "2:01 3:02 4:04",
    heldSays: `passed over: column "${header}", which has numbers too`,
  })),
  // The column.
  {
    what: "NDJSON with contacts",
    name: "a.ndjson",
    content: `{"name":"Ann","contact":"${a}"}\n{"contact":"Bob","Emergency contact":"${b}"}\n{"contact":"${a}","phone":"${c}"}\n`,
    numbers: "1:01 2:02",
    says: "may have its number: choose with --to-column",
  },
  ...["Recipient", "Destination", "Owner's cell", "Contact phone"].map((header) => ({
    what: `a column ${header}`,
    content: `Ref,${header},Code\n${c},${a},${c}\n${c},${b},${c}\n`,
    numbers,
  })),
  { what: "a guardian in Swahili", content: `Mlezi wa mtoto,Simu\n${c},${a}\n${c},${b}\n`, numbers },
  ...["Account", "Work fax", "Assistant's Phone", "Order No"].map((header) => ({
    what: `a column ${header} only`,
    content: `Name,${header}\nAnn,${a}\nBob,${b}\n`,
    says: "has no column of numbers",
  })),
  { what: "a fax that is chosen", content: `Name,Fax\nAnn,${a}\n`, toColumn: "Fax", numbers: "2:01" },
  { what: "contacts of Outlook", content: outlook, numbers },
  {
    what: "contacts of Outlook with offices",
    content: outlook.replace("Ann,", `Cho,,${c},,${b},,\nAnn,`),
    says: 'two columns of numbers: "Mobile Phone" and "Business Phone"',
  },
  { what: "contacts of Google", content: google, says: "--to-column 'Phone 1 - Value,Phone 2 - Value'" },
  { what: "contacts of Google, both", content: google, toColumn: "Phone 1 - Value,Phone 2 - Value", numbers },
  { what: "a nameless column", content: `Name,\nAnn,${a}\nBob,${b}\n`, numbers },
  {
    what: "two numbers of Google",
    content: `Name,Phone\nAnn,${a} ::: ${b}\nBob,${c}\n`,
    numbers: "3:03",
    says: "2 numbers",
  },
  ...["oder", "ou", "/", "au", "o", "und", "et", "y", "na", "e"].map((word) => ({
    what: `two numbers with ${word}`,
    content: `Name,Phone\nAnn,0712345001 ${word} 0712345002\nBob,${c}\n`,
    numbers: "3:03",
    says: "2 numbers",
  })),
  {
    what: "two numbers of parents",
    content: `Name,Phone\nAnn,"(father) 0712345001, (mother) 0712345002"\nBob,${c}\n`,
    numbers: "3:03",
    says: "2 numbers",
  },
  {
    what: "an export of a till",
    content: `Receipt,Completion Time,Other Party\nS1,28-11-2026 10:00:00,${a.slice(1)} - ANN\n`,
    says: "--to-column 'Other Party'",
  },
  {
    what: "recipients beside phones",
    content: `Phone,Recipient\n${c},${a}\n`,
    says: 'numbers: "Phone" and "Recipient"',
  },
  {
    what: "landlines beside contacts",
    content: `Telephone,Contact\n020 2345678,${a}\n`,
    says: '"Telephone" and "Contact"',
  },
  { what: "a contact who is a person", content: `Phone,Contact\n${a},Ann 12345678\n${b},Bob\n`, numbers },
  { what: "an ID before a telephone or fax", content: `ID No,Tel/Fax\n712345001,${a}\n`, says: "--to-column Tel/Fax" },
  { what: "a date before a reference", content: `Appointment,ref\n20261201,${a}\n`, says: "--to-column ref" },
  {
    what: "names and phones in one column",
    content: `ID No,Name & Phone\n712345001,Ann ${a}\n`,
    says: "'Name & Phone'",
  },
  {
    what: "a letterhead that is a table",
    content: `School,Phone\nHope Academy,${c}\n\nPupil,Parent phone\nAnn,${a}\nBob,${b}\n`,
    numbers: "5:01 6:02",
    says: "School",
  },
  {
    what: "a title that speaks of phones, above a header that does not",
    content: `Phone list 2026,,\nName,To be used,Class\nAnn,${a},10234567\nBob,${b},10234568\n`,
    numbers: "3:01 4:02",
    says: "Phone list 2026",
  },
  {
    what: "a statement below a letterhead with labels",
    content:
      `Organization Account Statement\nAccount Holder:,WATER PROJECT\nOperator:,${c}\n\n` +
      `Receipt No.,Completion Time,Details,Other Party Info\n` +
      `SKQ1,27-11-2026 10:00:00,Pay Bill,${a.slice(1)} - ANN\nSKQ2,27-11-2026 10:01:00,Pay Bill,${b.slice(1)} - BOB\n`,
    says: "--to-column 'Other Party Info'",
  },
  {
    what: "rows without a header, and counted",
    content: `1;Ann;${a}\n2;Bob;${b}\n`,
    says: "column1;name;to",
  },
  {
    what: "a no before the number",
    name: "a.txt",
    content: `Mia NO ${a}\nBob Tel no ${b}\n`,
    isPaste: true,
    numbers: "2:02",
  },
  { what: "a cross and a doubt", content: `Phone\nx 0712345001\n0712345001?\n${b}\n`, numbers: "4:02" },
  {
    what: "counts without a blank",
    name: "a.txt",
    content: `1.Ann ${a}\n2.Bob 0712345002\n`,
    isPaste: true,
    numbers: "1:01 2:02",
  },
  { what: "a first row without a value", content: `Ann;n/a\nBob;${b}\n`, says: 'its first line has the value "n/a"' },
  { what: "columns of phones that are empty", content: "Home Phone,Mobile,Name\n,,Ann\n,,Bob\n", says: "no number" },
  {
    what: "two tables behind an empty column",
    content: `,Name,Phone,,Name,Phone\n,Ann,${a},,Bob,${b}\n`,
    says: 'each with "Name", "Phone"',
  },
  // Columns that the sheet hides.
  ...[
    ["Contact", "Phone", 'two columns of numbers: "Contact" and "Phone"'],
    ["Phone", "to", 'two columns of numbers: "Phone" and "to"'],
    ["Phone", "Mobile", 'two columns of numbers: "Mobile" and "Phone"'],
    ["Nr.", "Old phone", 'two columns of numbers: "Nr." and "Old phone"'],
    ["to", "Phone"],
  ].map(([seen = "", hidden = "", heldSays]) => ({
    what: `a column ${seen} beside a hidden one ${hidden}`,
    name: "a.xlsx",
    content: xlsxOf([
      {
        rows: rowOf(1, "Name", seen, hidden) + rowOf(2, "Ann", a, c) + rowOf(3, "Bob", b, ""),
        columns: '<col min="3" max="3" hidden="1"/>',
      },
    ]),
    numbers,
    heldSays,
  })),
  // Pastes.
  {
    what: "a paste of two numbers in a line",
    name: "a.txt",
    content: `1. Joe 0712345001 / 0712345002\n${c}\n`,
    numbers: "2:03",
    says: "2 numbers",
  },
  {
    what: "a numbered paste",
    name: "a.txt",
    content: `1. Asha \u2013 0712345001\n2) Baraka: 0712 345 002\n`,
    numbers: "1:01 2:02",
    isPaste: true,
  },
  {
    what: "a paste of counted numbers",
    name: "a.txt",
    content: "1. 0712345001\n2) 0712 345 002\n",
    numbers: "1:01 2:02",
    isPaste: true,
  },
  {
    what: "a paste of people",
    name: "a.txt",
    content: `Asha ${a}\nBob (wife) 0712345002\n`,
    numbers: "1:01 2:02",
    isPaste: true,
  },
  {
    what: "a paste with a word that says no",
    name: "a.txt",
    content: `Asha ${a}\nBob 0712345002 do not text\n`,
    numbers: "1:01",
    isPaste: true,
    says: "other words",
  },
  { what: "a numbered paste of a table", content: `Name,Phone\nAnn,${a}\nTotal,2\n`, numbers: "2:01", says: "total" },
  {
    what: "a row that is commented out",
    content: `Name,Phone\nAnn,${a}\nBob,#${b}\n`,
    numbers: "2:01",
    says: "behind a #: line 3",
  },
  // Cells.
  { what: "a rounded number", content: `${people}Cho,254713000000\n`, numbers, says: "look it up" },
  { what: "a number of a narrow column", content: `${people}Cho,2.54713E+11\n`, numbers, says: "look it up" },
  { what: "UTF-16", content: Buffer.from(`\uFEFF${people}`, "utf16le"), numbers, says: "the text is UTF-16" },
  // Contacts of phones.
  {
    what: "a vCard 2.1 with quoted-printable",
    name: "a.vcf",
    content: cardOf(
      "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCl=\nler;J=C3=BCrgen;;;",
      `TEL;CELL:${a}`,
      `TEL;WORK;FAX:${c}`,
    ),
    numbers: "4:01",
  },
  {
    what: "a vCard 3.0 with folded lines and groups",
    name: "contacts",
    content: cardOf(
      "FN:Ann\\, Otieno",
      "TEL;TYPE=WORK:0202345678",
      `item1.TEL;type=pref:${a.slice(0, 7)}\n ${a.slice(7)}`,
      "item1.X-ABLabel:_$!<Mobile>!$_",
    ),
    numbers: "4:01",
  },
  {
    what: "a vCard 4.0",
    name: "a.txt",
    content: cardOf("FN:Ann", `TEL;VALUE=uri;TYPE="cell,voice":tel:${a}`),
    numbers: "3:01",
  },
  {
    what: "a card of two mobiles",
    content: cardOf("FN:Ann", `TEL;CELL;PREF:${a}`, `TEL;CELL:${b}`),
    says: "2 numbers",
  },
  {
    what: "a card of one mobile written twice",
    content: cardOf("FN:Ann", `TEL;CELL:${a}`, "TEL;CELL:0712 345 001"),
    numbers: "3:01",
  },
  {
    what: "a card whose mobile cannot be read",
    content: cardOf("FN:Ann", `TEL;WORK:${a}`, "TEL;CELL:12"),
    says: "short",
  },
  {
    what: "a card of a fax",
    content: cardOf("FN:Ann", `TEL;TYPE=CELL,FAX:${a}`, `i.TEL:${b}`, "i.X-ABLabel:HomeFAX"),
    says: "no number",
  },
  {
    what: "a card without an end",
    content: `BEGIN:VCARD\nTEL:${c}\n${cardOf("FN:Ann", `TEL:${a}`)}`,
    numbers: "5:01",
    says: "END:VCARD",
  },
  // What offices export.
  {
    what: "a statement of M-Pesa",
    content:
      `M-PESA STATEMENT,,\nCustomer Name,JANE DOE,\nMobile Number,${c},\nStatement Period,1 Nov 2026 - 28 Nov 2026,\n,,\n` +
      `Receipt No.,Completion Time,Details\nSKA1,2026-11-28 10:00,Transfer to ${a} - ANN\nSKA2,2026-11-28 11:00,Pay Bill 4012345\n`,
    says: "no column of numbers",
  },
  {
    what: "accounts of a bank",
    content: `CUSTOMER LIST AS AT 30/11/2026\n\nAccount Number,Branch Code,Customer,Mobile No,Balance\n01109876543200,011,Ann,${a},"1,200.00"\n01109876543201,011,Bob,0712 345 002,50\nTOTAL,,,,"1,250.00"\n`,
    numbers: "4:01 5:02",
    says: "total",
  },
  {
    what: "parents of a school, below merged cells",
    name: "a.xlsx",
    content: xlsxOf([
      {
        rows:
          rowOf(1, "Fees, term 3", "", "", "", "", "") +
          rowOf(2, "Adm", "Student", "Parent 1", "", "Parent 2", "") +
          rowOf(3, "", "", "Name", "Phone", "Name", "Phone") +
          rowOf(4, "10234567", "Zed", "Ann", a, "Bob", b),
        merged: ["A1:F1", "A2:A3", "C2:D2", "E2:F2"],
      },
    ]),
    says: "two columns of numbers",
  },
  {
    what: "members of a SACCO",
    content: `S/No;Member No;ID No;Name;Cell Phone;Shares\n1;30112233;30112233;Ann;712345001;10\n2;30112234;30112234;Bob;254712345002;20\n;;;;;\n;;;Grand Total;;30\n`,
    numbers: "2:01 3:02",
    says: "total",
  },
  {
    what: "members of a church, with notes",
    name: "a.xlsx",
    content: xlsxOf([
      { name: "Help", rows: rowOf(1, "Questions?", "Call the office") + rowOf(2, "Office", c) },
      {
        name: "Members",
        rows:
          rowOf(1, "Name", "Contact", "Notes") +
          rowOf(2, "Ann", a, `old number ${c}`) +
          rowOf(3, "Bob", "0712\u00a0345\u00a0002", "12345678"),
      },
    ]),
    says: "numbers in several sheets",
  },
  {
    what: "patients of a clinic",
    content: `Patient ID,DOB,Name,Phone,Next of kin,Next of kin phone\n20260001,01/02/1980,Ann,${a},Zed,${c}\n`,
    says: '"Phone" and "Next of kin phone"',
  },
  {
    what: "contacts of a CRM",
    content: `Contact ID\tFull Name\tPhone\tMobile\tFax\tAsst Phone\n4712345003\tAnn\t\t${a}\t${c}\t${c}\n4712345004\tBob\t\t${b}\t\t${c}\n`,
    numbers,
  },
  {
    what: "answers of a form",
    content: `Timestamp,Your full name?,"What is your phone number? (WhatsApp, if any)",May we contact you on WhatsApp?,Anything else\n2026/11/28 10:00:00 AM GMT+3,Ann,${a},Yes,call ${c}\n2026/11/28 10:01:00 AM GMT+3,Bob,0712-345-002,No,\n`,
    numbers,
  },
  {
    what: "a payroll",
    content: `Staff No,Name,KRA PIN,NSSF No,Bank A/C,Tel. No.,Net Pay\n1001,Ann,A001234567Z,2012345678,01109876543200,${a},"50,000"\n1002,Bob,A001234568Z,2012345679,01109876543201,0712345002 / 0712345003,"40,000"\nPrepared by: Zed,,,,,,\n`,
    numbers: "2:01",
    says: "2 numbers",
  },
  {
    what: "bills of a utility, a page after the other",
    content: `Meter No|Account No|Customer|Cell|Reading Date\n37112345678|20112233|Ann|${a}|28-11-2026\nMeter No|Account No|Customer|Cell|Reading Date\n37112345679|20112234|Bob|${b}|28-11-2026\nPage 2 of 2||||\n`,
    numbers: "2:01 4:02",
    says: "no digits",
  },
  {
    what: "a chat of WhatsApp",
    name: "chat.txt",
    content: `22/11/2026, 10:15 - Messages are encrypted.\n22/11/2026, 10:16 - ${a}: Hi\n[22.11.26, 10:17:03] Juma: my number is +254 712 345 002\n22/11/2026, 10:17 - Ann: pay 0712345003 or 0712345002\n`,
    numbers: "2:01 3:02",
    isPaste: true,
    says: "letters",
  },
  {
    what: "contacts of an iPhone",
    name: "a.vcf",
    content: cardOf(
      "VERSION:3.0",
      "N:Otieno;Ann;;;",
      "FN:Ann Otieno",
      "TEL;type=HOME;type=VOICE:020 2345678",
      `TEL;type=IPHONE;type=CELL;type=VOICE;type=pref:\u202a+254\u00a0712\u00a0345\u00a0001\u202c`,
      "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAASABIAAD/0712345003\n 0712345003",
    ),
    numbers: "6:01",
  },
  // Other files.
  {
    what: "a page named .xls",
    name: "a.xls",
    content: "<table><tr><td>1",
    says: "an HTML page, though it is named .xls",
  },
  { what: "a file of gzip", name: "a.csv.gz", content: Buffer.from([0x1f, 0x8b, 8, 0, 0]), says: "gunzip" },
  {
    what: "what kubectl shows",
    name: "a.txt",
    content: "NAMESPACE   NAME    READY   STATUS\ndefault     web-1   1/1     Running\n",
    says: "drawn for people",
  },
  { what: "a PDF", name: "a.pdf", content: "%PDF-1.7\n", says: "a PDF" },
  { what: "an .xlsb", name: "a.xlsb", content: zipOf({ "xl/workbook.bin": "" }), says: "save it as .xlsx" },
  {
    what: "a file of Numbers",
    name: "a.numbers",
    content: zipOf({ "Index/Document.iwa": "" }),
    says: "export it to Excel",
  },
];

function cardOf(...lines: readonly string[]): string {
  return ["BEGIN:VCARD", ...lines, "END:VCARD", ""].join("\n");
}
