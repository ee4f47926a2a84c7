import { describe, expect, it } from "vitest";
import { memberNames } from "../../src/message/fields.ts";
import { parseTemplate } from "../../src/message/text.ts";
import { type CheckOptions, recipientCheck } from "../../src/recipients/check.ts";
import { Duplicates } from "../../src/recipients/duplicates.ts";
import { read } from "./reading.ts";

const hello = parseTemplate("Hello");

async function checked(content: string, options: CheckOptions = { template: hello }) {
  const check = recipientCheck(options, new Duplicates(options));
  return (await read(content)).map(check);
}

/** Returns a line for each row: where it is, and its text or why it has none. */
async function outcomes(content: string, options?: CheckOptions) {
  const rows = await checked(content, options);
  return rows.map(
    (row) => `${row.line} ${row.kind}: ${row.kind === "recipient" ? `${row.to} ${row.text}` : row.sentence}`,
  );
}

describe("a row is checked into", () => {
  it("a recipient, with text, sender and segments", async () => {
    const own = '{"to":"+254 999 999 999","name":"Jane","message":"€ 5","senderIdName":"ACME"}';
    const text = `Hi Jane${"!".repeat(160)}`;
    const sender = { kind: "name", name: "ACME" };

    const template = parseTemplate(text.replace("Jane", "{{name}}"));
    const rows = await checked(`{"to":"0712 345 678","name":"Jane"}\n${own}`, { template, country: "KE" });

    const [kind, ownSender] = ["recipient", true];
    expect(rows).toEqual([
      { kind, line: 1, to: "+254712345678", text, segments: 2, assigned: true },
      { kind, line: 2, to: "+254999999999", text, segments: 2, assigned: false, sender, ownSender },
    ]);
    expect(await checked(own, {})).toMatchObject([{ kind, text: "€ 5", segments: 1, sender, ownSender }]);
  });

  it("a fault, with what to do", async () => {
    const content = "to,name,message\n0712345678,Jane,\n+254712345678,,\n+254712345679,Jane,Hi {{name}}\n";

    const rows = await checked(content, { template: parseTemplate("Hi {{Name}}") });
    const [, , own] = await checked(content, {});

    expect(rows).toMatchObject([
      {
        sentence: '"0712345678" cannot be read: it has no country',
        errorCode: "INVALID_NUMBER",
        hint: "write it with + and the country's code, or give --country CC",
        unreadNumber: { text: "0712345678", country: undefined },
      },
      { sentence: 'it has no "Name"', hint: "fill it in, or give a default: {{Name|text}}", field: "name" },
      { kind: "recipient", text: "Hi Jane" },
    ]);
    expect(own).toMatchObject({
      sentence: 'its own text contains "{{name}}", which would be sent as written',
      hint: "fill it in, or give the text with --message, which {{fields}} of the row fill",
    });
  });

  it.each([
    ["to;a\n2,547E+11;x\n", '2 fault: "2,547E+11" cannot be read: a spreadsheet mangled it'],
    ["to,a\n,x\n", "2 fault: there is no number"],
    ["to,a\n+254712345678\n", "2 recipient: +254712345678 Hello"],
    [`to,a\n${"9".repeat(41)},x\n`, `2 fault: "${"9".repeat(40)}…" cannot be read: it has no country`],
    ["to,message\n+254712345678,a\ud800\n", "2 recipient: +254712345678 a\ufffd"],
    [
      '{"to":"+254712345678","message":"a\\ud800"}',
      "1 fault: the message has half a character (lone surrogate U+D800) at line 1, column 2",
    ],
  ])("%j: %s", async (content, outcome) => {
    expect(await outcomes(content, content.includes("message") ? {} : undefined)).toEqual([outcome]);
  });

  it("a fault where there is no text for it, nor one for all", async () => {
    const content = "to,message\n+254712345678,Hi\n+254712345679,\n";
    expect(await outcomes(content, {})).toEqual(["2 recipient: +254712345678 Hi", "3 fault: it has no text"]);
  });

  it("a text as it is, and the segments that --gsm7 would leave", async () => {
    const content = `to,message\n+254712345678,it’s ${"a".repeat(100)}\n+254712345679,it’s\n`;
    const [first, second] = await checked(content, {});
    expect(first).toMatchObject({ segments: 2, gsm7Segments: 1 });
    expect(second).not.toHaveProperty("gsm7Segments");
  });

  it("a message from the sender for all, unless its row names one", async () => {
    const content = '{"to":"+254712345678"}\n{"to":"+254712345679","senderIdName":"ACME"}';
    const sender = { kind: "name", name: "SHOP" } as const;
    const rows = await checked(content, { template: hello, usual: { sender } });
    expect(rows).toMatchObject([{ sender }, { sender: { kind: "name", name: "ACME" } }]);
  });
});

describe("a number that occurs twice", () => {
  // A list of valid values for each member of a message, in which a new member must be.
  const others: Readonly<Record<string, string>> = {
    x: "Your code is 5",
    senderIdName: "ACME",
    senderId: "65f1a2b3c4d5e6f7a8b9c0d1",
  };

  const differing = memberNames.filter((name) => name !== "to").map((name) => (name === "message" ? "x" : name));
  const template = parseTemplate("Hello{{x|}}");
  it.each(differing)("is a fault on both rows if they differ in %s", async (name) => {
    const rows = (more: string) => `{"to":"+254712345678"}\n{"to":"+254712345678"${more}}\n`;
    const faults = await outcomes(rows(`,"${name}":"${others[name]}"`), { template });
    const other = (line: number) => `+254712345678 is on line ${line} too, with another message`;
    expect(faults).toEqual(["1 recipient: +254712345678 Hello", `2 fault: ${other(1)}`]);
    const [, second] = await checked(rows(`,"${name}":"${others[name]}"`), { template });
    expect(second).toMatchObject({ first: { line: 1, sentence: other(2) } });
  });

  it("is no fault if the row's own text is the text of all", async () => {
    const rows = '{"to":"+254712345678"}\n{"to":"+254712345678","message":"Hello"}\n';
    expect((await outcomes(rows))[1]).toMatch(/^2 left-out: /);
  });

  it("gets each of its messages once where that is asked for", async () => {
    const options = { template: parseTemplate("Fee of {{name}}"), allowDuplicates: true };
    const rows = ["Ann", "Bob", "Ann", "Cy", "Bob"].map((name) => `+254712345678,${name}\n`).join("");
    expect(await outcomes(`to,name\n${rows}`, options)).toEqual([
      "2 recipient: +254712345678 Fee of Ann",
      "3 recipient: +254712345678 Fee of Bob",
      "4 left-out: +254712345678 is already on line 2",
      "5 recipient: +254712345678 Fee of Cy",
      "6 left-out: +254712345678 is already on line 3",
    ]);
  });

  it("is not missed where its first row cannot be sent", async () => {
    const content = `to,message\n+254712345678,${"x".repeat(1601)}\n+254712345678,Hi\n`;
    expect(await outcomes(content, { skipInvalid: true })).toEqual([
      expect.stringMatching(/^2 left-out: the message has 1,601 characters/),
      "3 recipient: +254712345678 Hi",
    ]);
  });
});
