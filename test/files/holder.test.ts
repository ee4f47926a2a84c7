import { hostname, tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { type Holder, lifeOf, readHolder, type Vantage, vantageOf } from "../../src/files/holder.ts";
import { leftBy } from "./left-lock.ts";
import { processes } from "./this-process.ts";

function holder(changes: Partial<Holder>): Holder {
  const read = readHolder(leftBy(changes));
  if (read === undefined) throw new Error("not a holder");
  return read;
}

function vantage(changes: Partial<Vantage["self"]>, isLocal = false): Vantage {
  const here = vantageOf(tmpdir(), "lock", processes);
  return { ...here, self: { ...here.self, isLocal, ...changes } };
}

const sameKernel = { boot: "this", namespace: "pid:[1]" };

describe("a holder that does not listen any more", () => {
  it.each([
    ["on this kernel", holder(sameKernel), vantage(sameKernel)],
    ["in another PID namespace of this kernel", holder(sameKernel), vantage({ ...sameKernel, namespace: "pid:[2]" })],
    ["on a local disk, before a restart", holder({ boot: "before" }), vantage({ boot: "this" }, true)],
    ["on this machine without /proc", holder({ boot: "" }), vantage({ boot: "", machine: hostname() })],
  ])("is dead: %s", async (_, dead, from) => {
    expect(await lifeOf(dead, from)).toBe("dead");
  });

  it.each([
    ["on another kernel, on a shared file system", holder({ boot: "other" }), vantage({ boot: "this" })],
    ["on a client of this file server", holder({ boot: "other", isLocal: false }), vantage({ boot: "this" }, true)],
    ["on an unknown kernel", holder({ boot: "" }), vantage({ boot: "this" })],
    ["on another machine without /proc", holder({ boot: "", machine: "other" }), vantage({ boot: "" })],
  ])("may be alive: %s", async (_, unknown, from) => {
    expect(await lifeOf(unknown, from)).toBe("unknown");
  });
});

describe("a holder that could not listen", () => {
  const mute = { ...sameKernel, listens: false };

  it("is known by its process in the same PID namespace", async () => {
    const { self } = vantageOf(tmpdir(), "lock", processes);
    const living = { ...mute, pid: process.pid, started: self.started };
    expect(await lifeOf(holder(living), vantage(sameKernel))).toBe("alive");
    expect(await lifeOf(holder({ ...mute, pid: 2 ** 30 }), vantage(sameKernel))).toBe("dead");
    if (self.started === "") return;
    expect(await lifeOf(holder({ ...living, started: "1" }), vantage(sameKernel))).toBe("dead");
  });

  it("may be alive in another PID namespace", async () => {
    const elsewhere = { ...sameKernel, namespace: "pid:[2]" };
    expect(await lifeOf(holder({ ...mute, pid: 2 ** 30 }), vantage(elsewhere))).toBe("unknown");
  });

  it("may be alive if /proc shows no PID namespace: it may be that of another", async () => {
    const hidden = { ...mute, namespace: "", pid: 2 ** 30 };
    expect(await lifeOf(holder(hidden), vantage({ ...sameKernel, namespace: "" }))).toBe("unknown");
  });
});
