import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { foldersIn, temporaryFolder, writeGroup } from "../support/folders.ts";
import { main } from "../../src/main.ts";
import { newClock } from "../support/clock.ts";
import { type Machine, sms } from "../support/machine.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { objectsIn } from "./with-runs.ts";
import { to, withSend } from "./with-send.ts";

const { run, sandbox } = withSend();
const other = "+254712345679";
const withoutCredits = "+254700000402";
const lines = (...all: readonly string[]) => all.map((line) => `${line}\n`).join("");
const storm = lines("ERROR payment 1 failed", "ERROR payment 2 failed", "", "FATAL no disk", "ERROR payment 3 failed");
const newFolders = () => foldersIn(temporaryFolder());

/** Runs the command to the end of its input. */
function watchOf(number: string, args: readonly string[], stdin = storm, environment: Machine["environment"] = {}) {
  return run(["watch", "--to", number, ...args], { environment: { ...newFolders(), ...environment }, stdin });
}

/** Returns what the sandbox got as well. */
async function watch(args: readonly string[], stdin = storm, machine: Machine = {}) {
  const before = sandbox().messages().length;
  const ending = await run(["watch", "--to", to, ...args], { environment: newFolders(), ...machine, stdin });
  const texts = sandbox().messages().slice(before);
  return { ...ending, texts: texts.map((text) => `${text.to} ${text.message}`) };
}

test("sends the first line at once, and at the end what followed", async () => {
  const environment = newFolders();

  const { code, stdout, texts } = await watch(["--json"], storm, { environment });

  const gathered = expect.stringMatching(/3 lines of 2 kinds, .*\n2x ERROR payment 2 failed\n1x FATAL no disk$/);
  expect({ code, texts }).toEqual({ code: 0, texts: [`${to} ERROR payment 1 failed`, gathered] });
  expect(objectsIn(stdout)).toMatchObject([
    { outcome: "accepted", lines: 1, kinds: 1, mode: "test" },
    { outcome: "accepted", lines: 3, kinds: 2, mode: "test" },
  ]);
  const history = await run(["history", "--json"], { environment });
  expect(JSON.parse(history.stdout)).toMatchObject([{ kind: "watch" }, { kind: "watch" }]);
});

test("puts the words of --message before the lines", async () => {
  const { code, texts } = await watch(["--message", "billing:"], lines("ERROR {{x}}", "ERROR b", "ERROR b"));

  const gathered = expect.stringMatching(/ billing: 2 lines of 1 kind, .*\n2x ERROR b$/);
  expect({ code, texts }).toEqual({ code: 0, texts: [`${to} billing: ERROR {{x}}`, gathered] });
});

test.each([
  { args: ["--message", "{{host}} says"], error: "`sms send` takes --literal" },
  { args: ["--message", "-"], error: "--message - and the lines are both standard input" },
  { args: ["--message", "a".repeat(280)], error: "--message leaves fewer than 40 characters for lines" },
  { args: ["--at-most", "0/h", "--json"], error: '"INVALID_OPTION"' },
  { args: ["--expect", "live", "--json"], error: '"UNEXPECTED_KEY"' },
  { args: ["--to", "@nobody", "--json"], error: "give `sms send` a file with --recipients" },
])("refuses $args", async ({ args, error }) => {
  expect(await watch(args)).toMatchObject({ code: 2, texts: [], stderr: expect.stringContaining(error) });
});

test("never passes --at-most, and says at the end what no text told", async () => {
  const { code, texts, stderr } = await watch(["--at-most", "1/h", "--json"]);

  expect({ code, texts }).toEqual({ code: 11, texts: [`${to} ERROR payment 1 failed`] });
  const details = [`${to}: 3 lines of 2 kinds: --at-most 1/h allows no more`];
  const failure = { error: "3 lines were not sent", errorCode: "NOT_ALL_SENT", exitCode: 11, details };
  expect(JSON.parse(stderr)).toMatchObject(failure);
});

test("counts at a restart what an earlier watch told the same number, by the same kind of key, in that time", async () => {
  const folders = newFolders();
  const start = Date.now();
  await run(["send", "--to", to, "-m", "by hand"], { environment: folders });
  const restartAt = async (minutes: number, key: "test" | "live", ...args: readonly string[]) => {
    const time = start + minutes * 60_000;
    const environment = { ...folders, SMS_API_KEY: `sk_${key}_sandbox` };
    const machine = { environment, now: time, clock: time };
    const { code, texts } = await watch(["--at-most", "1/h", ...args], "ERROR x\n", machine);
    return { code, texts: texts.length };
  };

  expect(await restartAt(0, "test")).toEqual({ code: 0, texts: 1 });
  expect(await restartAt(1, "test")).toEqual({ code: 11, texts: 0 });
  expect(await restartAt(2, "test", "--to", other)).toEqual({ code: 11, texts: 1 });
  expect(await restartAt(3, "test", "--dry-run")).toEqual({ code: 0, texts: 0 });
  expect(await restartAt(4, "live")).toEqual({ code: 0, texts: 1 });
  // The clock was set back.
  expect(await restartAt(-90, "test")).toEqual({ code: 11, texts: 0 });
  expect(await restartAt(59, "test")).toEqual({ code: 11, texts: 0 });
  expect(await restartAt(61, "test")).toEqual({ code: 0, texts: 1 });
});

test("counts what a live key told for the account's password as well, and for no test key", async () => {
  const server = await startScriptedServer({ onRequest: accept() });
  const folders = newFolders();
  const account = { SMS_EMAIL: "ann@example.com", SMS_PASSWORD: "a password of hers" };
  const codes: number[] = [];
  for (const keys of [{ SMS_API_KEY: "sk_live_abc" }, { SMS_API_KEY: "sk_test_abc" }, account]) {
    const environment = { ...folders, SMS_BASE_URL: server.url, SMS_API_KEY: undefined, ...keys };
    codes.push((await watch(["--at-most", "1/h"], "ERROR x\n", { environment })).code);
  }

  expect([codes, server.requests.length]).toEqual([[0, 0, 11], 2]);
});

test("counts an uncertain text at a restart, also with the history off", async () => {
  const folders = newFolders();
  const off = { ...folders, SMS_HISTORY: "off" };
  const restart = (environment: Machine["environment"]) =>
    watchOf("0700 000 598", ["--country", "KE", "--at-most", "1/h"], "x\n", environment);

  expect(await restart(off)).toMatchObject({ code: 11, stdout: expect.stringContaining("the service may have it") });
  for (const environment of [off, folders]) expect(await restart(environment)).toMatchObject({ code: 11, stdout: "" });
});

test("says that nothing counts the texts for a restart, if there is no folder", async () => {
  const environment = { SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_test_sandbox" };
  const { code, stderr } = await sms(["watch", "--to", to, "-q"], { environment, stdin: "x\n" }, (args, host) =>
    main(args, { ...host, home: () => undefined, environment }),
  );
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "Warning: no folder keeps a record (SMS_STATE_DIR), so a restart forgets what --at-most has counted\n",
  });
});

test("gathers as if the hour were used up if the texts of other watches cannot be read", async () => {
  const environment = newFolders();
  mkdirSync(environment.SMS_STATE_DIR, { mode: 0o700 });
  writeFileSync(join(environment.SMS_STATE_DIR, "watched"), "");

  const { code, texts, stderr } = await watch(["--at-most", "3/h"], storm, { environment });

  expect({ code, texts }).toEqual({ code: 11, texts: [] });
  expect(stderr).toContain("so --at-most 3/h counts as used up now: lines are gathered");
});

test("gathers as if the hour were used up if it cannot use the history, and says so", async () => {
  const environment = newFolders();
  const month = new Date().toISOString().slice(0, 7);
  mkdirSync(join(environment.SMS_STATE_DIR, "history", `${month}.ndjson`), { recursive: true, mode: 0o700 });

  const { code, texts, stderr } = await watch(["--at-most", "3/h"], storm, { environment });

  expect({ code, texts }).toEqual({ code: 11, texts: [] });
  expect(stderr).toMatch(
    /^Warning: the record cannot be read and written \(.*is not a plain file\), so --at-most 3\/h counts as/m,
  );
  expect(stderr).toContain("4 lines of 2 kinds: --at-most 3/h allows no more");
});

test("prints in a dry run what would be sent", async () => {
  const { code, texts, stdout } = await watch(["--dry-run"]);

  expect({ code, texts }).toEqual({ code: 0, texts: [] });
  expect(stdout).toMatch(/would send to \+254712345678: 3 lines of 2 kinds \(1 segment\)\n {4}3 lines of 2 kinds, /);
});

test("takes numbers and lists, each recipient once, without those who opted out", async () => {
  const environment = newFolders();
  writeGroup(environment.SMS_CONFIG_DIR, "oncall.csv", `to,message\n${other},mine\n${to},mine\n+254712345670,x\n`);
  await run(["optout", "add", "+254712345670"], { environment });

  const { code, texts, stderr } = await watch(["--to", "@oncall"], "ERROR x\n", { environment });

  expect({ code, texts: texts.toSorted() }).toEqual({ code: 0, texts: [`${to} ERROR x`, `${other} ERROR x`] });
  expect(stderr).toContain("opted out");
});

test("offers for a list with a wrong row no option that it lacks", async () => {
  const environment = newFolders();
  writeGroup(environment.SMS_CONFIG_DIR, "oncall.txt", `${other}\nnobody\n`);
  const { code, stderr } = await watch(["--to", "@oncall"], "ERROR x\n", { environment });
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/oncall\.txt'?` sorts them out\n$/),
  });
});

test("says once that credits are used up, and tells the others", async () => {
  const { code, texts, stderr } = await watch(["--to", withoutCredits]);

  expect({ code, texts: texts.length }).toEqual({ code: 11, texts: 2 });
  expect(stderr.match(/INSUFFICIENT_CREDITS/g)).toHaveLength(1);
  expect(stderr).toContain(`${withoutCredits}: 4 lines of 2 kinds: Insufficient`);
});

test("lets go what the service refuses, and tells what follows without it", async () => {
  const { code, stdout, stderr } = await watchOf("+254700000400", ["--json"]);
  expect(code).toBe(11);
  const receipts = [1, 3].map((count) => ({ outcome: "rejected", httpStatus: 400, lines: count }));
  expect(objectsIn(stdout)).toMatchObject(receipts);
  expect(stderr.match(/INVALID_REQUEST/g)).toHaveLength(1);
  expect(stderr).not.toContain("NOT_ALL");

  const page = await watchOf("+254700000400", []);
  const refusal = "the service refuses it (HTTP 400), and it is not tried again\n";
  expect(page.stdout.replaceAll(/^\S+ \S+ +/gm, "")).toBe(
    `✗ to +254700000400: 1 line: ${refusal}✗ to +254700000400: 3 lines of 2 kinds: ${refusal}`,
  );
  expect(await watchOf("+254700000400", ["-q"], "x")).toMatchObject({ stdout: "" });
});

test("is in the history once for each text, however often it was tried", async () => {
  const environment = newFolders();

  const { code } = await watchOf("+254700000429", [], "x", environment);

  const history = await run(["history", "--json"], { environment });
  expect({ code, history: JSON.parse(history.stdout) }).toMatchObject({ code: 0, history: [{ outcome: "accepted" }] });
});

test("never repeats an uncertain text", async () => {
  const { code, stdout, stderr } = await watchOf("+254700000598", ["--json"]);

  expect({ code, stderr }).toEqual({ code: 11, stderr: "" });
  expect(objectsIn(stdout)).toMatchObject([1, 3].map((count) => ({ outcome: "uncertain", lines: count })));
});

test("never repeats a text of which it cannot tell how far it came, because sms itself failed", async () => {
  const server = await startScriptedServer({ onRequest: accept() });
  const { now, sleep, pass } = newClock(Date.now());
  async function* input() {
    yield Buffer.from("ERROR x\n");
    await pass(600_000);
  }
  let failures = 0;
  const random = () => {
    if (failures > 0) return Math.random();
    failures++;
    throw new Error("no chance");
  };
  const environment = { ...newFolders(), SMS_BASE_URL: server.url, SMS_API_KEY: "sk_test_1" };

  const machine = { environment, stdin: input(), now, sleep };
  const { code, stdout } = await sms(["watch", "--to", to, "--json"], machine, (args, host) =>
    main(args, { ...host, random }),
  );

  expect({ code, requests: server.requests.length }).toEqual({ code: 11, requests: 0 });
  expect(objectsIn(stdout)).toMatchObject([{ outcome: "uncertain", errorCode: "FAULT", lines: 1 }]);
});

test("ends with an empty input as if nothing had happened, and needs a recipient", async () => {
  expect(await watch(["--json"], "")).toEqual({ code: 0, stdout: "", stderr: "", texts: [] });
  expect(await run(["watch"])).toMatchObject({ code: 2, stderr: expect.stringContaining("there is no recipient") });
});
