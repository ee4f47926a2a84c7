import { describe, expect, it } from "vitest";
import { type MessagesRequest, prepareMessages } from "../../src/recipients/messages.ts";
import { openRecipients } from "../../src/recipients/read.ts";
import type { Format } from "../../src/recipients/row.ts";
import type { Source } from "../../src/recipients/source.ts";
import { chunksOf } from "./reading.ts";

const source = { name: "list.csv", chunks: chunksOf("to,name\n+254712345678,Jane\n+254712345679,\n") };

interface Given extends Partial<MessagesRequest> {
  readonly numbers?: readonly string[];
  readonly source?: Source;
  readonly format?: Format;
}

async function prepare({ numbers = [], source: list, format, ...change }: Given) {
  const recipients = openRecipients(numbers, list, { format });
  const { messages, notes } = prepareMessages({ recipients, text: "Hi {{name}}", ...change });
  const texts: string[] = [];
  for await (const { line, to, text } of messages) texts.push(`${line} ${to} ${text}`);
  return { texts, notes };
}

describe("the messages of a run", () => {
  it("are those to numbers and rows that are not left out", async () => {
    const { texts, notes } = await prepare({ numbers: ["+254712345677"], source, text: "Hi {{name|you}}" });
    expect(texts).toEqual(["-1 +254712345677 Hi you", "2 +254712345678 Hi Jane", "3 +254712345679 Hi you"]);
    expect(notes.recipients).toBe(3);
  });

  it.each([
    ["row of list.csv", { source: { ...source, chunks: chunksOf("to,name\n+254712345679,\n") } }],
    ["number of --to", { numbers: ["254"], text: "Hi" }],
  ])("are refused by the name of their source if one is wrong: %s", async (name, change) => {
    await expect(prepare(change)).rejects.toMatchObject({
      errorCode: "INVALID_RECIPIENTS",
      message: `1 ${name} cannot be used`,
    });
  });

  it("are refused if all are left out", async () => {
    await expect(prepare({ numbers: ["+254"], text: "Hi", skipInvalid: true })).rejects.toMatchObject({
      errorCode: "NO_RECIPIENT",
    });
  });

  it.each([
    [
      "misspelt",
      "Hi {{Nmae}}, {{due}} {{name}}",
      "to,name,Due\n+254712345678,A,5\n12,B,6\n+254712345679,C,\n+254712345680,D,8\n",
      "the message contains {{Nmae}}, and list.csv has no column of that name",
      'its columns are "to", "name", "due": did you mean {{name}}?',
      ["12"],
    ],
    [
      "two misspelt",
      "{{first name}} {{xyz}}",
      '{"to":"+254712345678","first_name":"A"}\n{"to":"+254712345679","city":"B"}\n',
      "the message contains {{first name}} and {{xyz}}, and list.csv has no column of that name",
      'its columns are "to", "first_name", "city": did you mean {{first_name}}?',
      [],
    ],
    [
      "without columns",
      "Hi {{name}}",
      "+254712345678\n",
      "the message contains {{name}}, and list.csv has no column of that name",
      "give the fields in a CSV file with a header, such as to,name",
      [],
    ],
  ])("have one error for fields that no row has: %s", async (_, text, content, message, hint, faults) => {
    const format = content.startsWith("{") ? "ndjson" : content.startsWith("+") ? "plain" : "csv";
    const change = { text, format, source: { name: "list.csv", chunks: chunksOf(content) } } as const;
    await expect(prepare(change)).rejects.toMatchObject({
      errorCode: "UNKNOWN_FIELD",
      message,
      hint,
      details: faults.map((fault) => expect.stringContaining(fault)),
    });
  });

  it("have one error for a field of recipients of --to, who have none", async () => {
    await expect(prepare({ numbers: ["+254712345678", "+254712345679"] })).rejects.toMatchObject({
      errorCode: "UNFILLED_FIELD",
      message: "the message contains {{name}}, and recipients given with --to have no fields to fill it",
    });
  });
});
