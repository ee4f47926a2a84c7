import { describe, expect, it } from "vitest";
import { type MessagesRequest, prepareMessages } from "../../src/recipients/messages.ts";
import { chunksOf } from "./reading.ts";

const source = { name: "list.csv", chunks: chunksOf("to,name\n+254712345678,Jane\n+254712345679,\n") };
const request: MessagesRequest = {
  numbers: [],
  source: undefined,
  format: undefined,
  toColumn: undefined,
  text: "Hi {{name}}",
  exclude: undefined,
};

async function prepare(change: Partial<MessagesRequest>) {
  const { messages, notes } = await prepareMessages({ ...request, ...change });
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
    ["list.csv", { source: { ...source, chunks: chunksOf("to,name\n+254712345679,\n") } }],
    ["the recipients", { numbers: ["+254712345678"] }],
  ])("are refused by the name of their source if one is wrong: %s", async (name, change) => {
    await expect(prepare(change)).rejects.toMatchObject({
      errorCode: "INVALID_RECIPIENTS",
      message: `1 row of ${name} cannot be used`,
    });
  });

  it("are refused if all are left out", async () => {
    await expect(prepare({ numbers: ["+254"], text: "Hi", skipInvalid: true })).rejects.toMatchObject({
      errorCode: "NO_RECIPIENT",
    });
  });
});
