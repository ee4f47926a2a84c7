import { describe, expect, it } from "vitest";
import { parseTemplate } from "../../../src/message/text.ts";
import { recipientCheck } from "../../../src/recipients/check.ts";
import { ListFacts } from "../../../src/recipients/source.ts";
import { outline, read } from "../reading.ts";

describe("NDJSON", () => {
  it("has a number, fields, and optionally a text and a sender", async () => {
    const content = [
      '{"to":"+254712345678","Name":"Jane \\u00e9","due":1200.5,"paid":false,"note":null}',
      "",
      '{"to":"+254712345679","message":"Pay {now}","senderIdName":"ACME"}\r',
      ' { "to" : 254712345680 , "senderId":"0123456789abcdef01234567" , "message" : " " } ',
    ].join("\n");
    expect(await read(`\uFEFF${content}`)).toEqual([
      {
        kind: "row",
        line: 1,
        to: "+254712345678",
        fields: { to: "+254712345678", name: "Jane é", due: "1200.5", paid: "false", note: "" },
        own: {},
      },
      {
        kind: "row",
        line: 3,
        to: "+254712345679",
        own: { text: "Pay {now}", sender: { kind: "name", name: "ACME" } },
        fields: { to: "+254712345679", message: "Pay {now}", senderidname: "ACME" },
      },
      {
        kind: "row",
        line: 4,
        to: "254712345680",
        own: { sender: { kind: "id", id: "0123456789abcdef01234567" } },
        fields: { to: "254712345680", message: " ", senderid: "0123456789abcdef01234567" },
      },
    ]);
  });

  it.each([
    ["no number", '{"to":null,"name":"Jane"}', "1 "],
    ["text that looks like duplicate keys", '{"to":"1","a":"\\"to\\":2, \\"a\\" :","b":"c"}', "1 1"],
    ["keys that end in a backslash", '{"to":"1","a\\\\":"b:"}', "1 1"],
    ["U+2028 in a text", '{"to":"1","a":"x\u2028y"}', "1 1"],
  ])("may have %s", async (_, line, expected) => {
    expect(await outline(line)).toEqual([expected]);
  });

  const noText = (name: string) => `its "${name}" is not a string, a boolean or an exact number`;
  it.each([
    ["cut off", '{"to":"1"', "it is not valid JSON"],
    ["an array", '["1"]', "it is not a JSON object"],
    ["an array inside", '{"to":["1"]}', noText("to")],
    [
      "two numbers",
      '{"phone":"1","mobile":"2"}',
      'both "phone" and "mobile" may have its number: choose with --to-column phone',
    ],
    ["digits that a number cannot represent", '{"to":25471234567812345678}', noText("to")],
    ["a key twice", '{"to":"1","to":"2"}', "it has the same key twice"],
    ["a key twice, once escaped", '{"to":"1","\\u0074o":"2"}', "it has the same key twice"],
    ["a key in upper and lower case", '{"to":"1","a":"x","A":"y"}', 'it has the key "a" twice'],
    ["a key without a name", '{"to":"1"," ":"x"}', "it has an empty key"],
  ])("with %s is a fault", async (_, line, sentence) => {
    const content = `{"to":"1"}\n\n${line}\n{"to":"4"}`;
    expect(await read(content)).toEqual([
      expect.objectContaining({ kind: "row", line: 1 }),
      expect.objectContaining({ kind: "fault", line: 3, sentence }),
      expect.objectContaining({ kind: "row", line: 4 }),
    ]);
  });

  it("may have values that are no text, which only a template that uses them needs", async () => {
    const facts = new ListFacts();
    const line = '{"to":"+254712345678","name":"A","at":{"city":"B","city2":1},"tags":["x:"],"n":99999999999999999}';
    const [row] = await read(line, { facts });
    expect(row).toMatchObject({ kind: "row", fields: { name: "A", at: "" } });
    expect(facts.passed).toEqual(['values that are no text, of "at", "tags", "n"']);
    const checked = (text: string) => row && recipientCheck({ template: parseTemplate(text) })(row);
    expect(checked("Hi {{name}}")).toMatchObject({ kind: "recipient", text: "Hi A" });
    expect(checked("Hi {{at|you}}")).toMatchObject({ kind: "fault", sentence: noText("at") });
  });
});
