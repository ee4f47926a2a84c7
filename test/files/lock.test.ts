import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { acquireLock, withLock } from "../../src/files/lock.ts";
import { processStat } from "../../src/files/processes.ts";
import { needs } from "../support/needs.ts";
import { bundle, type Child, start, temporaryFolder } from "./child.ts";
import { machine, processes } from "./this-process.ts";

let script: string;

beforeAll(async () => {
  script = await bundle("test/files/lock-child.ts");
});

/** Higher than any process id. */
const deadPid = 2 ** 30;

const machineName = encodeURIComponent(hostname());

async function startChild(): Promise<Child> {
  const child = start(process.execPath, script);
  expect(await child.hear()).toBe("ready");
  return child;
}

function startFour(): Promise<readonly Child[]> {
  return Promise.all([startChild(), startChild(), startChild(), startChild()]);
}

async function ask(child: Child, line: string): Promise<string | undefined> {
  child.say(line);
  return child.hear();
}

describe("a lock", () => {
  it("is held until it is released, and then leaves no file", () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const lock = acquireLock(path, processes);
    expect(lock.kind).toBe("lock");
    expect(readdirSync(folder)).toEqual(["lock"]);
    expect(acquireLock(path, processes)).toEqual({ kind: "held", pid: process.pid });
    if (lock.kind === "lock") lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is not released by a process that lost it", () => {
    const path = join(temporaryFolder(), "lock");
    const lock = acquireLock(path, processes);
    writeFileSync(path, "another's");
    if (lock.kind === "lock") lock.release();
    expect(readFileSync(path, "utf8")).toBe("another's");
  });

  it.each([
    ["a dead process", `${deadPid},1,0123456789abcdef,${machineName}`],
    ["a power cut, empty", ""],
    ["a power cut, cut off", `${process.pid},1,0123`],
  ])("left by %s can be taken", (_, tag) => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    writeFileSync(path, tag);
    expect(acquireLock(path, processes).kind).toBe("lock");
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it("of a dead process whose id is reused can be taken", needs("/proc"), () => {
    const path = join(temporaryFolder(), "lock");
    writeFileSync(path, `${process.pid},1,0123456789abcdef,${machineName}`);
    expect(acquireLock(path, processes).kind).toBe("lock");
  });

  it("of another machine is respected", () => {
    const path = join(temporaryFolder(), "lock");
    writeFileSync(path, `${deadPid},1,0123456789abcdef,elsewhere`);
    expect(acquireLock(path, processes)).toEqual({ kind: "held", pid: deadPid });
  });

  it("can be taken over after another process died while taking it over", () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    writeFileSync(path, `${deadPid},1,0123456789abcdef,${machineName}`);
    writeFileSync(`${path}.takeover`, `${deadPid + 1},1,0123456789abcdef,${machineName}`);
    expect(acquireLock(path, processes).kind).toBe("lock");
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it("removes the temporary files of dead processes only", () => {
    const folder = temporaryFolder();
    const started = processStat(process.pid)?.started ?? "";
    const living = `lock.${process.pid},${started},0123456789abcdef,${machineName}`;
    for (const name of [
      living,
      `lock.${deadPid},1,0123456789abcdef,${machineName}`,
      `lock.takeover.${deadPid},1,0123456789abcdef,${machineName}`,
      "lock.txt",
    ]) {
      writeFileSync(join(folder, name), "");
    }
    acquireLock(join(folder, "lock"), processes);
    expect(readdirSync(folder).sort()).toEqual(["lock", living, "lock.txt"].sort());
  });

  it("cannot be taken in a missing folder", () => {
    expect(() => acquireLock(join(temporaryFolder(), "none", "lock"), processes)).toThrow(
      expect.objectContaining({ kind: "usage", errorCode: "CANNOT_LOCK" }),
    );
  });
});

describe("a lock between processes", () => {
  it.each([
    ["free", undefined],
    ["a dead process's", `${deadPid},1,0123456789abcdef,${machineName}`],
  ])("that is %s goes to exactly one of four racing processes, 50 times", async (_, tag) => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const children = await startFour();
    for (let round = 0; round < 50; round++) {
      if (tag !== undefined) writeFileSync(path, tag);
      const moment = Date.now() + 4;
      const answers = await Promise.all(children.map((child) => ask(child, `take\t${path}\t${moment}`)));
      const holders = children.filter((_child, index) => answers[index] === "taken");
      expect(holders).toHaveLength(1);
      for (const holder of holders) await ask(holder, "release");
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it("lets one process work at a time", async () => {
    const path = join(temporaryFolder(), "lock");
    const children = await startFour();
    const answers = await Promise.all(children.map((child) => ask(child, `work\t${path}\t25`)));
    expect(answers).toEqual(["done", "done", "done", "done"]);
  });

  it("stays with a stopped process and is free at once after a kill", async () => {
    const path = join(temporaryFolder(), "lock");
    const holder = await startChild();
    expect(await ask(holder, `take\t${path}\t0`)).toBe("taken");
    holder.kill("SIGSTOP");
    expect(acquireLock(path, processes)).toEqual({ kind: "held", pid: holder.pid });
    holder.kill("SIGKILL");
    await holder.ended;
    expect(acquireLock(path, processes).kind).toBe("lock");
  });

  it("is free after the kill of a process that its parent has not reaped", needs("/proc"), async () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    // exec turns the shell into a sleep, which never reaps its child.
    const parent = start("sh", "-c", `exec 3<&0; "${process.execPath}" "${script}" <&3 & echo $!; exec sleep 30`);
    const pid = Number(await parent.hear());
    expect(await parent.hear()).toBe("ready");
    expect(await ask(parent, `take\t${path}\t0`)).toBe("taken");
    process.kill(pid, "SIGKILL");
    await expect.poll(() => processStat(pid)?.runs).toBe(false);
    expect(processes.exists(pid)).toBe(true);
    expect(acquireLock(path, processes).kind).toBe("lock");
  });
});

describe("withLock", () => {
  it("returns the result of the work and releases the lock, even if the work fails", async () => {
    const path = join(temporaryFolder(), "lock");
    const waiting = { ...machine, timeoutMs: 0 };
    expect(await withLock(path, processes, waiting, () => existsSync(path))).toBe(true);
    const failing = withLock(path, processes, waiting, () => Promise.reject(new Error("failed")));
    await expect(failing).rejects.toThrow("failed");
    expect(existsSync(path)).toBe(false);
  });

  it("waits for a held lock until the timeout, then names the holder and the file", async () => {
    const path = join(temporaryFolder(), "lock");
    acquireLock(path, processes);
    const began = Date.now();
    await expect(withLock(path, processes, { ...machine, timeoutMs: 60 }, () => {})).rejects.toThrow(
      expect.objectContaining({
        kind: "usage",
        errorCode: "LOCKED",
        message: `process ${process.pid} holds ${path}`,
      }),
    );
    expect(Date.now() - began).toBeGreaterThanOrEqual(60);
  });
});
