import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { findProgram } from "../../src/sending/notify/child-command.ts";
import { temporaryFolder } from "../support/folders.ts";

const folder = temporaryFolder();
beforeAll(() => {
  mkdirSync(join(folder, "tool.com"));
  for (const name of ["tool", "tool.exe", "other.com", "other.exe", "script", "script.cmd"]) {
    writeFileSync(join(folder, name), "", { mode: 0o755 });
  }
  writeFileSync(join(folder, "text"), "", { mode: 0o644 });
});
it.each([
  ["linux", "tool", "tool"],
  ["linux", "other", undefined],
  ["win32", "tool", "tool.exe"],
  ["win32", "tool.exe", "tool.exe"],
  ["win32", "other", "other.com"],
  ["win32", "script", undefined],
  ["win32", "script.cmd", "script.cmd"],
] as const)("on %s, %s is the program %s", (platform, name, file) => {
  const path = ["", ".", "nowhere", folder].join(delimiter);
  const found = file === undefined ? undefined : join(folder, file);
  expect(findProgram(name, { PATH: path }, platform)).toBe(found);
});

it("is found by the Path of Windows, and by no other variable elsewhere", () => {
  expect(findProgram("tool", { Path: folder }, "win32")).toBe(join(folder, "tool.exe"));
  expect(findProgram("tool", { Path: folder }, "linux")).toBeUndefined();
});
