import { mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { appendLine, historyPath } from "../../src/record/history-folder.ts";
import { readHistoryLines } from "../../src/record/history-lines.ts";
import { ours } from "../files/this-process.ts";

const line = '{"at":"2026-11-22T08:00:00.000Z","to":"+254712345678"}';
const month = "2026-11.ndjson";
let state: ReturnType<typeof ours>;
let path: string;

beforeEach(() => {
  state = ours(mkdtempSync(join(tmpdir(), "sms-history-")));
  path = historyPath(state, month);
});

async function lines(): Promise<readonly string[]> {
  const found: string[] = [];
  await readHistoryLines(
    path,
    () => {},
    ({ text }) => found.push(text),
  );
  return found;
}

describe("a file of the history", () => {
  it("is private, and so is its folder", () => {
    appendLine(state, month, line);
    expect([path, join(path, "..")].map((one) => statSync(one).mode & 0o777)).toEqual([0o600, 0o700]);
  });

  it("that was cut at any byte loses that line alone, and the next one is whole", async () => {
    appendLine(state, month, line);
    appendLine(state, month, line.replace("678", "679"));
    const whole = readFileSync(path);
    const first = Buffer.byteLength(`\n${line}\n`);
    for (let end = first; end <= whole.length; end++) {
      writeFileSync(path, whole.subarray(0, end));
      appendLine(state, month, line.replace("678", "680"));
      const [before, ...rest] = await lines();
      expect([before, rest.at(-1)]).toEqual([line, line.replace("678", "680")]);
      expect(rest.length).toBeLessThanOrEqual(2);
    }
  });

  it("gives its last line before anything follows it, whole or broken", async () => {
    await mkdir(join(path, ".."), { mode: 0o700 });
    writeFileSync(path, `\n${line}\n\n${line}`, { mode: 0o600 });
    expect(await lines()).toEqual([line, line]);
    writeFileSync(path, `\n${line}\n\n{"at`);
    expect(await lines()).toEqual([line, '{"at']);
  });

  it("is not written through a link", async () => {
    const other = join(state.path, "other.txt");
    writeFileSync(other, "mine", { mode: 0o600 });
    await mkdir(join(path, ".."), { mode: 0o700 });
    symlinkSync(other, path);
    expect(() => appendLine(state, month, line)).toThrow("is a link");
    expect(readFileSync(other, "utf8")).toBe("mine");
  });
});
