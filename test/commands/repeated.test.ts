import { readdirSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { shellWord } from "../../src/words/shell-word.ts";
import { accept, answer } from "../support/scripts.ts";
import { withPhones } from "./with-phones.ts";
import { fast, numbers } from "./with-runs.ts";

const hourMs = 3_600_000;

const { answerWith, file, group, path, run, runJson, texted } = withPhones();

function list(name: string, to: readonly string[], ...more: readonly string[]): readonly string[] {
  return ["send", "-r", file(`${name}.txt`, to.join("\n")), "-m", "Hi", "--run", name, "--yes", ...fast, ...more];
}

/** The command in backticks that follows some words of a hint. */
function commandIn(hint: string, which: number): readonly string[] {
  const command = [...hint.matchAll(/`sms ([^`]+)`/g)][which]?.[1] ?? "";
  return Array.from(command.matchAll(/'[^']*'|\S+/g), ([word]) => word.replaceAll("'", ""));
}

describe("a text that a number had within 12 hours", () => {
  it("is not sent again unasked: one row more, another order and another name make no difference", async () => {
    expect((await run(list("jan", numbers(3)))).code).toBe(0);
    const more = list("feb", numbers(4).toReversed());
    const words = more.map(shellWord).join(" ");
    expect(await runJson(more)).toMatchObject({
      code: 2,
      value: {
        errorCode: "RUN_REPEATED",
        outcome: "unsent",
        error: "3 of 4 had this text from run jan, just now",
        hint: `\`sms ${words} --json --repeated skip\` sends to the other 1; \`sms ${words} --json --repeated send\` sends to all of them again`,
      },
    });
    expect(texted()).toEqual(numbers(3));
  });

  it("goes to the others by the first command of the hint, and to all by the second", async () => {
    await run(list("jan", numbers(3)));
    const { hint } = (await runJson(list("feb", numbers(4)))).value;
    const value = { recipients: 1, accepted: 1, leftOut: { repeated: 3 }, exitCode: 0 };
    expect(await runJson(commandIn(hint, 0))).toMatchObject({ code: 0, value });
    expect(texted()).toEqual(numbers(4));
    const shown = await run(["runs", "show", "feb"]);
    expect(shown.stdout).toContain("1 of 1 accepted");
    expect(shown.stdout).toContain("left out: 3 had this text from another run");
    expect(await run(["runs", "resume", "feb", "--yes"])).toMatchObject({ code: 0 });
    expect(texted()).toHaveLength(4);
    const again = (await runJson(list("mar", numbers(4)))).value.hint;
    expect(await runJson(commandIn(again, 0))).toMatchObject({ code: 0, value: { recipients: 4, accepted: 4 } });
    expect(texted()).toHaveLength(8);
  });

  it("goes on with the run that had it, if that one has some left", async () => {
    answerWith({ [numbers(3)[2] ?? ""]: answer(402, { error: "No", errorCode: "INSUFFICIENT_CREDITS" }) });
    expect((await run(list("jan", numbers(3)))).code).toBe(5);
    answerWith({});
    const { hint } = (await runJson(list("feb", numbers(3)))).value;
    expect(hint).toMatch(/^`sms runs resume jan` goes on with that run; /);
    expect((await run([...commandIn(hint, 0), "--yes", ...fast])).code).toBe(0);
    expect(new Set(texted()).size).toBe(3);
  });

  it("is told with the latest run that had it first, and then the others", async () => {
    for (const name of ["jan", "feb"]) await run(list(name, numbers(2), "--repeated", "send"));

    const { value } = await runJson(list("mar", numbers(2)));

    expect(value.error).toMatch(/^2 of 2 had this text from run \w+, just now, and from \w+$/);
  });

  it("leaves nobody to send to if all had it, with --repeated skip", async () => {
    await run(list("jan", numbers(2)));
    const again = await runJson(list("feb", numbers(2), "--repeated", "skip"));
    expect(again).toMatchObject({ code: 0, value: { run: null, recipients: 0, leftOut: { repeated: 2 } } });
    expect(readdirSync(path("state", "runs"))).toEqual(["jan"]);
  });

  it("may be sent after 12 hours, and at once after the run that had it is removed", async () => {
    await run(list("jan", numbers(2)));
    const in12 = (hours: number) => ({ clock: () => Date.now() + hours * hourMs });
    expect((await run(list("feb", numbers(2)), in12(11.9))).code).toBe(2);
    expect((await run(list("feb", numbers(2)), in12(12.1))).code).toBe(0);
    for (const name of ["jan", "feb"]) await run(["runs", "remove", name, "--yes"]);
    expect((await run(list("mar", numbers(2)))).code).toBe(0);
  });

  it("counts from a run of several --to, which itself always goes; a single message does not count", async () => {
    const [first = "", second = ""] = numbers(2);
    const alert = ["send", "--to", first, "--to", second, "-m", "Hi", ...fast];
    expect((await run(["send", "--to", first, "-m", "Hi"])).code).toBe(0);
    for (const _ of [1, 2]) expect((await run(alert)).code).toBe(0);
    expect((await runJson(list("jan", [first]))).value.errorCode).toBe("RUN_REPEATED");
    expect(texted()).toHaveLength(5);
  });

  it("goes again to a list that --to names, also in a resume", async () => {
    const [first = "", second = ""] = numbers(2);
    group("oncall.txt", numbers(2).join("\n"));
    const alert = (name: string) => ["send", "--to", "@oncall", "-m", "Hi", "--run", name, ...fast];
    expect((await run(alert("ten"))).code).toBe(0);
    answerWith({ [second]: answer(402, { error: "No", errorCode: "INSUFFICIENT_CREDITS" }) });
    expect((await run(alert("eleven"))).code).toBe(5);
    answerWith({});
    expect((await runJson(["runs", "resume", "eleven", "--yes", ...fast])).value).toMatchObject({ accepted: 2 });
    expect(texted()).toEqual([first, second, first, second, second]);
  });

  it("counts only where it reached a phone at this base URL, whatever the sender and the key", async () => {
    const [to = ""] = numbers(1);
    const test = { environment: { SMS_API_KEY: "sk_test_abc" } };
    expect((await run(list("a", [to]), test)).code).toBe(0);
    expect((await run(list("b", [to], "--sandbox"))).code).toBe(0);
    expect((await run(list("c", [to]))).code).toBe(0);
    // Nor does a test key ask.
    expect((await run(list("d", [to]), test)).code).toBe(0);
    const other = { environment: { SMS_API_KEY: "sk_live_other" } };
    expect((await runJson(list("e", [to], "--sender", "ACME"), other)).value.errorCode).toBe("RUN_REPEATED");
    const text = list("f", [to]).map((word) => (word === "Hi" ? "Ho" : word));
    expect((await run(text)).code).toBe(0);
  });

  it("is said in the plan, in a dry run too, and in a line with --quiet", async () => {
    await run(list("jan", numbers(2)));
    const dry = await run(list("feb", numbers(3), "-n"));
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("1 of 3 messages, to a real phone") });
    expect(dry.stdout.replaceAll(/\s+/g, " ")).toContain(
      " Warning 2 of 3 had this text from run jan, just now: a send asks about that, or needs --repeated skip or send ",
    );
    const quiet = await run(list("feb", numbers(3), "--repeated", "skip", "--quiet"));
    expect(quiet).toMatchObject({ code: 0, stdout: "feb\n" });
    expect(quiet.stderr).toBe("Left out: 2 of 3 had this text from run jan, just now\n");
  });

  it("cannot be pasted with what was piped", async () => {
    const piped = ["send", "-r", "-", "-m", "Hi", "--yes", ...fast];
    const stdin = numbers(2).join("\n");
    expect((await run(piped, { stdin })).code).toBe(0);
    const { hint } = (await runJson(piped, { stdin })).value;
    expect(hint).toBe("the same command with `--repeated send` sends to all of them again");
  });
});

it.each([
  ["begin one run", [], [0, 2, 2]],
  ["send to everybody once between them with --repeated skip", ["--repeated", "skip"], [0, 0, 0]],
])("equal commands at once %s", async (_, more, codes) => {
  const ended = await Promise.all(["a", "b", "c"].map((name) => run(list(name, numbers(3), ...more))));

  expect(ended.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual(codes);
  expect(texted().toSorted()).toEqual(numbers(3));
});

describe("a run that tries again what was refused", () => {
  it.each([
    ["rejected", answer(400, { error: "No", errorCode: "NO" }), 0],
    ["uncertain", answer(500, { error: "No", errorCode: "NO" }), 13 * hourMs],
  ] as const)("is sending it now: what was %s", async (retry, script, later) => {
    const [first = "", second = ""] = numbers(2);
    answerWith({ [first]: script, [second]: script });
    await run(list("jan", [first, second]));
    const clock = () => Date.now() + later;
    let meanwhile: Promise<unknown> | undefined;
    answerWith({
      [first]: (...request) => {
        const other = [..."send -m Hi --run feb --yes --repeated skip -r".split(" "), path("jan.txt")];
        meanwhile = run(other, { clock }).then(() => accept()(...request));
      },
    });
    expect((await run(["runs", "resume", "jan", "--retry", retry, "--yes", ...fast], { clock })).code).toBe(0);
    await meanwhile;
    expect(texted()).toEqual([first, second, first, second]);
  });
});

it("a message that a run has left out once stays left out, whatever becomes of the run that sent it", async () => {
  const [first = "", second = ""] = numbers(2);
  answerWith({ [first]: answer(500, { error: "No", errorCode: "NO" }) });
  await run(list("jan", [first, second]));
  answerWith({});
  const again = ["runs", "resume", "jan", "--retry", "uncertain", "--yes", ...fast];

  await run(list("feb", [first], "--repeated", "send"));
  await run(again);
  await run(["runs", "remove", "feb", "--yes"]);
  await run(again);

  expect(texted()).toEqual([first, second, first]);
});

describe("a run that is continued", () => {
  const [first = "", second = "", third = ""] = numbers(3);

  beforeEach(async () => {
    const limited = { environment: { SMS_DAILY_CREDITS: "1" } };
    await run(list("jan", [first, second, third]), limited);
  });

  it.each([
    ["resume", () => ["runs", "resume", "jan", "--yes", ...fast]],
    ["the same command", () => list("jan", [first, second, third])],
  ])("by %s leaves out who had the text since, by whichever run, and ends as the others do", async (_, command) => {
    expect((await run(list("feb", [second], "--repeated", "skip"))).code).toBe(0);
    const { code, stdout, stderr } = await run(command());
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("2 of 2 accepted") });
    expect(stderr).toContain("1 of 3 messages left, to a real phone");
    expect(stderr).toContain("1 of 2 had this text from run feb, just now\n");
    expect(stdout).toContain("left out: 1 had this text from another run");
    expect(texted().toSorted()).toEqual([first, second, third]);
    const { value } = await runJson(["runs", "show", "jan"]);
    expect(value).toMatchObject({ recipients: 2, leftOut: { repeated: 1 } });
  });

  it.each([
    ["the next day as well", 0, 30],
    ["who had the text on a machine whose clock is behind", -1, 0],
  ])("leaves out %s", async (_, hours, later) => {
    const there = Date.now() + hours * hourMs;
    expect((await run(list("feb", [second]), { now: there, clock: there })).code).toBe(0);
    const clock = () => Date.now() + later * hourMs;
    expect((await run(["runs", "resume", "jan", "--yes", ...fast], { clock })).code).toBe(0);
    expect(texted().filter((to) => to === second)).toHaveLength(1);
  });

  it("sends what it began to send again, with --repeated send", async () => {
    answerWith({ [second]: answer(402, { error: "No", errorCode: "INSUFFICIENT_CREDITS" }) });
    expect((await run(list("feb", [second, first], "--repeated", "send"))).code).toBe(5);
    answerWith({});
    const resumed = await runJson(["runs", "resume", "feb", "--yes", ...fast]);
    expect(resumed).toMatchObject({ code: 0, value: { accepted: 2 } });
  });
});

it("numbers that are typed beside a list are not asked about, in a run that goes on neither", async () => {
  const [first = "", second = "", third = ""] = numbers(3);
  expect((await run(["send", "--to", first, "--to", second, "-m", "Hi", ...fast])).code).toBe(0);
  const beside = list("jan", [third], "--to", first, "--to", second);
  expect((await run(beside, { environment: { SMS_DAILY_CREDITS: "1" } })).code).toBe(12);
  expect((await run(list("feb", [second]))).code).toBe(2);
  expect((await run(list("feb", [second], "--repeated", "send"))).code).toBe(0);

  expect(await runJson(["runs", "resume", "jan", "--yes", ...fast])).toMatchObject({ code: 0, value: { accepted: 3 } });

  expect(texted().toSorted()).toEqual([first, first, second, second, second, third]);
});

describe("a run under a name that is taken", () => {
  it("says which rows differ, and the whole way on for other rows and for another text", async () => {
    const [first = "", second = ""] = numbers(2);
    await run(list("jan", [first]));
    const rows = await runJson(list("jan", [first, second]));
    expect(rows).toMatchObject({ code: 2, value: { errorCode: "RUN_CHANGED" } });
    expect(rows.value.error).toBe("the run jan began with other rows: 1 differs, first line 2");
    const value = { run: "jan-2", accepted: 1, leftOut: { repeated: 1 } };
    expect(await runJson(commandIn(rows.value.hint, 0))).toMatchObject({ code: 0, value });
    const text = list("jan", [first, numbers(3)[2] ?? ""]).map((word) => (word === "Hi" ? "Ho" : word));
    const { hint, error } = (await runJson(text)).value;
    expect(error).toBe("the run jan began with another text and other rows: 2 differ, first line 1");
    await run(["runs", "remove", "jan-2", "--yes"]);
    expect(await runJson(commandIn(hint, 0))).toMatchObject({ code: 0, value: { run: "jan-2", accepted: 1 } });
    expect(texted().toSorted()).toEqual([first, second, numbers(3)[2]]);
  });

  it.each([
    ["other rows: 2 differ, first line 2", "Pay {{due}}", "90", "Pay 90"],
    ["another text and other rows: 3 differ, first line 2", "Please pay {{due}}", "50", undefined],
  ])(
    "with amounts that were corrected or another text began with %s, and each gets the right one by the hint",
    async (what, text, due, sent) => {
      const [first = "", second = "", third = ""] = numbers(3);
      const owed = (message: string, name: string, rows: readonly string[]) => [
        "send",
        "-r",
        file("owed.csv", ["to,due,name", ...rows].join("\n")),
        "-m",
        message,
        "--run",
        name,
        "--yes",
        ...fast,
      ];
      await run(owed("Pay {{due}}", "jan", [`${first},50,Ann`, `${second},60,Bob`]));
      const changed = owed(text, "jan", [`${first},${due},Ann`, `${second},60,Bob`, `${third},70,Cy`]);

      const { hint, error } = (await runJson(changed)).value;
      expect(error).toBe(`the run jan began with ${what}`);
      expect((await runJson(commandIn(hint, 0))).value).toMatchObject({ run: "jan-2", exitCode: 0 });

      const exported = await run(["runs", "export", "jan-2", "--format", "ndjson"]);
      expect(exported.stdout.includes(`"message":"${sent}"`)).toBe(sent !== undefined);
      expect(texted()).toEqual([first, second, ...(sent === undefined ? [] : [first]), third]);
    },
  );

  const names = ["Ann", "Bob", "Cy"];
  const rowsOf = (columns: string, count: number, cells: (name: string) => string) => {
    const lines = numbers(count).map((to, index) => `${to},${cells(names[index] ?? "")}`);
    return ["-r", file("own.csv", [columns, ...lines].join("\n"))];
  };
  const own = (count: number) => rowsOf("to,message", count, (name) => `Hi ${name}`);
  const named = (count: number) => rowsOf("to,name,message", count, (name) => `${name},Hi ${name}`);
  const typed = (count: number) => numbers(count).flatMap((to) => ["--to", to]);
  it.each([
    ["texts of the rows", own, [], own, ["-m", "Hello"]],
    ["texts of rows with a name", named, [], named, ["-m", "Hello"]],
    ["a text for typed numbers", typed, ["-m", "Hi"], named, ["-m", "Hi {{name}}"]],
    ["a text with a name", named, ["-m", "Hi {{name}}"], typed, ["-m", "Hi"]],
  ])("sends, by its hint, a text in place of %s only to who had none", async (_, former, formerText, latter, text) => {
    const sends = (args: readonly string[]) => ["send", ...args, "--run", "jan", "--yes", ...fast];
    expect((await run(sends([...former(2), ...formerText]))).code).toBe(0);

    const { hint, error } = (await runJson(sends([...latter(3), ...text]))).value;
    expect(error).toContain("began with another text");

    expect((await runJson(commandIn(hint, 0))).value).toMatchObject({ run: "jan-2", accepted: 1 });
    expect(texted()).toEqual(numbers(3));
  });

  const test = { environment: { SMS_API_KEY: "sk_test_abc" } };

  it("of a test key keeps it until somebody agrees to the run that takes it", async () => {
    await run(list("jan", numbers(2)), test);
    const another = list("jan", numbers(1)).filter((word) => word !== "--yes");

    const [unanswered, refused] = [await run(another), await run(another, { isTerminal: true, onPrompt: () => {} })];

    expect([unanswered.code, refused.code]).toEqual([2, 130]);
    expect(await runJson(["runs", "show", "jan"])).toMatchObject({ code: 0, value: { mode: "test", accepted: 2 } });
    expect(await runJson(list("jan", numbers(2)), test)).toMatchObject({ code: 0, value: { accepted: 2 } });
  });

  it("of a test key takes it, and says so", async () => {
    expect((await run(list("jan", numbers(2)), test)).code).toBe(0);
    const taken =
      "run jan was sent by a test key and reached no phone: this run takes its name, and that one is removed";
    const dry = await run(list("jan", numbers(1), "-n"));
    expect(dry.stdout.replaceAll(/\s+/g, " ")).toContain(taken);
    expect((await runJson(["runs", "list"])).value).toMatchObject([{ run: "jan", mode: "test" }]);
    const begun = await runJson(list("jan", numbers(1)));
    expect(begun).toMatchObject({ code: 0, value: { recipients: 1, warnings: [taken] } });
    expect((await run(list("jan", numbers(2)), test)).code).toBe(2);
  });
});

it("a plan names the runs of the last week that stopped before everybody was tried", async () => {
  const [to = ""] = numbers(1);
  answerWith({ [to]: answer(401, {}) });
  expect((await run(list("jan", numbers(3)))).code).toBe(4);
  answerWith({});
  const { stderr } = await run(list("feb", ["+254712345099"], "--quiet"));
  expect(stderr).toBe("Run jan stopped with 2 not tried: `sms runs resume jan`\n");
  const later = { clock: () => Date.now() + 8 * 24 * hourMs, now: () => Date.now() + 8 * 24 * hourMs };
  expect((await run(list("mar", ["+254712345098"], "--quiet"), later)).stderr).toBe("");
  await run(["runs", "close", "jan"]);
  expect((await run(list("apr", ["+254712345097"], "--quiet"))).stderr).toBe("");
});
