import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSource } from "../../src/recipients/source.ts";
import { systemHost } from "../../src/host.ts";
import { chunksOf } from "./reading.ts";
import { temporaryFolder } from "../support/folders.ts";

const folder = temporaryFolder();
const host = {
  readFile: systemHost().readFile,
  stdin: { isTerminal: () => false, isPipe: () => true, chunks: () => chunksOf("piped") },
};

async function contentOf(path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of openSource(path, host).chunks) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("a source", () => {
  it("is a file, named by its path", async () => {
    const path = join(folder, "list.csv");
    writeFileSync(path, "to\n");
    expect(openSource(path, host).name).toBe(path);
    expect(await contentOf(path)).toBe("to\n");
  });

  it("knows what share of a file was read, and not of standard input", async () => {
    const path = join(folder, "half.csv");
    writeFileSync(path, "x".repeat(100_000));
    const { chunks, share } = openSource(path, host);
    expect(share?.()).toBe(0);
    const [first] = [await chunks[Symbol.asyncIterator]().next()];
    expect(share?.()).toBe(first.value.length / 100_000);
    expect(openSource("-", host).share).toBeUndefined();
  });

  it("is refused if it changes while it is read", async () => {
    const path = join(folder, "growing.csv");
    writeFileSync(path, "to\n");
    const reading = (async () => {
      for await (const _ of openSource(path, host).chunks) writeFileSync(path, "to\n+254712345678\n");
    })();
    await expect(reading).rejects.toThrow("growing.csv changed while it was read (--recipients)");
  });

  it("is standard input for -", async () => {
    expect(openSource("-", host).name).toBe("standard input");
    expect(await contentOf("-")).toBe("piped");
  });

  it.each([
    ["is not there", "missing.csv", /^there is no file ".*missing.csv" \(--recipients\)$/],
    ["is a folder", ".", /^".*" is a folder, not a file \(--recipients\)$/],
  ])("that %s is a usage error that says so", async (_, name, message) => {
    await expect(contentOf(join(folder, name))).rejects.toThrow(
      expect.objectContaining({
        kind: "usage",
        errorCode: "UNREADABLE_FILE",
        message: expect.stringMatching(message),
      }),
    );
  });
});
