import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemHost } from "../../src/host.ts";
import { readRecipients } from "../../src/recipients/read.ts";
import { openSource } from "../../src/recipients/source.ts";
import { temporaryFolder } from "../support/folders.ts";
import { outline, read } from "./reading.ts";

describe("a source", () => {
  it.each([
    ["nothing", "list", "", "is empty"],
    ["a byte order mark", "list", "\uFEFF", "is empty"],
    ["comments", "list", "# nobody yet\n", "has only comments"],
    ["a header", "list.csv", "to,name\n", "has a header and no rows"],
    ["no objects", "list.ndjson", "\n\n", "is empty"],
  ])("with %s is refused", async (_, name, content, why) => {
    const refused = { kind: "usage", errorCode: "NO_RECIPIENT", message: `${name} ${why}` };
    await expect(outline(content, { name })).rejects.toThrow(expect.objectContaining(refused));
  });

  it("may be a header alone where nobody is to be sent to, and no list is one if its header has a number", async () => {
    for (const content of ["to,name\n", "name,contact\n,\n", "\uFEFFPhone"])
      expect(await outline(content, { name: "list.csv", least: "header" })).toEqual([]);
    for (const content of ["", "# nobody\n", "Jane,0712345678\n", "nobody\n"])
      await expect(outline(content, { name: "list.csv", least: "header" })).rejects.toThrow("list.csv");
  });

  it.each([
    ["list.xls", "<table><tr><td>+254712345678", "an HTML page, though it is named .xls"],
    ["list", "<!DOCTYPE html>\n", "an HTML page"],
    ["list.json", '[{"to":"+254712345678"}]', "a JSON array"],
    ["list", "[254712345678, 254712345679]", "a JSON array"],
  ])("that is something else is named: %s %j", async (name, content, kind) => {
    const refused = { kind: "usage", errorCode: "INVALID_RECIPIENTS", message: `${name} is ${kind}` };
    await expect(outline(content, { name })).rejects.toThrow(expect.objectContaining(refused));
  });

  it.each([
    ["list.xls", "to\tname\n+254712345678\tAmina\n", undefined, "2 +254712345678"],
    ["list", "[0712] 345678\n", undefined, "1 [0712] 345678"],
    ["list.txt", Buffer.from("\uFEFF+254712345678\r\n", "utf16le"), undefined, "1 +254712345678"],
    ["list.txt", Buffer.from("\uFEFFName\tTel\r\nJo\t+254712345678\r\n", "utf16le"), undefined, "2 +254712345678"],
    ["list", "Phone,PK\n+254712345678,1\n", undefined, "2 +254712345678"],
  ] as const)("that only looks like something else is read: %s %j", async (name, content, format, row) => {
    expect(await outline(content, { name, format })).toEqual([row]);
  });

  it("with only a fault is not empty", async () => {
    expect(await outline("{}}\n")).toEqual(["1 it is not valid JSON"]);
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

  it.each([
    ["UTF-8", Buffer.from("\uFEFFto,name\n1,é\n2,😀")],
    ["UTF-16, little end first", Buffer.from("\uFEFFto,name\n1,é\n2,😀", "utf16le")],
    ["UTF-16, big end first", Buffer.from("\uFEFFto,name\n1,é\n2,😀", "utf16le").swap16()],
  ])("in %s is read without its byte order mark, wherever chunks end", async (_, content) => {
    const offsets = [...content.keys()];
    const names = async (...cuts: readonly number[]) =>
      (await read(content, { name: "a.csv", cuts })).map((row) => row.kind === "row" && [row.to, row.fields["name"]]);
    const rows = Object.entries({ 1: "é", 2: "😀" });
    for (const cut of offsets) expect(await names(cut)).toEqual(rows);
    expect(await names(...offsets)).toEqual(rows);
  });

  it("in broken UTF-16 is refused", async () => {
    const content = Buffer.from("\uFEFFab\nc\uD800", "utf16le");
    const refused = expect.objectContaining({ errorCode: "NOT_UTF8", message: "list is not utf-16le text" });
    await expect(outline(content)).rejects.toThrow(refused);
  });

  it("in windows-1252 is shown as that encoding has it, with the whole command that reads it", async () => {
    const content = Buffer.from("to,name\n1,J\u00FCrgen M\u00FCller\n", "latin1");
    const reading = read(content, { name: "a.csv", country: "KE", toColumn: "to" });
    await expect(reading).rejects.toMatchObject({
      errorCode: "NOT_UTF8",
      message: 'line 2 of a.csv is not UTF-8 text: it reads "J\u00FCrgen M\u00FCller" in windows-1252',
      hint: expect.stringContaining("`sms clean a.csv --country KE --to-column to -o NEW.csv --encoding windows-1252`"),
    });
  });

  it.each([
    ["windows-1252", "4dfc6c6c6572 8035", "M\u00FCller \u20AC5"],
    ["macintosh", "4d9f6c6c6572", "M\u00FCller"],
    ["windows-1250", "4d61b3676f727a617461 5061b36b61", "Ma\u0142gorzata Pa\u0142ka"],
    ["windows-1251", "cff0e8e2e5f2", "\u041F\u0440\u0438\u0432\u0435\u0442"],
    ["windows-1256", "e3cde3cf", "\u0645\u062D\u0645\u062F"],
    ["gb18030", "c0eec3f7", "\u674E\u660E"],
  ])("in %s is shown as that encoding has it", async (encoding, hex, text) => {
    const words = hex.split(" ").map((word) => Buffer.from(word, "hex"));
    const content = Buffer.concat([Buffer.from("to,name\n1,"), ...words.flatMap((word) => [word, Buffer.from(" ")])]);
    const message = `line 2 of list is not UTF-8 text: it reads ${JSON.stringify(text)} in ${encoding}`;
    await expect(read(content)).rejects.toThrow(message);
  });

  it("that may be UTF-16 without a mark names the whole command that reads it", async () => {
    const reading = read(Buffer.from("to\n1\n", "utf16le"), { name: "a.csv", country: "KE" });
    await expect(reading).rejects.toMatchObject({
      hint: expect.stringContaining("`sms clean a.csv --country KE -o NEW.csv --encoding utf-16le`"),
    });
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

it("a plain list has one number per line; blank lines and comments are skipped but counted", async () => {
  const content = "\uFEFF# customers\r\n+254712345678\r\n\r\n  0712 345 678 \r\n\t# more\r\n+254712345679 # Jane";
  expect(await read(content)).toEqual([
    { kind: "row", line: 2, to: "+254712345678", fields: {} },
    { kind: "row", line: 4, to: "0712 345 678", fields: {} },
    { kind: "row", line: 6, to: "+254712345679 # Jane", fields: {} },
  ]);
});

it("a plain list has no columns to choose from", async () => {
  await expect(read("+254712345678\n", { format: "plain", toColumn: "phone" })).rejects.toThrow(
    "--to-column needs columns, but list is read as one number per line",
  );
});

describe("a file", () => {
  const host = { readFile: systemHost().readFile, stdin: systemHost().stdin };

  function fileOf(content: string): string {
    const path = join(temporaryFolder(), "list.csv");
    writeFileSync(path, content);
    return path;
  }

  it("knows what share of it was read", async () => {
    const { chunks, share } = openSource(fileOf("x".repeat(100_000)), host);

    const before = share?.();
    const first = await chunks[Symbol.asyncIterator]().next();

    expect([before, share?.()]).toEqual([0, first.value.length / 100_000]);
  });

  it("is refused if it changes while it is read", async () => {
    const path = fileOf("to\n");
    const reading = (async () => {
      for await (const _ of openSource(path, host).chunks) writeFileSync(path, "to\n+254712345678\n");
    })();
    await expect(reading).rejects.toThrow("list.csv changed while it was read (--recipients)");
  });
});
