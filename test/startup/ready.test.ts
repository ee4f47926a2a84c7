import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { version } from "../../src/version.ts";
import { sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { program, runSms } from "../support/sms.ts";
import { onTerminal } from "../support/terminal.ts";

const ready = (name: string) => readFileSync(join("dist/ready", name), "utf8");

test("every text that the build has ready is the one that commander prints", async () => {
  const names = readdirSync("dist/ready");
  expect(names.length).toBeGreaterThan(30);
  for (const name of names) {
    expect(await sms(name.split("."))).toEqual({ code: 0, stdout: ready(name), stderr: "" });
  }
});

it.each([
  [["--version"], `${version}\n`],
  [["-V"], `${version}\n`],
  [["--help"], ready("--help")],
  [["-h"], ready("-h")],
  [["help"], ready("--help")],
  [["send", "-h"], ready("send.-h")],
  [["runs", "show", "--help"], ready("runs.show.--help")],
  [["help", "exit-codes"], ready("help.exit-codes")],
  // Not ready, and the same.
  [["send", "--version"], `${version}\n`],
  [["--json", "--help"], ready("--help")],
])("sms %j prints what is ready", async (args, stdout) => {
  expect(await runSms(args)).toMatchObject({ code: 0, stdout, stderr: "" });
});

it.each([
  [["send.--help"], "unknown command"],
  [["help", "nothing"], "there is no help for"],
  [["help.send"], "unknown command"],
  [["../ready/--help"], "unknown command"],
  [["runs", "nothing", "--help-me"], "unknown"],
])("sms %j finds no such text", async (args, reason) => {
  const { code, stdout, stderr } = await runSms(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(reason);
});

test.each([
  [79, false],
  [80, true],
  [120, false],
])("on a terminal of %i columns main prints what is left of it: %s", async (columns, isPrinted) => {
  const { stdout } = await sms(["send", "-h"], { columns, ready: "ready" });
  const rendered = (await sms(["send", "-h"], { columns })).stdout;
  expect(stdout).toBe(isPrinted ? "ready" : rendered);
});

/** Gives what a shell line writes to stderr, in which `$sms` runs the program. */
function shell(line: string): string {
  return spawnSync("sh", ["-c", line.replace("$sms", () => shellLine(program))], {
    encoding: "utf8",
  }).stderr;
}

describe.each(["--version", "--help"])("%s", (flag) => {
  test("on a full disk says that it could not be written", needs("/dev/full"), () => {
    expect(shell(`$sms ${flag} >/dev/full`)).toMatch(/^Warning: the result could not be written: ENOSPC/);
  });

  test("says nothing to a reader that went away", () => {
    expect(shell(`{ sleep 0.2; $sms ${flag}; echo $? >&2; } | true`)).toBe("0\n");
  });

  test("reaches a terminal whole", needs("script"), async () => {
    const { code, shown } = await onTerminal([flag]);
    expect([code, shown.replaceAll("\r\n", "\n")]).toEqual([0, ready(flag)]);
  });
});

test("help on a wide terminal is as wide", needs("script"), async () => {
  const line = `stty cols 120; ${shellLine(program)} send --help`;
  const { stdout } = spawnSync("script", ["--quiet", "--command", line, "/dev/null"], { encoding: "utf8" });
  expect(stdout.replaceAll("\r\n", "\n")).toBe((await sms(["send", "--help"], { columns: 120 })).stdout);
});
