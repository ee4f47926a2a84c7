import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type FileLine, readWholeLines } from "../../src/record/folder/line-file.ts";
import { temporaryFolder } from "../support/folders.ts";

it("a file is read line by line, however long its lines are", async () => {
  const path = join(temporaryFolder(), "lines");
  // Around the 64 KiB that are read at once.
  const lengths = [0, 1, 65_532, 65_536, 3, 150_000, 0, 65_535, 400_000, 5];
  const texts = lengths.map((length, index) => `${index}é${"x".repeat(length)}`);
  for (const end of ["", "\n"]) {
    const content = Buffer.from(texts.join("\n") + end);
    writeFileSync(path, content, { mode: 0o600 });
    const found: FileLine[] = [];
    let bytes = 0;
    for await (const lines of readWholeLines(path, (read) => (bytes += read))) found.push(...lines);
    expect(bytes).toBe(content.length);
    expect(found.map(({ text }) => text)).toEqual(end === "" ? texts.slice(0, -1) : texts);
    for (const { text, offset, end: last } of found) expect(content.toString("utf8", offset, last)).toBe(text);
  }
});
