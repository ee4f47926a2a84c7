import { describe, expect, it } from "vitest";
import { type MessagesRequest, prepareMessages } from "../../src/recipients/list-messages.ts";
import { openRecipients } from "../../src/recipients/read.ts";
import type { Format } from "../../src/recipients/row.ts";
import type { Source } from "../../src/recipients/source.ts";
import { chunksOf } from "./reading.ts";
import { xlsxOf } from "./workbooks.ts";

const source = { name: "list.csv", chunks: chunksOf("to,name\n+254712345678,Jane\n+254712345679,\n") };

interface Change extends Partial<MessagesRequest> {
  readonly numbers?: readonly string[];
  readonly source?: Source;
  readonly format?: Format;
}

async function prepare({ numbers = [], source: list, format, ...change }: Change) {
  const recipients = openRecipients(numbers, list, { format, skipInvalid: change.skipInvalid });
  const { planRows, notes } = prepareMessages({ recipients, text: "Hi {{name}}", ...change });
  const texts: string[] = [];
  for await (const row of planRows)
    texts.push(`${row.line} ${row.to} ${row.kind === "left-out" ? `${row.reason}: ${row.details}` : row.text}`);
  return { texts, notes };
}

describe("the messages of a run", () => {
  it("are those to numbers and rows that are not left out", async () => {
    const { texts, notes } = await prepare({ numbers: ["+254712345677"], source, text: "Hi {{name|you}}" });
    expect(texts).toEqual(["-1 +254712345677 Hi you", "2 +254712345678 Hi Jane", "3 +254712345679 Hi you"]);
    expect(notes.recipients).toBe(3);
  });

  it("are refused if all are left out", async () => {
    await expect(prepare({ numbers: ["+254"], text: "Hi", skipInvalid: true })).rejects.toMatchObject({
      errorCode: "NO_RECIPIENT",
    });
  });

  const misspelt = "to,name,Due\n+254712345678,A,5\n12,B,6\n+254712345679,C,\n+254712345680,D,8\n";
  const objects = '{"to":"+254712345678","first_name":"A"}\n{"to":"+254712345679","city":"B"}\n';
  it.each([
    ["csv", "{{Nmae}}", " {{due}} {{name}}", misspelt, '"to", "name", "Due": did you mean {{name}}?', ["12"]],
    ["csv", "{{Nmae}}", " {{due|0}} {{name}}", misspelt, '"to", "name", "Due": did you mean {{name}}?', ["12"]],
    ["ndjson", "{{first name}} and {{xyz}}", "", objects, '"first_name", "city": did you mean {{first_name}}?', []],
    ["plain", "{{name}}", "", "+254712345678\n", "give the fields in a CSV file with a header, such as to,name", []],
  ] as const)(
    "have one error for fields that no row of %s has: %s",
    async (format, fields, rest, content, hint, faults) => {
      const change = { text: fields + rest, format, source: { name: "list.csv", chunks: chunksOf(content) } };
      await expect(prepare(change)).rejects.toMatchObject({
        errorCode: "UNKNOWN_FIELD",
        message: `the message contains ${fields}, and list.csv has no column of that name`,
        hint: expect.stringContaining(hint),
        details: faults.map((fault) => expect.stringContaining(fault)),
      });
    },
  );

  it.each([
    ["[name]", "mail merge of documents"],
    ["<name>", "many forms"],
    ["%%NAME%%", "Salesforce"],
    ["#name#", "SMS portals in India"],
    ["${name}", "shells"],
    ["{name}", "Python"],
    ["*|NAME|*", "Mailchimp"],
  ])("are refused for %s, which %s has for a column", async (placeholder) => {
    const list = { name: "list.csv", chunks: chunksOf("to,Name,due\n+254712345678,Jane,5\n") };
    const refused = expect.objectContaining({
      errorCode: "INVALID_TEMPLATE",
      message: expect.stringContaining("at line 1, column 4, which is of another template language"),
      hint: expect.stringMatching(/^write \{\{name\}\}/i),
    });
    await expect(prepare({ source: list, text: `Hi ${placeholder}, pay {{due}}` })).rejects.toThrow(refused);
  });

  it.each([
    "Hi {{name}} {see} our terms",
    "{{name}}: 10% due, 5% off",
    "{{name}}: https://a.example/#due#x 10:30:00",
    "${{due}} for {{name}}",
    "{{name}} <3 (due)",
  ])("may have marks around other words: %j", async (text) => {
    const list = { name: "list.csv", chunks: chunksOf("to,name,due x\n+254712345678,Jane,5\n") };
    const { texts } = await prepare({ source: list, text: text.replace("{{due}}", "{{due x}}") });
    expect(texts).toHaveLength(1);
  });

  it("are refused for a repeated column only if the text needs it", async () => {
    const list = () => ({ name: "list.csv", chunks: chunksOf("to,Name,name\n+254712345678,Jane,J\n") });
    expect((await prepare({ source: list(), text: "Hi" })).texts).toHaveLength(1);
    await expect(prepare({ source: list() })).rejects.toThrow('two columns named "name", and the text needs one');
    const senders = { name: "a.csv", chunks: chunksOf("to,senderId,SenderId\n+254712345678,x,y\n") };
    const why = 'two columns named "senderId", and a message has one sender';
    await expect(prepare({ source: senders, text: "Hi" })).rejects.toThrow(why);
  });

  it.each(["#REF!", "#DIV/0!", "#NAME?", "Err:502", "########"])(
    "have no %s of a spreadsheet in them, and rows that do not use it are sent",
    async (error) => {
      const list = () => ({ name: "list.csv", chunks: chunksOf(`to,name,due\n+254712345678,Jane,${error}\n`) });
      expect((await prepare({ source: list() })).texts).toEqual(["2 +254712345678 Hi Jane"]);
      await expect(prepare({ source: list(), text: "{{due}}" })).rejects.toMatchObject({
        details: [`line 2: "due": it has the error ${error}`],
      });
    },
  );

  it("are refused if one number has two: both rows are faults, and the others could be used", async () => {
    const content = "to,name\n+254712345678,Ann\n+254712345679,Jo\n+254712345678,Bob\n+254712345678,Cy\n";
    const list = { name: "list.csv", chunks: chunksOf(content) };
    await expect(prepare({ source: list })).rejects.toMatchObject({
      details: [
        "line 2: +254712345678 is on line 4 too, with another message",
        "line 4: +254712345678 is on line 2 too, with another message",
        "line 5: +254712345678 is on line 2 too, with another message",
      ],
      faults: { usable: 1 },
      // Cleaning would keep both rows.
      hint: expect.not.stringContaining("sms clean"),
    });
  });

  it("name a number of --to by its place on the command line if a row of a workbook has the number too", async () => {
    const cells = ["to", "x", "+254712345678", "Bye", "+254712345679", "Ho"].map(
      (text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`,
    );
    const rows = [0, 2, 4].map((start) => `<row>${cells.slice(start, start + 2).join("")}</row>`).join("");
    const list = { name: "list.xlsx", chunks: chunksOf(xlsxOf([{ rows }])) };

    const error = prepare({ numbers: ["+254712345678", "+254712345679"], source: list, text: "Hi {{x|}}" });

    await expect(error).rejects.toMatchObject({
      details: [
        "--to 1: +254712345678 is on row 2 too, with another message",
        "--to 2: +254712345679 is on row 3 too, with another message",
        "row 2: +254712345678 is on --to 1 too, with another message",
        "row 3: +254712345679 is on --to 2 too, with another message",
      ],
    });
  });

  it("leave out all rows of a number that has two messages", async () => {
    const content = "to,name\n+254712345678,Ann\n+254712345679,Jo\n+254712345678,Bob\n+254712345679,Jo\n";
    const list = { name: "list.csv", chunks: chunksOf(content) };

    const { texts, notes } = await prepare({ source: list, skipInvalid: true });

    expect(texts).toEqual([
      "2 +254712345678 invalid: +254712345678 is on another row too, with another message",
      "3 +254712345679 Hi Jo",
      "4 +254712345678 invalid: +254712345678 is on another row too, with another message",
      "5 +254712345679 duplicate: already on line 3",
    ]);
    expect(Object.fromEntries(notes.leftOut)).toMatchObject({ invalid: 2, duplicate: 1 });
  });

  it("leave out rows with an empty field, but not everybody for a misspelt one", async () => {
    const list = () => ({ name: "list.csv", chunks: chunksOf("to,name\n+254712345678,Jane\n+254712345679,\n") });

    const { texts, notes } = await prepare({ source: list(), skipInvalid: true });

    expect(texts).toEqual(["2 +254712345678 Hi Jane", '3 +254712345679 invalid: it has no "name"']);
    expect(notes.leftOut.get("invalid")).toBe(1);
    await expect(prepare({ source: list(), text: "{{nmae}}", skipInvalid: true })).rejects.toMatchObject({
      errorCode: "UNKNOWN_FIELD",
    });
  });
});
