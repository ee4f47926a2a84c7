import { describe, expect, it } from "vitest";
import { retryOnWindows } from "../../src/files/durable.ts";

/** A rename that fails that many times, and the pauses that were made for it. */
function failing(times: number, code: string, platform: NodeJS.Platform) {
  const pauses: number[] = [];
  let tries = 0;
  const work = () => {
    if (tries++ < times) throw Object.assign(new Error(code), { code });
    return "renamed";
  };
  return {
    pauses,
    tries: () => tries,
    run: () => retryOnWindows(work, { isWindows: platform === "win32", pause: (ms) => pauses.push(ms) }),
  };
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
