import { spawnSync } from "node:child_process";
import { expect, it, test } from "vitest";
import { version } from "../../src/version.ts";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { program, runSms } from "../support/sms.ts";

it.each([[["--version"]], [["-V"]], [["send", "--version"]], [["--no-color", "-V"]]])(
  "sms %j prints the version",
  async (args) => {
    expect(await runSms(args)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  },
);

function shell(line: string): string {
  return spawnSync("sh", ["-c", line.replace("$sms", () => shellLine(program))], { encoding: "utf8" }).stderr;
}

test("the version on a full disk says that it could not be written", needs("/dev/full"), () => {
  expect(shell("$sms --version >/dev/full")).toMatch(/^Warning: the result could not be written: ENOSPC/);
});

test("the version says nothing to a reader that went away", needs("POSIX shell"), () => {
  expect(shell("{ sleep 0.2; $sms --version; echo $? >&2; } | true")).toBe("0\n");
});
