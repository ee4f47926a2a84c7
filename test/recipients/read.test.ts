import { describe, expect, it } from "vitest";
import { readRecipients } from "../../src/recipients/read.ts";
import { outline } from "./reading.ts";

describe("a source", () => {
  it.each([
    ["nothing", "list", ""],
    ["a byte order mark", "list", "\uFEFF"],
    ["blank lines", "list", "\n\r\n  \n"],
    ["comments", "list", "# nobody yet\n"],
    ["a header", "list.csv", "to,name\n"],
    ["a header and blank rows", "list.csv", "to,name\n,\n\n"],
    ["no objects", "list.ndjson", "\n\n"],
  ])("with %s is refused as empty", async (_, name, content) => {
    const refused = { kind: "usage", errorCode: "NO_RECIPIENT", message: `${name} has no recipients` };
    await expect(outline(content, { name })).rejects.toThrow(expect.objectContaining(refused));
  });

  it("with only a fault is not empty", async () => {
    expect(await outline("{}}\n")).toEqual(["1 it is not valid JSON"]);
  });

  it.each([
    ["by its name", "a.csv", undefined, ["2 1"]],
    ["by its first line", "standard input", undefined, ["2 1"]],
    ["as --format says", "a.csv", "plain", ["1 to,name", "2 1,x"]],
  ] as const)("gets its format %s", async (_, name, format, expected) => {
    expect(await outline("to,name\n1,x\n", { name, format })).toEqual(expected);
  });

  it.each([
    ["\n \n\n+254712345678\n", "4 +254712345678"],
    ["\n \n\nto;a\n1;x\n", "5 1"],
    ['\n \n\n{"to":"1"}\n', "4 1"],
  ])("of %j has the same format and line numbers wherever chunks end", async (content, expected) => {
    const offsets = Array.from(content, (_, index) => index);
    for (const cut of offsets) expect(await outline(content, { cuts: [cut] })).toEqual([expected]);
    expect(await outline(content, { cuts: offsets })).toEqual([expected]);
  });

  it.each(["list.txt", "list.csv", "list.ndjson"])("named %s is closed if reading stops early", async (name) => {
    let closed = false;
    async function* chunks() {
      try {
        for (;;) yield Buffer.from(name.endsWith("json") ? '{"to":"1"}\n' : "to\n");
      } finally {
        closed = true;
      }
    }
    for await (const row of readRecipients({ name, chunks: chunks() })) {
      expect(row.kind).toBe("row");
      break;
    }
    expect(closed).toBe(true);
  });
});
