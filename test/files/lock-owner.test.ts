import { hostname, tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { type LockOwner, livenessOf, readLockOwner, type LockView, viewOf } from "../../src/files/lock-owner.ts";
import { leftBy } from "./left-lock.ts";
import { processes } from "./this-process.ts";

function owner(changes: Partial<LockOwner>): LockOwner {
  const read = readLockOwner(leftBy(changes));
  if (read === undefined) throw new Error("not an owner");
  return read;
}

function view(changes: Partial<LockView["self"]>, isLocal = false): LockView {
  const here = viewOf(tmpdir(), "lock", processes);
  return { ...here, self: { ...here.self, isLocal, ...changes } };
}

const sameKernel = { boot: "this", namespace: "pid:[1]" };

describe("an owner that does not listen any more", () => {
  it.each([
    ["on this kernel", owner(sameKernel), view(sameKernel)],
    ["in another PID namespace of this kernel", owner(sameKernel), view({ ...sameKernel, namespace: "pid:[2]" })],
    ["on a local disk, before a restart", owner({ boot: "before" }), view({ boot: "this" }, true)],
    ["on this machine without /proc", owner({ boot: "" }), view({ boot: "", machine: hostname() })],
  ])("is dead: %s", async (_, dead, from) => {
    expect(await livenessOf(dead, from)).toBe("dead");
  });

  it.each([
    ["on another kernel, on a shared file system", owner({ boot: "other" }), view({ boot: "this" })],
    ["on a client of this file server", owner({ boot: "other", isLocal: false }), view({ boot: "this" }, true)],
    ["on an unknown kernel", owner({ boot: "" }), view({ boot: "this" })],
    ["on another machine without /proc", owner({ boot: "", machine: "other" }), view({ boot: "" })],
  ])("may be alive: %s", async (_, unknown, from) => {
    expect(await livenessOf(unknown, from)).toBe("unknown");
  });
});

it("is nobody if its token is not ours: the token names a socket", () => {
  expect(readLockOwner(leftBy())).toBeDefined();
  expect(readLockOwner(leftBy({ token: "../../run/other" }))).toBeUndefined();
});

describe("an owner that could not listen", () => {
  const mute = { ...sameKernel, listens: false };

  it("is known by its process in the same PID namespace", async () => {
    const { self } = viewOf(tmpdir(), "lock", processes);
    const living = { ...mute, pid: process.pid, started: self.started };
    expect(await livenessOf(owner(living), view(sameKernel))).toBe("alive");
    expect(await livenessOf(owner({ ...mute, pid: 2 ** 30 }), view(sameKernel))).toBe("dead");
    if (self.started === "") return;
    expect(await livenessOf(owner({ ...living, started: "1" }), view(sameKernel))).toBe("dead");
  });

  it("may be alive in another PID namespace", async () => {
    const elsewhere = { ...sameKernel, namespace: "pid:[2]" };
    expect(await livenessOf(owner({ ...mute, pid: 2 ** 30 }), view(elsewhere))).toBe("unknown");
  });

  it("may be alive if /proc shows no PID namespace: it may be that of another", async () => {
    const hidden = { ...mute, namespace: "", pid: 2 ** 30 };
    expect(await livenessOf(owner(hidden), view({ ...sameKernel, namespace: "" }))).toBe("unknown");
  });
});
