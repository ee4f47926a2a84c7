import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { acquireLock } from "../../src/files/lock.ts";
import { inContainer } from "../support/container.ts";
import { needs } from "../support/needs.ts";
import { trials } from "../support/trials.ts";
import { bundle, type Child, start } from "./child.ts";
import { leftBy } from "./left-lock.ts";
import { take } from "./taken-lock.ts";
import { processes } from "./this-process.ts";
import { temporaryFolder } from "../support/folders.ts";

const rounds = trials("ROUNDS", 20, 50);
let script: string;

beforeAll(async () => {
  script = await bundle("test/files/lock-child.ts");
});

async function startChild(...prefix: readonly string[]): Promise<Child> {
  const [command, ...args] = [...prefix, process.execPath, script];
  const child = start(command, ...args);
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

async function isFree(path: string): Promise<boolean> {
  const lock = await acquireLock(path, processes);
  if (lock.kind === "lock") lock.release();
  return lock.kind === "lock";
}

describe("a lock between processes", () => {
  it.each([
    ["free", undefined],
    ["left by a dead process", leftBy()],
  ])(`that is %s goes to one of four that race for it, ${rounds} times`, async (_, text) => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const children = await startFour();
    for (let round = 0; round < rounds; round++) {
      if (text !== undefined) writeFileSync(path, text);
      const moment = Date.now() + 4;
      const answers = await Promise.all(children.map((child) => ask(child, `take\t${path}\t${moment}`)));
      const owners = children.filter((_child, index) => answers[index] === "taken");
      expect(owners).toHaveLength(1);
      for (const owner of owners) await ask(owner, "release");
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it(`goes to one of two PID namespaces with one host name, ${rounds / 2} times`, needs("PID namespaces"), async () => {
    const path = join(temporaryFolder(), "lock");
    const children = await Promise.all([startChild(...inContainer("app")), startChild(...inContainer("app"))]);
    for (let round = 0; round < rounds / 2; round++) {
      const answers = await Promise.all(children.map((child) => ask(child, `take\t${path}\t${Date.now() + 4}`)));
      const owners = children.filter((_child, index) => answers[index] === "taken");
      expect(owners).toHaveLength(1);
      expect((await acquireLock(path, processes)).kind).toBe("taken");
      for (const owner of owners) await ask(owner, "release");
    }
  });

  it("leaves a process that was killed in another PID namespace", needs("PID namespaces"), async () => {
    const path = join(temporaryFolder(), "lock");
    const owner = await startChild(...inContainer("app"));
    expect(await ask(owner, `take\t${path}\t0`)).toBe("taken");
    expect(await isFree(path)).toBe(false);
    owner.kill("SIGKILL");
    await owner.ended;
    await expect.poll(() => isFree(path)).toBe(true);
  });

  it("stays with a stopped process and leaves a killed one at once", async () => {
    const path = join(temporaryFolder(), "lock");
    const owner = await startChild();
    expect(await ask(owner, `take\t${path}\t0`)).toBe("taken");
    owner.kill("SIGSTOP");
    expect((await acquireLock(path, processes)).kind).toBe("taken");
    owner.kill("SIGKILL");
    await owner.ended;
    await take(path);
  });

  it("leaves a killed process that its parent has not yet waited for", needs("/proc"), async () => {
    const path = join(temporaryFolder(), "lock");
    // exec turns the shell, which never waits for its child, into a sleep that does not wait either.
    const command = `exec 3<&0; "${process.execPath}" "${script}" <&3 & echo $!; exec sleep 30`;
    const parent = start("sh", "-c", command);
    const pid = Number(await parent.hear());
    expect(await parent.hear()).toBe("ready");
    expect(await ask(parent, `take\t${path}\t0`)).toBe("taken");
    process.kill(pid, "SIGKILL");
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
    expect(processes.exists(pid)).toBe(true);
    // The kernel closes its socket a moment after it calls the process dead.
    await expect.poll(() => isFree(path)).toBe(true);
  });
});
