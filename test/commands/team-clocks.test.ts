import { beforeEach, describe, expect, it } from "vitest";
import type { Machine } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { withPhones } from "./with-phones.ts";
import { fast, numbers } from "./with-runs.ts";

const hourMs = 3_600_000;

/** Hours by which the clocks of two machines are wrong: of the one that sends first, and of the other. */
const clocks = [
  ["of the first is 13 hours behind", -13, 0],
  ["of the first is 13 hours ahead", 13, 0],
  ["of the next is 13 hours behind", 0, -13],
  ["of the next is 13 hours ahead", 0, 13],
] as const;

describe("with a record that a team shares, a clock", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  const { file, run, runJson, texted } = withPhones();
  const [one = "", two = "", three = ""] = numbers(3);
  let record: string;
  beforeEach(() => {
    record = postgres.newRecord();
  });

  /** A process has one session for a URL, so that the second machine writes the URL in another way. */
  const machine = (hours: number, isNext = false): Machine => {
    const clock = () => Date.now() + hours * hourMs;
    return { now: clock, clock, environment: { SMS_RECORD: record + (isNext ? "?sslmode=disable" : "") } };
  };
  const list = (name: string, ...more: readonly string[]) => {
    const rows = file("list.txt", numbers(3).join("\n"));
    return ["send", "-r", rows, "-m", "Hi", "--run", name, "--yes", ...fast, ...more];
  };
  const isNow = (at: string) => Math.abs(Date.parse(at) - Date.now()) < 0.1 * hourMs;

  it.each(clocks)("%s texts nobody twice who had the text", async (_, first, next) => {
    expect((await run(list("jan"), machine(first))).code).toBe(0);

    const { value } = await runJson(list("feb"), machine(next, true));

    const error = expect.stringMatching(/^3 of 3 had this text from run jan, begun by \S+ on \S+, just now$/);
    expect([value, texted()]).toMatchObject([{ errorCode: "RUN_REPEATED", error }, numbers(3)]);
  });

  it.each(clocks)("%s texts nobody twice in a run that goes on, and who had the text since", async (_, first, next) => {
    const there = machine(first);
    expect(
      (await run(list("jan"), { ...there, environment: { ...there.environment, SMS_DAILY_CREDITS: "1" } })).code,
    ).toBe(12);
    expect((await run(list("feb", "--repeated", "skip"), machine(next, true))).code).toBe(0);

    const { value } = await runJson(["runs", "resume", "jan", "--yes", ...fast], there);

    expect(value).toMatchObject({ exitCode: 0, leftOut: { repeated: 2 } });
    expect(texted().toSorted()).toEqual([one, two, three]);
  });

  it.each(clocks)("%s begins no pause of a key anew", async (_, first, next) => {
    const once = ["send", "--to", one, "-m", "Hi", "--once", "disk", "--for", "1h"];
    await run(once, machine(first));

    expect((await runJson(once, machine(next, true))).value).toMatchObject({ replayed: true });
    expect(texted()).toEqual([one]);
  });

  it.each(clocks)("%s writes no time of its own into the history and the receipts", async (_, first, next) => {
    await run(["send", "--to", one, "-m", "Hi"], machine(first));
    await run(list("jan"), machine(next, true));

    const history = (await runJson(["history"], machine(0))).value as readonly { readonly at: string }[];
    const exported = (await run(["runs", "export", "jan"], machine(0))).stdout.match(/\d{4}-\d\d-\d\dT[^"]+/g) ?? [];
    const { value } = await runJson(["runs", "show", "jan"], machine(0));

    const times = [...history.map(({ at }) => at), ...exported, String(value.started)];
    expect([times.length, times.filter((at) => !isNow(at))]).toEqual([8, []]);
  });

  it("that was set back while sms ran writes no time of its own either", async () => {
    await run(list("jan"), { ...machine(0), now: () => Date.now() + 13 * hourMs });

    const history = (await runJson(["history"], machine(0))).value as readonly { readonly at: string }[];
    expect([history.length, history.filter(({ at }) => !isNow(at))]).toEqual([3, []]);
  });
});
