import { setTimeout as passed } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Machine } from "../support/machine.ts";
import { fast, numbers, withRuns } from "./with-runs.ts";

const { accepted, file, json, lines, run, send } = withRuns();

const live = { SMS_API_KEY: "sk_live_sandbox" };
/** 21:14 in Nairobi, which is the zone of the test's machine. */
const evening = Date.parse("2026-11-23T18:14:00Z");
const noon = Date.parse("2026-11-23T09:00:00Z");
const limited = ({ environment, ...machine }: Machine) => ({
  ...machine,
  environment: { ...environment, ...live, SMS_DAILY_CREDITS: "1" },
});
const one = ["--to", "+254712345000", "-m", "Hi"];
const two = ["--to", "+254712345000", "--to", "+254712345001", "-m", "Hi", "--run", "two"];

const closedAt = (time: string, hours: string) =>
  `it is ${time} in Africa/Nairobi, and the hours are ${hours} in Africa/Nairobi`;
const opensAt = (time: string) => `they open at ${time} in Africa/Nairobi: --wait waits for that`;

async function profileHours(zone = "Africa/Nairobi"): Promise<void> {
  const login = ["login", "--with-key", "--no-verify", "--base-url", "http://127.0.0.1:9"];
  expect((await run(login, { stdin: "sk_live_sandbox" })).code).toBe(0);
  expect((await run(["profiles", "set", "hours", "08:00-20:00"])).code).toBe(0);
  expect((await run(["profiles", "set", "zone", zone])).code).toBe(0);
}

describe("--between", () => {
  it("sends nothing outside the hours, and names the next opening", async () => {
    const error = `${closedAt("2026-11-23 21:14", "08:00-20:00")} (--between)`;
    const refusal = { errorCode: "OUTSIDE_HOURS", outcome: "unsent", exitCode: 12 };
    const { code, value } = await json(["send", ...one, "--between", "08:00-20:00"], { clock: evening });
    expect({ code, value }).toEqual({ code: 12, value: { ...refusal, error, hint: opensAt("2026-11-24 08:00") } });
    expect(accepted()).toEqual([]);
    expect((await run(["send", ...one, "--between", "08:00-20:00"], { clock: noon })).code).toBe(0);
  });

  it("applies when its run is resumed, until other hours are given", async () => {
    const list = file("list.txt", numbers(7).join("\n"));
    const args = ["-r", list, "-m", "Hi", "--run", "seven", "--yes"];
    const begun = await send([...args, "--between", "20:00-22:00"], { clock: evening, environment: live });
    expect(begun.code).toBe(5);
    const resume = ["runs", "resume", "seven", "--yes", "--rate", "60000"];
    const machine = { clock: noon, environment: live };
    const error = `${closedAt("2026-11-23 12:00", "20:00-22:00")} (--between)`;
    const hint = opensAt("2026-11-23 20:00");
    expect(await json(resume, machine)).toMatchObject({ code: 12, value: { error, hint } });
    const others = await json([...resume, "--between", "01:00-02:00"], machine);
    expect(others.value.hint).toBe(opensAt("2026-11-24 01:00"));
    for (const between of ["any", "08:00-20:00", "08:00-20:00 Africa/Nairobi"])
      expect((await run([...resume, "--between", between], { clock: noon, environment: live })).code).toBe(5);
  });
});

/** A machine whose clock goes on by each long wait, and by what `jumps` adds to it; short waits are real. */
function sleeper(jumps: readonly number[] = []) {
  const machine = { at: evening, waits: 0 };
  const sleep = async (ms: number, signal?: AbortSignal) => {
    if (ms < 5_000) return passed(ms, undefined, { signal }).catch(() => {});
    machine.at += ms + (jumps[machine.waits++] ?? 0);
  };
  return { machine, at: { clock: () => machine.at, sleep } };
}

const hour = 3_600_000;
const opening = Date.parse("2026-11-24T05:00:00Z");
const until = `Waiting until 2026-11-24 08:00 in Africa/Nairobi: ${closedAt("2026-11-23 21:14", "08:00-20:00")}`;

describe("--wait", () => {
  const closed = ["--between", "08:00-20:00", "--wait"];
  it.each([
    ["a message", ["send", ...one], []],
    ["a message of a key", ["send", ...one, "--once", "key"], []],
    ["the text after a command", ["notify", ...one], ["--", "true"]],
    ["a run", ["send", ...two, ...fast], []],
  ])("sends %s when the hours open, and says until when it waits", async (_, args, after) => {
    const { machine, at } = sleeper();
    const ended = await run([...args, ...closed, ...after], at);
    expect({ code: ended.code, at: machine.at }).toEqual({ code: 0, at: opening });
    expect(ended.stderr.replaceAll(/\s+/g, " ")).toContain(until);
    expect(accepted()).not.toEqual([]);
  });

  it("goes on with a run the next morning that met closing time, and with one that is resumed", async () => {
    const { machine, at } = sleeper();
    machine.at = noon;
    const clock = () => (accepted().length === 0 ? machine.at : Math.max(machine.at, evening));
    const ended = await run(["send", ...two, ...fast, ...closed], { ...at, clock });
    expect(ended.code).toBe(0);
    expect(accepted()).toHaveLength(2);
    expect(ended.stderr).toContain("Waiting until 2026-11-24 08:00");
    const three = file("three.txt", numbers(3, 10).join("\n"));
    await run(["send", "-r", three, "-m", "Hi", "--run", "three", "--yes", ...fast], limited(at));
    const later = sleeper();
    const resume = ["runs", "resume", "three", "--yes", ...fast, ...closed];
    const resumed = await run(resume, { ...later.at, environment: live });
    expect({ code: resumed.code, at: later.machine.at }).toEqual({ code: 0, at: opening });
  });

  it("looks at the clock again and again: the machine may sleep, and the clock be set", async () => {
    const slept = sleeper([12 * hour]);
    expect((await run(["send", ...one, ...closed], slept.at)).code).toBe(0);
    expect(slept.machine.waits).toBe(1);
    const set = sleeper([0, -hour]);
    expect((await run(["send", ...one, ...closed], set.at)).code).toBe(0);
    expect(set.machine.at).toBe(opening);
  });

  it("waits for nothing else", async () => {
    await run(["optout", "add", "+254712345000"]);
    const { machine, at } = sleeper();
    expect((await run(["send", ...one, ...closed], at)).code).toBe(2);
    expect((await run(["send", ...one.with(1, "+254712345001"), ...closed, "--max-credits", "0"], at)).code).toBe(12);
    expect({ accepted: accepted(), waits: machine.waits }).toEqual({ accepted: [], waits: 0 });
  });
});

describe("the hours of a profile", () => {
  it("hold what reaches phones, and nothing else", async () => {
    await profileHours();
    expect((await run(["send", ...one], { clock: evening })).code).toBe(0);
    const error = expect.stringContaining('08:00-20:00 in Africa/Nairobi (profile "default")');
    const refusal = await json(["send", ...one], { clock: evening, environment: live });
    expect(refusal).toMatchObject({ code: 12, value: { error } });
    expect((await run(["send", ...one], { clock: noon, environment: live })).code).toBe(0);
  });

  it("give way to --between any, which the plan says", async () => {
    await profileHours("Europe/London");
    const machine = { clock: evening, environment: live };
    const { value } = await json(["send", ...one, "--between", "any", "--dry-run"], machine);
    const guard = 'at any time: --between any overrides 08:00-20:00 in Europe/London (profile "default")';
    expect(value.guards).toEqual([guard]);
    expect((await send([...two, "--between", "any", "--yes"], machine)).code).toBe(0);
  });

  it("are overridden for one command: the next one that it names overrides them as well", async () => {
    await profileHours();
    const machine = { clock: evening, environment: live };
    const { code, stdout } = await send([...two, "--between", "any", "--yes"], limited(machine));
    expect(code).toBe(12);
    expect(stdout).toContain("Next: sms runs resume two --between any\n");
    const resume = ["runs", "resume", "two", "--yes"];
    expect((await run(resume, machine)).code).toBe(12);
    expect((await run([...resume, "--between", "any"], machine)).code).toBe(0);
  });

  it("are narrowed by --between, never widened, also in another zone", async () => {
    await profileHours();
    const between = (hours: string, clock: number) =>
      json(["send", ...one, "--between", hours], { clock, environment: live });
    expect((await between("12:00-22:00", evening)).code).toBe(12);
    expect((await between("12:00-22:00", noon)).code).toBe(0);
    expect((await between("13:00-22:00", noon)).code).toBe(12);
    // 18:14 in London.
    expect((await between("12:00 \u2013 22:00 Europe/London", evening)).code).toBe(12);
    expect(await between("20:00-22:00", noon)).toMatchObject({ code: 2, value: { errorCode: "NO_COMMON_HOURS" } });
  });

  it("need a zone of the profile if the machine has none, and --between does not give them one", async () => {
    await profileHours();
    await run(["profiles", "set", "zone", "--unset"]);
    const machine = { environment: live, hasNoZone: true };
    const hintOf = async (...flags: readonly string[]) => (await json(["send", ...one, ...flags], machine)).value.hint;
    expect(await hintOf("--between", "08:00-20:00")).toBe('name one, as with `--between "08:00-20:00 Africa/Nairobi"`');
    const set = "sms profiles set zone Africa/Nairobi --profile default";
    expect(await hintOf("--between", "00:00-24:00 UTC")).toBe(`name one, as with \`${set}\``);
    await run(set.split(" ").slice(1));
    expect((await run(["send", ...one, "-n"], { ...machine, clock: noon })).code).toBe(0);
  });
});

it("a run that reaches closing time ends with 12, says when it goes on, and can be resumed", async () => {
  const clock = () => Date.parse(accepted().length === 0 ? "2026-11-23T16:59:59Z" : "2026-11-23T17:00:00Z");
  const args = [...two, "--between", "08:00-20:00"];
  const { code, summary } = await lines(["send", "--rate", "60000", ...args], { clock });
  expect({ code, summary }).toMatchObject({ code: 12, summary: { exitCode: 12, errorCode: "OUTSIDE_HOURS" } });
  expect(summary.stopped).toContain("open at 2026-11-24 08:00 in Africa/Nairobi");
  expect(summary).toMatchObject({ accepted: 1, pending: 1 });
  expect((await run(["runs", "resume", "two"], { clock: noon })).code).toBe(0);
  expect(accepted()).toHaveLength(2);
});
