import { describe, expect, it } from "vitest";
import { linesOf, readBlocks } from "../../../src/recipients/formats/lines.ts";
import { chunksOf } from "../reading.ts";

const list = { name: "list", command: "sms clean list" };

async function lines(content: string | Uint8Array, ...cuts: readonly number[]) {
  const numbered: string[] = [];
  for await (const block of readBlocks({ ...list, chunks: chunksOf(content, ...cuts) }))
    numbered.push(...linesOf(block).map(({ line, text }) => `${line} ${text}`));
  return numbered;
}

const accented = Buffer.from("é\n😀x\r\n\r\n€ y");

describe("lines", () => {
  it.each([
    ["", []],
    ["a\n", ["1 a"]],
    ["a\r\nb\r\n", ["1 a", "2 b"]],
    ["a\n\n\r\nb", ["1 a", "2 ", "3 ", "4 b"]],
    ["\n", ["1 "]],
    ["a\n\uFEFFb", ["1 a", "2 \uFEFFb"]],
    ["a\rb\nc\r\r\nd\r", ["1 a", "2 b", "3 c", "4 ", "5 d"]],
    ["a\u2028b\u2029c\u0085d\u000be\nf", ["1 a\u2028b\u2029c\u0085d\u000be", "2 f"]],
  ])("of %j are %j", async (content, expected) => {
    expect(await lines(content)).toEqual(expected);
  });

  it("may be 64 KiB long, line end included", async () => {
    const long = "x".repeat(64 * 1024 - 1);
    expect(await lines(`a\n${long}\nb\n`, 30_000)).toEqual(["1 a", `2 ${long}`, "3 b"]);
  });
});

describe("invalid text is refused with its line number", () => {
  it.each([
    ["a Latin-1 letter", Buffer.from([0x61, 0x0a, 0x62, 0xe9, 0x0a]), "line 2 of list is not UTF-8 text"],
    ["a character cut off at the end", accented.subarray(0, -4), "line 4 of list is not UTF-8 text"],
    ["an overlong form", Buffer.from([0xc0, 0xaf]), "line 1 of list is not UTF-8 text"],
    ["UTF-16 without", Buffer.from("ab\nc", "utf16le"), "line 1 of list has a NUL"],
    ["a NUL", Buffer.from("a\nb\nc\0d\n"), "line 3 of list has a NUL"],
    ["a line of 70 KB", Buffer.from(`a\n${"x".repeat(70_000)}\n`), "line 2 of list is longer than 64 KiB"],
  ])("%s", async (_, content, message) => {
    const refused = expect.objectContaining({ kind: "usage", message: expect.stringContaining(message) });
    await expect(lines(content)).rejects.toThrow(refused);
    for (let cut = 1; cut < Math.min(content.length, 20); cut++) {
      await expect(lines(content, cut)).rejects.toThrow(refused);
    }
  });

  it("without reading an endless line to its end", async () => {
    let chunks = 0;
    async function* endless() {
      for (;;) {
        chunks++;
        yield Buffer.alloc(16 * 1024, "x");
      }
    }
    const reading = readBlocks({ ...list, chunks: endless() }).next();
    await expect(reading).rejects.toThrow("line 1 of list is longer than 64 KiB");
    expect(chunks).toBe(5);
  });
});
