import { describe, expect, test } from "vitest";
import { version } from "../../src/version.ts";
import { sms } from "../support/machine.ts";
import { temporaryFolder } from "../support/folders.ts";

/** Runs a command line that must be a usage error, and returns its JSON. */
async function refusal(args: readonly string[], environment = {}): Promise<unknown> {
  const { code, stdout, stderr } = await sms(args, { environment });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  return JSON.parse(stderr);
}

describe("a usage error", () => {
  test.each([
    ["send", ["send", "--json", "--nonsense"]],
    ["runs resume", ["runs", "resume", "--json"]],
  ])("of %s says that nothing was sent", async (_, args) => {
    expect(await refusal(args)).toMatchObject({ outcome: "unsent", exitCode: 2 });
  });

  test.each([
    ["a key with the name send", ["keys", "use", "send", "--json"]],
    ["no command", ["--json"]],
  ])("of %s says nothing about a message", async (_, args) => {
    expect(await refusal(args)).not.toHaveProperty("outcome");
  });

  test("names the command and the page that explains it", async () => {
    expect(await refusal(["runs", "show", "--json"])).toMatchObject({
      error: "missing required argument 'name'",
      hint: "for example: `sms runs show topup --failed`",
      details: ["Usage: sms runs show [options] <name>"],
    });
    expect(await refusal(["keys", "--json"])).toMatchObject({
      error: "no command is given",
      hint: "`sms keys --help` lists the commands",
    });
  });

  test.each([
    ["before it is parsed", ["sned", "--json"], "{"],
    ["after --", ["sned", "--", "--json"], "Error: "],
    ["in the place of a value", ["send", "--message", "--json"], "{"],
    ["after a -- in the place of a value", ["send", "--message", "--", "--json"], "{"],
  ])("is written as --json asks %s", async (_, args, start) => {
    expect((await sms(args)).stderr.slice(0, start.length)).toBe(start);
  });
});

describe("--version", () => {
  test.each([["--version --json"], ["send --version --json --no-color"]])(
    "%s also says which build and which Node it is",
    async (line) => {
      const { code, stdout, stderr } = await sms(line.split(" "));
      const { node } = process.versions;
      const platform = `${process.platform}-${process.arch}`;
      const newerNodeAdvised = node.startsWith("20.");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toEqual({ version, build: "package", platform, node, newerNodeAdvised });
    },
  );

  test.each([
    ["--quiet", ["send", "-qV"]],
    ["--verbose", ["runs", "--verbose", "list", "--version"]],
    ["--profile", ["-V", "--profile=shop"]],
  ])("refuses %s", async (flag, args) => {
    const { code, stdout, stderr } = await sms(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`--version has no ${flag} option`);
  });
});

test("a profile that there is not is refused, also for a sandbox", async () => {
  const args = ["send", "--sandbox", "--to", "+254712345678", "--message", "Hi", "--json", "--profile", "nope"];
  expect(await refusal(args, { SMS_STATE_DIR: temporaryFolder() })).toMatchObject({
    error: expect.stringContaining('no profile "nope"'),
    outcome: "unsent",
  });
});

test("a profile can be named only once, before the command or after it", async () => {
  expect(await refusal(["--profile", "a", "keys", "--json", "list", "--profile", "b"])).toMatchObject({
    error: "--profile is given twice",
  });
});

test.each([
  [["send", "-m", "caf\uFFFD", "--json"], {}, "argument 3, after -m, is not UTF-8 text"],
  [["send", "--once=\uFFFD", "--json"], {}, "argument 2 is not UTF-8 text"],
  [["status", "--json"], { SMS_ONLY_TO: "\uFFFD" }, "the variable SMS_ONLY_TO is not UTF-8 text"],
  [["status", "--json"], { https_proxy: "http://\uFFFD" }, "the variable https_proxy is not UTF-8 text"],
])("the arguments %j and the variables %j are refused", async (args, environment, fault) => {
  expect(await refusal(args, environment)).toMatchObject({ error: fault, errorCode: "NOT_UTF8" });
});
