import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withRuns } from "./with-runs.ts";

const { accepted, file, run, runsFolder } = withRuns();
const one = ["send", "--to", "+254999999999", "-m", "Hi"];
const live = { SMS_API_KEY: "sk_live_sandbox" };

/** Runs a command at a terminal, where a person answers each question with Ctrl-C; returns what was asked besides. */
async function atTerminal(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  question = "+254999999999 may not exist. Send to it?",
) {
  let asked = "";
  const { code } = await run(args, { environment, onPrompt: (text) => (asked += text) });
  return { code, isAsked: asked.includes(question), sent: accepted().length };
}

const interrupted = { code: 130, isAsked: true, sent: 0 };

describe("a number in no range known to be in use is warned of, with its line", () => {
  const doubtful = "+2541712345678";
  const away = ["send", "--to", "+254712345678", "-m", "Hi", "-n"];
  const list = () => file("list.csv", `to\n+254712345678\n1 712345678\n${doubtful.slice(0, -1)}9\n`);
  const several = `2 numbers such as ${doubtful} are in no range of numbers known to be in use: lines 3 and 4`;
  const typed = "+254712345678,1 712345678";

  it.each<[string, () => readonly string[], string, (() => string)?]>([
    ["optout add", () => ["optout", "add", "1 712345678", "--country", "KE"], `Warning: ${doubtful} is in no range`],
    ["optout import", () => ["optout", "import", list(), "--country", "KE"], `Warning: ${several}`],
    ["--exclude", () => [...away, "--to", "+254712345679", "--exclude", list(), "--country", "KE"], `): ${several}`],
    ["--only-to", () => [...away, "--only-to", list(), "--country", "KE"], `): ${several}`],
    ["--only-to of numbers", () => [...away, "--only-to", typed, "--country", "KE"], "to be in use: line 2"],
    ["SMS_ONLY_TO", () => away, `SMS_ONLY_TO: ${doubtful} is in no range`, () => typed],
    ["SMS_ONLY_TO of a file", () => away, `): ${several}`, list],
    ["profiles set only-to", () => ["profiles", "set", "only-to", list()], `): ${several}`],
    ["clean", () => ["clean", list()], `${doubtful} is in no range of numbers known to be in use`],
  ])("by %s", async (door, args, text, onlyTo) => {
    const { code, stdout, stderr } = await run(args(), {
      environment: { SMS_COUNTRY: "KE", ...(onlyTo && { SMS_ONLY_TO: onlyTo() }) },
    });
    const said = (stdout + stderr).replaceAll(/\s+/g, " ");
    expect({ code, said }).toEqual({ code: door === "clean" ? 11 : 0, said: expect.stringContaining(text) });
  });
});

describe("a message to a number in no range known to be in use", () => {
  it("is asked about at a terminal before anything goes to a live key", async () => {
    expect(await atTerminal(one, live)).toEqual(interrupted);
    expect(await atTerminal([...one, "--once", "a", "--quiet"], live)).toEqual(interrupted);
    const made = runsFolder("..", "made");
    expect(await atTerminal(["notify", ...one.slice(1), "--", "touch", made], live)).toEqual(interrupted);
    expect(existsSync(made)).toBe(false);
  });

  it.each([
    ["of one", ["--run", "named"], "+254999999999 may not exist. Send anyway?"],
    ["of two", ["--to", "+254999999998"], "2 numbers such as +254999999999 may not exist. Send anyway?"],
  ])("is asked about once in a run %s", async (_, more, question) => {
    expect(await atTerminal([...one, ...more], live, question)).toEqual(interrupted);
  });

  it.each<[string, readonly string[], Readonly<Record<string, string>>, number]>([
    ["with --yes", ["--yes"], live, 1],
    ["with --no-input", ["--no-input"], live, 1],
    ["in CI", [], { ...live, CI: "true" }, 1],
    ["with a test key", [], {}, 1],
    ["in the sandbox", ["--sandbox"], live, 0],
    ["in a dry run", ["-n"], live, 0],
    ["in a rehearsal, which reaches another number", ["--redirect-to", "+254712345678"], live, 1],
  ])("is only warned of %s", async (_, more, environment, sent) => {
    expect(await atTerminal([...one, ...more], environment)).toEqual({ code: 0, isAsked: false, sent });
  });

  it("is only warned of elsewhere", async () => {
    const { code, stderr } = await run(one, { environment: live });
    const warning = "Warning: +254999999999 is in no range of numbers known to be in use\n";
    expect([code, stderr]).toEqual([0, expect.stringContaining(warning)]);
  });

  it("is not asked about if it is refused anyway, or was sent before", async () => {
    const onlyTo = ["--only-to", file("staff.txt", "+254712345678\n")];
    expect(await atTerminal([...one, ...onlyTo], live)).toMatchObject({ code: 2, isAsked: false });
    const now = ["--between", "00:00-00:01 UTC"];
    const noon = Date.parse("2026-01-31T12:00:00Z");
    const closed = await run([...one, ...now], { environment: live, clock: noon, onPrompt: expect.unreachable });
    expect(closed.code).toBe(12);
    const once = [...one, "--once", "b"];
    expect((await run(once, { environment: live })).code).toBe(0);
    expect(await atTerminal(once, live)).toEqual({ code: 0, isAsked: false, sent: 1 });
  });
});
