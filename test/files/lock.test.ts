import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquireLock, breakLock, ownerOfLock, withLock } from "../../src/files/lock.ts";
import { leftBy } from "./left-lock.ts";
import { take } from "./taken-lock.ts";
import { machine, processes } from "./this-process.ts";
import { temporaryFolder } from "../support/folders.ts";

describe("a lock", () => {
  it("excludes others until it is released, and leaves nothing", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const lock = await take(path);
    expect(readdirSync(folder).sort()).toEqual(["lock", expect.stringMatching(/^lock\.[0-9a-f]{16}\.s$/)]);
    expect(await acquireLock(path, processes)).toEqual({
      kind: "taken",
      path,
      owner: expect.objectContaining({ pid: process.pid, machine: hostname() }),
      life: "alive",
      text: readFileSync(path, "utf8"),
    });
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("works in a folder whose path is longer than a socket's may be", async () => {
    const folder = join(temporaryFolder(), "a".repeat(120), "b".repeat(120));
    mkdirSync(folder, { recursive: true });
    const lock = await take(join(folder, "lock"));
    expect((await acquireLock(join(folder, "lock"), processes)).kind).toBe("taken");
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("notices that it was lost, and does not release another's", async () => {
    const path = join(temporaryFolder(), "lock");
    const lock = await take(path);
    expect(lock.isOurs()).toBe(true);
    rmSync(path);
    expect(lock.isOurs()).toBe(false);
    writeFileSync(path, "another's");
    expect(lock.isOurs()).toBe(false);
    lock.release();
    expect(readFileSync(path, "utf8")).toBe("another's");
  });

  it("that cannot be given back is left to the next, and nothing is thrown", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const lock = await take(path);
    const { token } = JSON.parse(readFileSync(path, "utf8")) as { token: string };
    // Neither renamed to nor removed.
    mkdirSync(`${path}.${token}`);
    lock.release();
    expect(readdirSync(folder).sort()).toEqual(["lock", `lock.${token}`]);
    await take(path);
  });

  it.each([
    ["a dead process", leftBy()],
    ["a dead process under another host name", leftBy({ machine: "another-container" })],
    ["a dead process whose pid is in use here", leftBy({ pid: process.pid })],
    ["a kernel that was restarted since", leftBy({ boot: "an earlier boot" })],
    ["a power cut, empty", ""],
    ["a power cut, torn", leftBy().slice(0, 40)],
  ])("of %s is taken", async (_, text) => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    writeFileSync(path, text);
    await take(path);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it("is removed by a person, whoever has it", async () => {
    const path = join(temporaryFolder(), "lock");
    const lock = await take(path);
    const taken = await ownerOfLock(path, processes);
    if (taken !== undefined) breakLock(taken);
    expect(await ownerOfLock(path, processes)).toBeUndefined();
    expect(lock.isOurs()).toBe(false);
    await take(path);
  });

  it("is taken over after a process died while it took it over", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    writeFileSync(path, leftBy());
    writeFileSync(`${path}.takeover`, leftBy({ token: "fedcba9876543210" }));
    await take(path);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it("of a later version, with other fields, is not taken", async () => {
    const path = join(temporaryFolder(), "lock");
    writeFileSync(path, '{"owner":"another"}\n');
    expect(await acquireLock(path, processes)).toMatchObject({ kind: "taken", life: "unknown" });
  });

  it("removes private files and sockets of dead processes and leaves everything else", async () => {
    const folder = temporaryFolder();
    await take(join(folder, "other"));
    const [socket = ""] = readdirSync(folder).filter((name) => name.endsWith(".s"));
    for (const [name, text] of [
      [`lock.${"0".repeat(16)}`, leftBy({ token: "0".repeat(16) })],
      [`lock.${"1".repeat(16)}`, "torn"],
      [`lock.${"2".repeat(16)}`, leftBy({ token: "2".repeat(16), isLocal: false, boot: "" })],
      [`lock.${"3".repeat(16)}.s`, ""],
      ["lock.txt", ""],
    ] as const) {
      writeFileSync(join(folder, name), text);
    }
    await take(join(folder, "lock"));
    const [own = ""] = readdirSync(folder).filter((name) => name.startsWith("lock.") && name.endsWith(".s"));
    expect(readdirSync(folder).sort()).toEqual(
      ["lock", `lock.${"2".repeat(16)}`, "lock.txt", "other", own, socket].sort(),
    );
  });
});

describe("withLock", () => {
  it("returns what the work returns and releases the lock, also if the work fails", async () => {
    const path = join(temporaryFolder(), "lock");
    expect(await withLock(path, machine, () => existsSync(path), 0)).toBe(true);
    const failing = withLock(path, machine, () => Promise.reject(new Error("failed")), 0);
    await expect(failing).rejects.toThrow("failed");
    expect(existsSync(path)).toBe(false);
  });

  it("waits longer if the lock goes from one process to another", async () => {
    const path = join(temporaryFolder(), "lock");
    let lock = await take(path);
    let clock = 0;
    const sleep = async () => {
      clock += 40;
      lock.release();
      if (clock <= 200) lock = await take(path);
    };
    const waiting = { now: () => clock, processes, random: () => 0, sleep };
    expect(await withLock(path, waiting, () => "done", 60)).toBe("done");
    expect(clock).toBe(240);
  });

  it("waits for a lock that is taken, then names the owner and the file", async () => {
    const path = join(temporaryFolder(), "lock");
    await take(path);
    const began = Date.now();
    await expect(withLock(path, machine, () => {}, 60)).rejects.toThrow(
      expect.objectContaining({
        kind: "usage",
        errorCode: "LOCKED",
        message: `process ${process.pid} on ${hostname()} has the lock ${path}`,
      }),
    );
    expect(Date.now() - began).toBeGreaterThanOrEqual(60);
  });
});
