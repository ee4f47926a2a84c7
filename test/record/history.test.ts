import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fast } from "../commands/with-runs.ts";
import { needs } from "../support/needs.ts";
import type { HistoryEntry } from "../../src/record/history.ts";
import { openAt, readHistory } from "./place.ts";
import { to, withHistory } from "./with-history.ts";

const { run, json, send, sendRun, history, path } = withHistory();
const day = 24 * 60 * 60 * 1000;

/** The entries of one run and of single messages. */
const payer = { profile: null, key: "SMS_API_KEY", mode: "live" };
const single = { at: expect.stringMatching(/^\d{4}-.*Z$/), kind: "send", run: null, ...payer, segments: 1 };
const ofRun = { ...single, kind: "run", run: "news" };
const charge = { to, outcome: "accepted", totalCredits: 1, totalCostKes: 0.8 };
const noAnswer = { sender: null, outcome: "uncertain" };
const accepted = { ...ofRun, ...charge, sender: "SANDBOX", messageId: "msg_3", newBalance: 997 };
const uncertain = { ...ofRun, ...noAnswer, to: "+254700000500", httpStatus: 500, errorCode: "INTERNAL_ERROR" };
const cutOff = { ...single, ...noAnswer, to: "+254700000599", errorCode: "NO_ANSWER" };
const refusal = { sender: null, outcome: "rejected", httpStatus: 400, errorCode: "INVALID_REQUEST" };
const rejected = { ...single, ...refusal, to: "+254700000400" };
const acceptedAlone = { ...single, ...charge, sender: "ACME", messageId: "msg_1", newBalance: 999 };

/** What an entry has of its outcome, and what its intent has before: a member without a value does not compile. */
const ofOutcome = {
  run: "news",
  outcome: "accepted",
  messageId: "msg_1",
  totalCredits: 1,
  totalCostKes: 0.8,
  newBalance: 9,
  httpStatus: 200,
  errorCode: "CODE",
  reason: "excluded",
  details: "why",
  settles: "b",
  user: "jo",
  machine: "desk",
} as const;
const ofIntent: Omit<Required<HistoryEntry>, keyof typeof ofOutcome> = {
  at: "2026-11-22T08:00:00.000Z",
  kind: "send",
  account: "a",
  key: "prod",
  profile: "shop",
  mode: "live",
  to,
  sender: "ACME",
  segments: 1,
  intent: "a",
};

describe("sms history", () => {
  it("shows every member of an entry but its account and ids, and an intent has all that is known by then", async () => {
    const keeper = await openAt(path("state")).history();
    await keeper.append({ ...ofIntent, ...ofOutcome, intent: undefined, settles: undefined });
    const { account: _, intent: _id, ...columns } = ofIntent;
    const { settles: _settles, ...outcomeColumns } = ofOutcome;
    expect(await history()).toEqual([{ ...columns, ...outcomeColumns }]);
    const doubt = { ...ofIntent, at: "2026-11-22T08:01:00.000Z", run: null, outcome: "uncertain" } as const;
    await keeper.append({ ...doubt, errorCode: "NO_ANSWER" });
    expect((await readHistory(keeper)).entries[0]).toEqual(doubt);
  });

  it("has every send of this machine, the latest first, and shows no text", async () => {
    await send(["--to", to, "--sender", "ACME"]);
    await send(["--to", "+254700000400"]);
    await send(["--to", "+254700000599", "--timeout", "2"]);
    await sendRun("news", ["--to", to, "--to", "+254700000500"]);
    const entries = await history();

    expect(entries.slice(0, 2)).toEqual(expect.arrayContaining([uncertain, accepted]));
    expect(entries.slice(2)).toEqual([cutOff, rejected, acceptedAlone]);
    const files = readdirSync(path("state", "history"));
    expect(files.map((name) => readFileSync(path("state", "history", name), "utf8")).join("")).not.toContain("Hi");
  });

  it("shows a table that fits a terminal, and says how many more there are", async () => {
    await send(["--to", to]);
    await send(["--to", "+254700000400"]);
    const { stdout } = await run(["history"], { isTerminal: true, columns: 80 });
    const [heading, first, second] = stdout.split("\n");

    expect(heading).toBe("  LOCAL TIME        TO             OUTCOME   CREDITS  KES   DETAILS");
    expect(first).toMatch(/^ {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}\+254700000400 {2}rejected {17}INVALID_REQUEST$/);
    expect(second).toMatch(/ {2}\+254712345678 {2}accepted {2}1 {8}0\.80 {2}SMS_API_KEY, SANDBOX$/);
    expect(stdout.split("\n").every((line) => line.length <= 80)).toBe(true);
    const narrow = await run(["history", "--limit", "1"], { isTerminal: true, columns: 50 });
    expect(narrow.stdout.split("\n").every((line) => line.length <= 50)).toBe(true);
    expect(narrow.stdout).toMatch(/\n {4}to \+254700000400, outcome rejected, details/);
    expect(narrow.stdout).toContain("INVALID_REQUEST, SMS_API_KEY");
    const free = await run(["history", "--outcome", "rejected"], { isTerminal: true, columns: 80 });
    expect(free.stdout).toMatch(/^ {2}LOCAL TIME {8}TO {13}OUTCOME {3}DETAILS\n.* {2}INVALID_REQUEST, SMS_API_KEY/);
    expect(narrow.stderr).toBe("There are earlier sends: --limit shows more.\n");
    expect((await run(["history"])).stdout).toMatch(/accepted {2}1 {8}0\.80 {2}SMS_API_KEY, SANDBOX, msg_1$/m);
  });

  it("shows an error code on 80 columns beside whatever stands there, with the other details", async () => {
    await send(["--to", to]);
    await send(["--to", "+254700000402"]);
    await sendRun("news-of-november", ["--to", to, "--to", "+254700000500"]);
    const { stdout } = await run(["history"], { isTerminal: true, columns: 80 });

    expect(stdout).toMatch(/\+254700000402 {2}rejected\n {4}INSUFFICIENT_CREDITS, SMS_API_KEY\n/);
    expect(stdout).toMatch(/\+254700000500 {2}uncertain {17}INTERNAL_ERROR\n/);
    expect(stdout.split("\n").every((line) => line.length <= 80)).toBe(true);
  });

  it("finds a number, also as it is written at home", async () => {
    await send(["--to", to]);
    await send(["--to", "+254712999678"]);
    await sendRun("news", ["--to", to]);

    expect(await history("--to", to)).toHaveLength(2);
    expect(await json(["history", "--to", "0712345678"], { environment: { SMS_COUNTRY: "KE" } })).toHaveLength(2);
    expect(await history("--to", "+254712999999")).toEqual([]);
    const nothing = "Nothing of this: looked through 2 single messages and 1 of runs.\n";
    for (const filter of [
      ["--to", "+254712999999"],
      ["--outcome", "uncertain"],
    ])
      expect(await run(["history", ...filter])).toMatchObject({ code: 0, stderr: nothing });
    const since = "Nothing is recorded since then: looked through 0 single messages and 0 of runs.\n";
    expect((await run(["history", "--since", "2999-01-01"])).stderr).toBe(since);
    expect((await run(["history", "--to", "0712345678"])).stderr).toContain("set SMS_COUNTRY to CC, or for good");
  });

  it("has each try of a run once, also after a resume, and what became of a run that is removed", async () => {
    await sendRun("news", ["--to", to, "--to", "+254700000500", "--to", "+254700000402"]);
    await run(["runs", "resume", "news", "--retry", "uncertain", "--yes", ...fast]);
    const before = await history();
    const counts = before.map(({ to: number, outcome }: Record<string, string>) => `${number} ${outcome}`).toSorted();

    expect(counts).toEqual([
      "+254700000402 rejected",
      "+254700000402 rejected",
      "+254700000500 uncertain",
      "+254700000500 uncertain",
      "+254712345678 accepted",
    ]);
    await run(["runs", "remove", "news", "--yes"]);
    expect(await history()).toEqual(expect.arrayContaining(before));
    expect(await history()).toHaveLength(5);
    expect(await history("--to", to)).toHaveLength(1);
  });

  it("has a rehearsal that the next one replaced", async () => {
    for (const text of ["One", "Two"])
      await sendRun("news", ["--to", to, "--redirect-to", "+254712000001", "-m", text]);
    expect(await history("--to", "+254712000001")).toHaveLength(2);
    expect(readdirSync(path("state", "runs"))).toEqual(["news-rehearsal"]);
  });

  it("counts a run once whose removal was killed after it was copied", async () => {
    await sendRun("news", ["--to", to]);
    await run(["runs", "remove", "news", "--yes"]);
    const [copy = ""] = readdirSync(path("state", "history"));
    const lines = readFileSync(path("state", "history", copy), "utf8");
    await sendRun("news", ["--to", to]);
    const { started } = JSON.parse(readFileSync(path("state", "runs", "news", "run.json"), "utf8"));
    writeFileSync(path("state", "history", `run-news~${started.replaceAll(/[^0-9TZ]/g, "")}.ndjson`), lines);

    expect(await history()).toHaveLength(2);
  });

  it.each([0, 4])("counts a run once that is removed when entry %i of five is read", async (when) => {
    await send(["--to", to]);
    writeFileSync(path("rows.txt"), [to, "+254712345679"].join("\n"));
    for (const name of ["a", "b"]) await sendRun(name, ["-r", path("rows.txt"), "-m", name]);
    const keeper = await openAt(path("state")).history();
    await keeper.keepRun("b");
    let count = 0;
    const { unread } = await readHistory(keeper, 0, () => {
      if (count++ === when) rmSync(path("state", "runs", "b"), { recursive: true });
    });

    expect([count, unread.runs]).toEqual([5, []]);
  });

  it("leaves out sandboxes and dry runs, and what is sent while it is off", async () => {
    await send(["--to", to, "--sandbox"]);
    await send(["--to", to, "--to", "+254712345679", "--sandbox", "--yes"]);
    await send(["--to", to, "--dry-run"]);
    await send(["--to", to], { environment: { SMS_HISTORY: "off" } });
    await run(["login", "--with-key", "--base-url", (await json(["status"])).baseUrl], { stdin: "sk_live_sandbox" });

    expect((await json(["profiles", "set", "history", "off"])).defaults).toEqual({ history: "off" });
    await send(["--to", to], { environment: { SMS_HISTORY: undefined } });
    expect(await history()).toEqual([]);
    await send(["--to", to], { environment: { SMS_HISTORY: "on" } });
    expect(await history()).toHaveLength(1);
    const { code, stderr } = await send(["--to", to, "--json"], { environment: { SMS_HISTORY: "no" } });
    expect([code, JSON.parse(stderr).errorCode]).toEqual([2, "INVALID_OPTION"]);
  });

  it("warns of a history that cannot be written, and sends all the same", async () => {
    mkdirSync(path("state"), { mode: 0o700 });
    writeFileSync(path("state", "history"), "");
    const { code, stdout, stderr } = await send(["--to", to, "--json"]);
    const { success, warnings } = JSON.parse(stdout);

    expect({ code, success, stderr }).toEqual({ code: 0, success: true, stderr: "" });
    const warning = /^this message is not in the history: .*history is not a folder$/;
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    const failure = await send(["--to", "+254700000402", "--json"]);
    expect([failure.code, JSON.parse(failure.stderr).warnings]).toEqual([5, warnings]);
  });

  it("takes days of its own zone, which a terminal shows, and outcomes, and writes a table for a spreadsheet", async () => {
    // In Nairobi the 22nd begins at 21:00 of the 21st.
    const now = Date.parse("2026-11-22T08:00:00Z");
    const people = [to, "+254700000400", "+254700000402", to];
    const times = ["2026-11-13T08:00Z", "2026-11-20T21:30Z", "2026-11-21T20:59Z", "2026-11-21T21:00Z"];
    for (const [index, number] of people.entries())
      await send(["--to", number], { now: Date.parse(times[index] ?? "") });
    const count = async (...args: readonly string[]) => (await json(["history", ...args], { now })).length;
    const counts = [];
    for (const since of ["today", "yesterday", "1w", "2w"]) counts.push(await count("--since", since));

    expect(counts).toEqual([1, 3, 3, 4]);
    expect([await count("--outcome", "accepted,uncertain"), await count("--outcome", "rejected")]).toEqual([2, 2]);
    const table = await run(["history", "--since", "today"], { now, isTerminal: true });
    expect(table.stdout).toContain("  2026-11-22 00:00  +254712345678  accepted");
    const csv = ["history", "--since", "yesterday", "--outcome", "rejected", "--format", "csv"];
    const rows = (await run(csv, { now })).stdout.split("\n");
    expect(rows).toEqual([
      "at,kind,run,profile,key,mode,to,sender,outcome,messageId,segments,totalCredits,totalCostKes,newBalance,httpStatus,errorCode,reason,details,user,machine",
      expect.stringMatching(/^"2026-11-21T20:59:00.000Z","send",.*"live","\+254700000402","","rejected",.*"402",/),
      expect.stringMatching(/^"2026-11-20T21:30:00.000Z","send",.*"live","\+254700000400","","rejected",.*"400",/),
      "",
    ]);
  });

  it("skips and counts broken lines", async () => {
    await send(["--to", to]);
    const [name = ""] = readdirSync(path("state", "history"));
    writeFileSync(path("state", "history", name), '\n{"at":"2026-11-22T02:0', { flag: "a" });
    await send(["--to", to]);
    const { stdout, stderr } = await run(["history", "--json"]);

    expect(JSON.parse(stdout)).toHaveLength(2);
    expect(stderr).toBe("Warning: left out 1 broken line of the history, which a kill or a full disk cut off\n");
  });

  it("is limited in time, and pruned", async () => {
    const now = Date.parse("2026-11-22T08:00:00Z");
    for (const days of [100, 80, 21, 3]) await send(["--to", to], { now: now - days * day });
    await sendRun("old", ["--to", to], { now: now - 100 * day, clock: now - 100 * day });
    const ages = async (...args: readonly string[]) =>
      (await json(["history", ...args], { now })).map(({ at }: { at: string }) =>
        Math.max(0, Math.round((now - Date.parse(at)) / day)),
      );

    expect(await ages()).toEqual([3, 21, 80, 100, 100]);
    expect(await ages("--since", "30d")).toEqual([3, 21]);
    expect(await ages("--since", "2026-11-02")).toEqual([3]);
    expect(await ages("--limit", "1")).toEqual([3]);
    expect(await json(["history", "--prune", "90d"], { now })).toEqual({ pruned: 2 });
    expect(await ages()).toEqual([3, 21, 80]);
    expect(await json(["history", "--prune", "10d"], { now })).toEqual({ pruned: 4 });
    expect(await ages()).toEqual([3]);
    await send(["--to", to], { now });
    expect(await ages()).toEqual([0, 3]);
    expect(readdirSync(path("state", "history")).toSorted()).toEqual(["2026-11.ndjson", "start.json"]);
    expect((await json(["spend"], { now })).messages).toBe(2);
  });

  it("begins at the time of --prune even if it only has runs", async () => {
    const now = Date.now();
    await sendRun("news", ["--to", to], { now: now - day, clock: now - day });
    for (const age of ["1h", "3d"]) {
      await run(["history", "--prune", age], { now });
      expect(await history()).toEqual([]);
    }
    await sendRun("more", ["--to", to], { now });
    expect(await history()).toHaveLength(1);
  });

  it("that cannot be read is named", needs("a normal user"), async () => {
    await send(["--to", to]);
    for (const name of readdirSync(path("state", "history"))) chmodSync(path("state", "history", name), 0);
    for (const command of [["history"], ["history", "--prune", "0d"], ["spend"]]) {
      const { code, stderr } = await run([...command, "--json"]);
      expect([code, JSON.parse(stderr).errorCode]).toEqual([2, "UNUSABLE_FILE"]);
    }
  });

  it("is empty, and no error, before anything is sent", async () => {
    const { code, stdout, stderr } = await run(["history"]);
    expect([code, stdout, stderr]).toEqual([0, "", "Nothing is recorded.\n"]);
    expect(await history()).toEqual([]);
    expect((await json(["spend"])).messages).toBe(0);
    expect(existsSync(path("state"))).toBe(false);
  });
});
