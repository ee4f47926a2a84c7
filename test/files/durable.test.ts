import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { removeLeftovers, replaceFile, retryOnWindows } from "../../src/files/durable.ts";
import { needs } from "../support/needs.ts";
import { bundle, onFullDisk, start } from "./child.ts";
import { temporaryFolder } from "../support/folders.ts";

let script: string;

beforeAll(async () => {
  script = await bundle("test/files/durable-child.ts");
});

/** A path as strace writes it: bytes outside of ASCII in octal. */
function inOctal(path: string): string {
  const text = Buffer.from(path).toString("latin1");
  return text.replace(/[\u0080-\u00ff]/g, (byte) => `\\${byte.charCodeAt(0).toString(8)}`);
}

describe("replaceFile", () => {
  it.each([0, 1, 100_000])("replaces a file with %i bytes, sets its mode and leaves no other file", (size) => {
    const folder = temporaryFolder();
    const path = join(folder, "file");
    writeFileSync(path, "old", { mode: 0o644 });
    replaceFile(path, "n".repeat(size));
    expect(readFileSync(path, "utf8")).toBe("n".repeat(size));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  it("changes nothing if it fails", () => {
    const folder = temporaryFolder();
    const path = join(folder, "file");
    mkdirSync(path);
    const message = `${path} could not be written (EISDIR); the old file is unchanged`;
    const refusal = { kind: "usage", errorCode: "NOT_WRITTEN", message };
    expect(() => replaceFile(path, "new")).toThrow(expect.objectContaining(refusal));
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  const onFailingDisk = ["-f", "-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=1", process.execPath];
  it.for([
    ["the disk is full", "EFBIG", "sh", onFullDisk],
    ["flushing fails", "EIO", "strace", onFailingDisk],
  ] as const)("keeps the old file if %s", async ([, code, command, words], { skip }) => {
    skip(command === "strace" && needs("strace").skip, "needs strace");
    const folder = temporaryFolder();
    const path = join(folder, "file");
    writeFileSync(path, "old");

    const child = start(command, ...words, script, "replace", path, "20000");

    expect(await child.hear()).toBe(`${path} could not be written (${code}); the old file is unchanged`);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  it("flushes the file before the rename and the folder after it", needs("strace"), async () => {
    const folder = temporaryFolder();
    const log = join(folder, "log");
    const traced = ["-f", "-y", "-o", log, "-e", "trace=fsync,rename,renameat,renameat2"];
    const run = [process.execPath, script, "replace", join(folder, "file"), "10"];
    const child = start("strace", ...traced, ...run);
    expect(await child.hear()).toBe("done");
    await child.ended;
    const calls = [...readFileSync(log, "utf8").matchAll(/(fsync|rename)\w*\((?:\d+<(.*)>)?/g)];
    expect(calls.map(([, name, path]) => [name, path])).toEqual([
      ["fsync", expect.stringMatching(/file\.[0-9a-f]{16}\.tmp$/)],
      ["rename", undefined],
      ["fsync", inOctal(folder)],
    ]);
  });
});

describe("writeAll", () => {
  it("reports a partial write", async () => {
    const child = start("sh", ...onFullDisk, script, "write", join(temporaryFolder(), "file"), "20000");
    expect(await child.hear()).toBe("Error: EFBIG: file too large, write");
  });
});

describe("removeLeftovers", () => {
  it("removes only the temporary files of a killed replaceFile", () => {
    const folder = temporaryFolder();
    const others = ["file", "file.lock", "file.tmp", "other.0123456789abcdef.tmp"];
    for (const name of [...others, "file.0123456789abcdef.tmp"]) writeFileSync(join(folder, name), "");
    removeLeftovers(join(folder, "file"));
    expect(readdirSync(folder).sort()).toEqual(others);
  });
});

describe("a lock on a file system without hard links", () => {
  it("is refused", needs("strace"), async () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const fault = ["-f", "-o", "/dev/null", "-e", "inject=link,linkat:error=EPERM"];
    const child = start("strace", ...fault, process.execPath, script, "lock", path);
    expect(await child.hear()).toBe(`${path} cannot be locked (EPERM)`);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** A rename that fails that many times, and the pauses that were made for it. */
function failing(times: number, code: string, platform: NodeJS.Platform) {
  const pauses: number[] = [];
  let tries = 0;
  const work = () => {
    if (tries++ < times) throw Object.assign(new Error(code), { code });
    return "renamed";
  };
  const run = () => retryOnWindows(work, { isWindows: platform === "win32", pause: (ms) => pauses.push(ms) });
  return { pauses, tries: () => tries, run };
}

describe("a rename", () => {
  it.each(["EPERM", "EACCES", "EBUSY"])("is tried again on Windows after %s", (code) => {
    const { run, tries, pauses } = failing(3, code, "win32");
    expect(run()).toBe("renamed");
    expect([tries(), pauses.length]).toEqual([4, 3]);
  });

  it("is given up after half a second", () => {
    const { run, pauses } = failing(99, "EBUSY", "win32");
    expect(run).toThrow("EBUSY");
    expect(pauses.reduce((sum, ms) => sum + ms)).toBe(500);
  });

  it.each([
    ["ENOSPC", "win32"],
    ["EPERM", "linux"],
    ["EBUSY", "darwin"],
  ] as const)("is not tried again after %s on %s", (code, platform) => {
    const { run, tries } = failing(1, code, platform);
    expect(run).toThrow(code);
    expect(tries()).toBe(1);
  });
});
