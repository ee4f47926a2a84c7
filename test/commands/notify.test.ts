import { existsSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { durationText } from "../../src/words/duration.ts";
import { to, withHistory } from "../record/with-history.ts";
import { needs } from "../support/needs.ts";
import type { Machine } from "../support/machine.ts";

const { group, history, path, run, sandbox } = withHistory();

/** A machine on which a command takes no time. */
const atOnce = { now: Date.now() };

/** Tells of a command that ends so. */
const tell = (args: readonly string[], words: readonly string[], machine: Machine = {}) =>
  run(["notify", "--to", to, ...args, "--", ...words], machine);

const ending = (code: number) => ["sh", "-c", `exit ${code}`];
const texts = () =>
  sandbox()
    .messages()
    .map(({ message }) => message);

describe("sms notify", needs("POSIX shell"), () => {
  it.each([
    [0, `sh succeeded after 0 s on ${hostname()}`],
    [3, `sh failed (3) after 0 s on ${hostname()}`],
  ])("keeps its exit code %d, and its message is reported on standard error", async (code, text) => {
    const stderr = expect.stringContaining("Queued for");
    expect(await tell([], ending(code), atOnce)).toEqual({ code, stdout: "", stderr });
    expect(texts()).toEqual([text]);
  });

  it.each<[string, readonly string[], number, number]>([
    ["fails, with --only success", ["--only", "success"], 1, 0],
    ["succeeds, with --only success", ["--only", "success"], 0, 1],
    ["is fast, with --longer-than", ["--longer-than", "10m"], 1, 0],
    ["takes longer, with --longer-than", ["--longer-than", "0s"], 0, 1],
    ["is interrupted", [], 130, 0],
    ["gets SIGTERM", [], 143, 1],
  ])("is followed by a message or not if it %s", async (_, args, code, messages) => {
    expect(await tell(args, ending(code))).toMatchObject({ code });
    expect(texts()).toHaveLength(messages);
  });

  it.each<[string, readonly string[], number, Machine?]>([
    ["an empty secret", ["--to", to], 4, { environment: { SMS_API_KEY: "" } }],
    ["a guard", ["--to", to, "--max-credits", "0"], 12],
    ["a guard, by the shortest text", ["--to", to, "--max-credits", "1", "-m", "a".repeat(161)], 12],
    ["a text that no end makes short enough", ["--to", to, "-m", `${"a".repeat(1600)}{{exit}}`], 2],
    ["a fault in the number", ["--to", "+25471", "--json"], 2],
    ["a list that is not there", ["--to", "@oncall"], 2],
    ["nobody to tell", [], 2],
    ["an empty SMS_NOTIFY_TO", [], 2, { environment: { SMS_NOTIFY_TO: "" } }],
    ["a guard of SMS_NOTIFY_TO", [], 2, { environment: { SMS_NOTIFY_TO: to, SMS_ONLY_TO: "+254733000000" } }],
    ["an unknown field", ["--to", to, "-m", "{{exut}}"], 2],
  ])("says that the command was not run because of %s", async (_, args, exitCode, machine) => {
    const { code, stderr } = await run(["notify", ...args, "--", "touch", path("ran")], machine);

    expect(code).toBe(exitCode);
    expect(stderr).toContain("The command was not run.");
    expect({ isRun: existsSync(path("ran")), texts: texts() }).toEqual({ isRun: false, texts: [] });
  });

  const [of, ofEnvironment, ofProfile] = ["+254712345671", "+254712345672", "+254712345673"];

  it("tells the number of --to, of SMS_NOTIFY_TO or of the profile, in this order, or the only one of an @list", async () => {
    const words = ["--", "true"];
    group("me.csv", `name,phone\nAnn,${of}\n`);
    group("two.txt", `${of}\n${to}\n`);
    expect((await run(["profiles", "set", "notify-to", "0712 345 673", "--json"])).code).toBe(2);
    const environment = { SMS_COUNTRY: "KE" };
    expect((await run(["profiles", "set", "notify-to", "0712 345 673"], { environment })).code).toBe(0);
    const notified = { environment: { SMS_NOTIFY_TO: ofEnvironment } };
    await run(["notify", "--to", "@me", ...words], notified);
    await run(["notify", ...words], notified);
    await run(["notify", ...words], { environment: { SMS_NOTIFY_TO: "@me" } });
    await run(["notify", ...words], { environment: { SMS_API_KEY: "sk_test_sandbox" } });
    const told = sandbox()
      .messages()
      .map((message) => message.to);
    expect(told).toEqual([of, ofEnvironment, of, ofProfile]);
    expect((await run(["notify", "--to", "@two", ...words])).stderr).toContain("@two is not a list of one");
    expect((await run(["status"], notified)).stdout).toContain(`Notify    ${ofEnvironment} (from SMS_NOTIFY_TO)`);
    expect((await run(["status"])).stdout).toContain(`Notify    ${ofProfile} (from profile)`);
    await run(["optout", "add", ofProfile ?? ""]);
    expect((await run(["notify", ...words])).stderr).toContain("opted out");
    expect((await run(["profiles", "set", "notify-to", "@two"])).code).toBe(2);
    expect((await run(["profiles", "set", "notify-to", "@me"])).code).toBe(0);
  });

  it("leaves an empty SMS_NOTIFY_TO to notify", async () => {
    const { code } = await run(["send", "--to", to, "-m", "Hi"], { environment: { SMS_NOTIFY_TO: "" } });
    expect(code).toBe(0);
  });

  it("ends as in a shell if it cannot be started, and is followed by a message only with --only failure", async () => {
    const stderr = 'Error: cannot run "nosuch": there is no such program. The command was not run.\n';
    expect(await tell([], ["nosuch"])).toEqual({ code: 127, stdout: "", stderr });
    expect(await tell([], ["/"])).toMatchObject({ code: 126, stdout: "" });
    expect(texts()).toEqual([]);
    await tell(["--only", "failure"], ["nosuch"], atOnce);
    expect(texts()).toEqual([`nosuch failed (127) after 0 s on ${hostname()}`]);
  });

  it("has a text of the person, with its fields, and never its arguments or output", async () => {
    await tell(["-m", "{{command}} {{ Exit }} {{duration}} {{host}}"], ["/bin/sh", "-c", "true secret"], atOnce);
    writeFileSync(path("text"), "done: {{exit}}\n");
    await tell(["--message-file", path("text")], ending(4));
    expect(texts()).toEqual([`sh 0 0 s ${hostname()}`, "done: 4"]);
    expect((await tell(["-m", "{{hots}}"], ending(4))).stderr).toContain("the message contains {{hots}}");
  });

  it("keeps its exit code when the send fails, which is said on standard error", async () => {
    const { code, stderr } = await run(["notify", "--to", "+254700000402", "--json", "--", ...ending(0)]);
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ errorCode: "INSUFFICIENT_CREDITS", outcome: "rejected" });
  });

  it("is followed by one message under a key of --once, however it ends", async () => {
    expect(await tell(["--once", "a"], ending(3))).toMatchObject({ code: 3 });
    expect(await tell(["--once", "a"], ending(0))).toMatchObject({ code: 0 });
    expect(texts()).toHaveLength(1);
    expect(await history()).toHaveLength(1);
    expect(await tell(["--once", "a", "--dry-run"], ending(0))).toMatchObject({ code: 0 });
  });

  it("does not start for a number that has opted out, nor for a used key, nor in a dry run", async () => {
    await run(["send", "--to", to, "-m", "Hi", "--once", "a"]);
    const touch = ["touch", path("ran")];
    expect(await tell(["--once", "a"], touch)).toMatchObject({ code: 2 });
    const { code, stdout, stderr } = await tell(["--dry-run", "--json"], touch);
    expect({ code, stdout, plan: JSON.parse(stderr) }).toMatchObject({ code: 0, stdout: "", plan: { dryRun: true } });
    await run(["optout", "add", to]);
    expect(await tell([], touch)).toMatchObject({ code: 2, stderr: expect.stringContaining("opted out") });
    expect(existsSync(path("ran"))).toBe(false);
  });

  it("runs although its guards would now refuse what was sent under its key", async () => {
    await tell(["--once", "a"], ["touch", path("ran")]);
    await run(["optout", "add", to]);
    expect(await tell(["--once", "a", "--max-credits", "0"], ["touch", path("ran")])).toMatchObject({ code: 0 });
  });

  it("runs outside the hours, which are those of the message", async () => {
    const clock = Date.parse("2026-11-22T01:00:00Z");
    const { code, stderr } = await tell(["--between", "08:00-20:00"], ["touch", path("ran")], { clock });
    expect({ code, isRun: existsSync(path("ran")), texts: texts() }).toEqual({ code: 0, isRun: true, texts: [] });
    expect(stderr).toContain("they open at 2026-11-22 08:00 in Africa/Nairobi: --wait");
  });

  it.each([
    [["--only", "failure", "--", "make", "release"], "--only failure -- make release"],
    [["--", "make", "-j4"], "-- make -j4"],
  ])("is named when send is given the command of %j", async (args, rest) => {
    const { code, stdout, stderr } = await run(["send", "--to", to, ...args]);
    expect({ code, stdout, texts: texts() }).toEqual({ code: 2, stdout: "", texts: [] });
    expect(stderr).toContain(
      `send runs no command\n  Nothing was sent.\n  Next: notify does: \`sms notify --to ${to} ${rest}\``,
    );
  });
});

it.each([
  [0, "0 s"],
  [59_400, "59 s"],
  [192_000, "3 min 12 s"],
  [7_512_000, "2 h 5 min"],
])("%d ms of a command are %j", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
