import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { to, withSend } from "./with-send.ts";
import type { Machine } from "../support/machine.ts";

const { run, sandbox } = withSend();
const folder = mkdtempSync(join(tmpdir(), "sms-watch-"));
let states = 0;
/** An environment with a record of its own. */
const ownRecord = () => ({ SMS_CONFIG_DIR: join(folder, "config"), SMS_STATE_DIR: join(folder, `state${++states}`) });
const other = "+254712345679";

afterAll(() => rmSync(folder, { recursive: true }));

const lines = (...all: readonly string[]) => all.map((line) => `${line}\n`).join("");
const storm = lines("ERROR payment 1 failed", "ERROR payment 2 failed", "", "FATAL no disk", "ERROR payment 3 failed");

/** Runs the command to the end of its input, and returns what the sandbox got, too. */
async function watch(args: readonly string[], stdin = storm, machine: Machine = {}) {
  const before = sandbox().messages().length;
  const ended = await run(["watch", "--to", to, ...args], { environment: ownRecord(), ...machine, stdin });
  const texts = sandbox()
    .messages()
    .slice(before)
    .map((sent) => `${sent.to} ${sent.message}`);
  return { ...ended, texts };
}

test("sends the first line at once, and at the end what followed", async () => {
  const environment = ownRecord();
  const { code, stdout, texts } = await watch(["--json"], storm, { environment });
  expect(code).toBe(0);
  expect(texts[0]).toBe(`${to} ERROR payment 1 failed`);
  expect(texts[1]).toMatch(/3 lines of 2 kinds, .*\n2x ERROR payment 2 failed\n1x FATAL no disk$/);
  const told = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(told.map(({ outcome, lines: count, kinds, mode }) => [outcome, count, kinds, mode])).toEqual([
    ["accepted", 1, 1, "test"],
    ["accepted", 3, 2, "test"],
  ]);
  const history = await run(["history", "--json"], { environment });
  expect(JSON.parse(history.stdout)).toMatchObject([{ kind: "watch" }, { kind: "watch" }]);
});

test("puts the words of --message before the lines", async () => {
  const { code, texts } = await watch(["--message", "billing:"], lines("ERROR {{x}}", "ERROR b", "ERROR b"));
  expect([code, texts[0]]).toEqual([0, `${to} billing: ERROR {{x}}`]);
  expect(texts[1]).toMatch(/ billing: 2 lines of 1 kind, .*\n2x ERROR b$/);
});

test.each([
  ["{{host}} says", "the message contains {{host}}"],
  ["{% if a %}", "another template language"],
  ["-", "--message - and the lines are both standard input"],
  ["a".repeat(280), "--message leaves fewer than 40 characters for lines"],
])("refuses the words %j", async (words, error) => {
  expect(await watch(["--message", words])).toMatchObject({
    code: 2,
    texts: [],
    stderr: expect.stringContaining(error),
  });
});

test("never passes --at-most, and says at the end what no text told", async () => {
  const { code, texts, stderr } = await watch(["--at-most", "1/h", "--json"]);
  expect([code, texts]).toEqual([11, [`${to} ERROR payment 1 failed`]]);
  expect(JSON.parse(stderr)).toMatchObject({
    error: "3 lines were not sent",
    errorCode: "NOT_ALL_SENT",
    exitCode: 11,
    details: [`${to}: 3 lines of 2 kinds: --at-most 1/h allows no more`],
  });
});

test("counts at a restart what an earlier watch told the same number, by the same kind of key, in that time", async () => {
  const environment = ownRecord();
  const start = Date.now();
  let key = "test";
  const at = async (minutes: number, ...args: readonly string[]) => {
    const time = start + minutes * 60_000;
    const machine = { environment: { ...environment, SMS_API_KEY: `sk_${key}_sandbox` }, now: time, clock: time };
    const { code, texts } = await watch(["--at-most", "1/h", ...args], "ERROR x\n", machine);
    return [code, texts.length];
  };
  await run(["send", "--to", to, "-m", "by hand"], { environment });
  expect(await at(0)).toEqual([0, 1]);
  expect(await at(1)).toEqual([11, 0]);
  expect(await at(2, "--to", other)).toEqual([11, 1]);
  expect(await at(3, "--dry-run")).toEqual([0, 0]);
  key = "live";
  expect(await at(4)).toEqual([0, 1]);
  key = "test";
  // The clock was set back.
  expect(await at(-90)).toEqual([11, 0]);
  expect(await at(59)).toEqual([11, 0]);
  expect(await at(61)).toEqual([0, 1]);
});

test("counts an uncertain text at a restart, and says so if the history is off", async () => {
  const environment = ownRecord();
  const args = ["watch", "--to", "0700 000 598", "--country", "KE", "--at-most", "1/h"];
  const again = () => run(args, { environment, stdin: "x\n" });
  expect(await again()).toMatchObject({ code: 11, stdout: expect.stringContaining("the service may have it") });
  expect(await again()).toMatchObject({ code: 11, stdout: "" });
  const { stderr } = await watch(["--quiet"], "x\n", { environment: { ...environment, SMS_HISTORY: "off" } });
  expect(stderr).toBe("Warning: no history is kept, so a restart forgets what --at-most has counted\n");
});

test("gathers as if the hour were used up if it cannot use the history, and says so", async () => {
  const environment = ownRecord();
  const month = new Date().toISOString().slice(0, 7);
  mkdirSync(join(environment.SMS_STATE_DIR, "history", `${month}.ndjson`), { recursive: true, mode: 0o700 });

  const { code, texts, stderr } = await watch(["--at-most", "3/h"], storm, { environment });

  expect({ code, texts }).toEqual({ code: 11, texts: [] });
  expect(stderr).toMatch(
    /^Warning: the history cannot be read and written \(.*is not a plain file\), so --at-most 3\/h counts as/m,
  );
  expect(stderr).toContain("4 lines of 2 kinds: --at-most 3/h allows no more");
});

test("prints in a dry run what would be sent", async () => {
  const { code, texts, stdout } = await watch(["--dry-run"]);
  expect([code, texts]).toEqual([0, []]);
  expect(stdout).toMatch(/would send to \+254712345678: 3 lines of 2 kinds \(1 segment\)\n {4}3 lines of 2 kinds, /);
});

test("takes numbers and lists, each recipient once, without those who opted out", async () => {
  const environment = { ...ownRecord(), SMS_CONFIG_DIR: join(folder, "lists") };
  mkdirSync(join(folder, "lists", "groups"), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(folder, "lists", "groups", "oncall.csv"),
    `to,message\n${other},mine\n${to},mine\n+254712345670,x\n`,
  );
  await run(["optout", "add", "+254712345670"], { environment });
  const { code, texts, stderr } = await watch(["--to", "@oncall"], "ERROR x\n", { environment });
  expect([code, texts.toSorted()]).toEqual([0, [`${to} ERROR x`, `${other} ERROR x`]]);
  expect(stderr).toContain("opted out");
});

test("says once that credits are used up, and tells the others", async () => {
  const { code, texts, stderr } = await watch(["--to", "+254700000402"]);
  expect([code, texts.length]).toEqual([11, 2]);
  expect(stderr.match(/INSUFFICIENT_CREDITS/g)).toHaveLength(1);
  expect(stderr).toContain("+254700000402: 4 lines of 2 kinds: Insufficient");
});

test("lets go what the service refuses, and tells what follows without it", async () => {
  const refused = ["watch", "--to", "+254700000400"];
  const { code, stdout, stderr } = await run([...refused, "--json"], { environment: ownRecord(), stdin: storm });
  const told = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(told.map(({ outcome, httpStatus, lines: count }) => [outcome, httpStatus, count])).toEqual([
    ["rejected", 400, 1],
    ["rejected", 400, 3],
  ]);
  expect([code, stderr.match(/INVALID_REQUEST/g)?.length, stderr]).toEqual([
    11,
    1,
    expect.not.stringContaining("NOT_ALL"),
  ]);
  const seen = await run(refused, { environment: ownRecord(), stdin: storm });
  expect(seen.stdout.replaceAll(/^\S+ \S+ +/gm, "")).toBe(
    "✗ to +254700000400: 1 line: the service refuses it (HTTP 400), and it is not tried again\n" +
      "✗ to +254700000400: 3 lines of 2 kinds: the service refuses it (HTTP 400), and it is not tried again\n",
  );
  expect((await run([...refused, "-q"], { environment: ownRecord(), stdin: "x" })).stdout).toBe("");
});

test("promises no other text at the end", async () => {
  const limited = { SMS_BASE_URL: "http://127.0.0.1:9", SMS_API_KEY: "sk_live_1", SMS_DAILY_CREDITS: "1" };
  const ofDay = await watch([], "x".repeat(161), { environment: { ...ownRecord(), ...limited } });
  const ofAccount = await run(["watch", "--to", "+254700000402"], { environment: ownRecord(), stdin: "x" });
  expect([ofDay, ofAccount].map(({ stderr }) => /Next: (.*)/.exec(stderr)?.[1])).toEqual([
    "raise the limit with SMS_DAILY_CREDITS=2",
    "top up the account",
  ]);
  // A guard says in its own words why lines were not sent.
  expect(ofDay.stderr).toMatch(/^ {2}\+254712345678: 1 line: .*credit/m);
  for (const { code, stderr } of [ofDay, ofAccount]) {
    expect(code).toBe(11);
    expect(stderr).not.toMatch(/type|tries again|next text/);
  }
});

test("is in the history once for each text, however often it was tried", async () => {
  const environment = ownRecord();
  const { code } = await run(["watch", "--to", "+254700000429"], { environment, stdin: "x" });
  const history = await run(["history", "--json"], { environment });
  expect([code, JSON.parse(history.stdout)]).toMatchObject([0, [{ outcome: "accepted" }]]);
  expect(JSON.parse(history.stdout)).toHaveLength(1);
});

test("never repeats an uncertain text", async () => {
  const machine = { environment: ownRecord(), stdin: storm };
  const { code, stdout, stderr } = await run(["watch", "--to", "+254700000598", "--json"], machine);
  const told = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(told.map(({ outcome, lines: count }) => [outcome, count])).toEqual([
    ["uncertain", 1],
    ["uncertain", 3],
  ]);
  expect([code, stderr]).toEqual([11, ""]);
});

test("holds lines outside the hours", async () => {
  const clock = Date.parse("2026-11-22T00:30:00Z");
  const { code, texts, stderr } = await watch(["--between", "08:00-20:00 UTC"], storm, { clock });
  expect([code, texts]).toEqual([11, []]);
  expect(stderr).toContain(
    "4 lines of 2 kinds: it is 2026-11-22 00:30 in UTC, and the hours are 08:00-20:00 in UTC (--between)",
  );
});

test("sends at SIGTERM what was gathered", async () => {
  const { code, texts } = await watch([], storm, { isStopped: true });
  expect([code, texts.length]).toEqual([0, 2]);
});

test.each([
  [["--group", "0s"], "INVALID_OPTION"],
  [["--at-most", "0/h"], "INVALID_OPTION"],
  [["--at-most", "6"], "INVALID_OPTION"],
  [["--expect", "live"], "UNEXPECTED_KEY"],
  [["--to", "12"], "INVALID_RECIPIENTS"],
  [["--to", "@nobody"], "UNKNOWN_LIST"],
])("refuses %j", async (args, errorCode) => {
  const { code, texts, stderr } = await watch([...args, "--json"]);
  expect([code, texts]).toEqual([2, []]);
  expect(JSON.parse(stderr)).toMatchObject({ errorCode });
});

test("ends with an empty input as if nothing had happened, and needs a recipient", async () => {
  expect(await watch(["--json"], "")).toEqual({ code: 0, stdout: "", stderr: "", texts: [] });
  expect(await run(["watch"])).toMatchObject({ code: 2, stderr: expect.stringContaining("there is no recipient") });
});
