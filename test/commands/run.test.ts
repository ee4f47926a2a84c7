import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { optionTable } from "../../src/sending/options.ts";
import { fast, live, numbers, objectsIn, withRuns } from "./with-runs.ts";

const { accepted, file, lines, listOf, run, runsFolder, send } = withRuns();

const customers = "to,name,due\n+254712345001,Jane,10\n0712 345002,,20\n";

describe("a run", () => {
  it("sends each row its own text, and prints a line for each and a summary", async () => {
    const path = file("customers.csv", customers);
    const text = "Hi {{name|customer}}, you owe KES {{due}}";

    const end = await lines(["send", ...fast, "-r", path, "--country", "KE", "-m", text, "--run", "dues"]);

    expect(end).toMatchObject({ code: 0, stderr: "" });
    const receipt = { type: "recipient", outcome: "accepted", messageId: expect.stringMatching(/^msg_\d$/) };
    const costEach = { segments: 1, totalCredits: 1, totalCostKes: 0.8, newBalance: 5 };
    expect(end.recipients.toSorted((a, b) => a.line - b.line)).toEqual(
      [2, 3].map((line) => ({ ...receipt, ...costEach, line, to: `+25471234500${line - 1}` })),
    );
    const counts = { recipients: 2, accepted: 2, rejected: 0, unsent: 0, uncertain: 0, pending: 0, acceptedNow: 2 };
    const cost = { segments: 2, totalCredits: 2, totalCostKes: 1.6, newBalance: 5 };
    expect(end.summary).toEqual({ type: "summary", run: "dues", ...counts, ...cost, exitCode: 0 });
    expect(accepted()).toEqual([
      ["+254712345001", "Hi Jane, you owe KES 10"],
      ["+254712345002", "Hi customer, you owe KES 20"],
    ]);
  });

  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ["another text: 2 differ, first --to 1", ["-m", "Other"], {}],
    ["other rows: 1 differs, first --to 3", ["--to", "+254712345009"], {}],
    ["other senders", ["--sender", "ACME"], {}],
    ["another key or account", [], { SMS_API_KEY: "sk_test_sandbox-2" }],
  ])("refuses to go on with %s", async (what, more, keys) => {
    const to = ["--to", "+254712345000", "--to", "+254712345001", "--yes", "--run", "bound"];
    await send([...to, "-m", "Hi"]);
    const text = more.includes("-m") ? [] : ["-m", "Hi"];
    const { code, stderr } = await send([...to, ...text, ...more], { environment: keys });
    expect(code).toBe(2);
    expect(stderr).toContain(`the run bound began with ${what}`);
    expect(accepted()).toHaveLength(2);
  });

  it("must be confirmed if the key is live and sms cannot prompt", async () => {
    const list = [...listOf(2), "-m", "Hi"];
    expect((await send(list, live)).code).toBe(2);
    expect(accepted()).toEqual([]);
    expect((await send([...list, "--max-credits", "2"], live)).code).toBe(0);
    expect((await send([...list, "--yes", "--repeated", "send"], live)).code).toBe(0);
    expect(accepted()).toHaveLength(4);
  });

  it("is sent unasked to up to 10 who were typed, each time that it is given", async () => {
    const typed = (count: number) => [...numbers(count).flatMap((to) => ["--to", to]), "-m", "db1 is down"];
    for (const _ of [1, 2]) expect((await send(typed(2), live)).code).toBe(0);
    expect(accepted()).toHaveLength(4);
    expect((await send(typed(11), live)).code).toBe(2);
    expect((await send(typed(10), live)).code).toBe(5);
  });

  it("asks again for the rest of more than 10 who were typed, however few are left, and never for fewer", async () => {
    const refused = "+254700000402";
    for (const [count, again] of [
      [11, 2],
      [10, 5],
    ] as const) {
      const all = ["+254712345000", refused, ...numbers(count - 2, 1)].flatMap((to) => ["--to", to]);
      const typed = [...all, "-m", "db1 is down", "--run", `typed-${count}`];
      expect((await send([...typed, "--yes"], live)).code).toBe(5);
      expect((await send(typed, live)).code).toBe(again);
    }
  });

  it("ends as before if nothing is left to send, whatever it was charged", async () => {
    const args = [...numbers(3).flatMap((to) => ["--to", to]), "-m", "Hi", "--run", "done", "--max-credits"];
    expect((await send([...args, "3"], live)).code).toBe(0);
    expect((await send([...args, "2"], live)).code).toBe(0);
    expect((await send([...args, "2", "--dry-run"], live)).code).toBe(0);
    expect(accepted()).toHaveLength(3);
  });

  it("is rehearsed in a sandbox of its own without a rate and with credits enough, unless a rate is given", async () => {
    const list = Array.from({ length: 300 }, (_, index) => `+2547123${String(index).padStart(5, "0")}`);
    const args = ["send", "--sandbox", "-r", file("list.txt", list.join("\n")), "-m", "Hi"];
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/300 of 300 accepted\n  300 credits would be charged, KES 240.00\n$/);
    expect(stderr).toMatch(/^  SANDBOX +\d+ messages; no phone receives them\n.*; a real send would be charged/m);
    const plan = async (...more: readonly string[]) => (await lines([...args, "--dry-run", ...more])).summary;
    expect(await plan()).toMatchObject({ rate: null, mode: "sandbox" });
    expect(await plan("--rate", "600")).toMatchObject({ rate: 600 });
    expect(await plan("--rate", "starter")).toMatchObject({ rate: 500 });
  });

  it("must be confirmed again to continue", async () => {
    const args = [...listOf(7), "-m", "Hi", "--run", "more"];
    expect((await send([...args, "--yes"], live)).code).toBe(5);
    const sent = accepted().length;
    const { code, stderr } = await send(args, live);
    expect(code).toBe(2);
    expect(stderr).toContain("2 messages to a sandbox must be confirmed, and sms cannot prompt here");
    expect(stderr).toContain("--max-credits 7 to limit the cost");
    const over = await send([...args, "--max-credits", "5"], live);
    expect(over.code).toBe(12);
    expect(over.stderr).toContain("the estimate is 2 credits, after 5 credits so far, over --max-credits 5\n");
    expect(over.stderr).toContain("Next: raise the limit\n");
    expect(accepted()).toHaveLength(sent);
  });

  it("leaves no trace in a sandbox: no name is taken, and nothing stands in a list", async () => {
    const args = ["send", "--sandbox", "--to", "+254712345000", "--to", "+254712345001", "-m", "Hi", "--run", "tried"];
    for (const _ of [1, 2]) {
      expect(await run(args)).toMatchObject({ code: 0, stdout: expect.stringContaining("Run tried: 2 of 2 accepted") });
    }
    expect(existsSync(runsFolder())).toBe(false);
    expect(await run(["history", "--json"])).toMatchObject({ stdout: "[]\n" });
    expect(await send(args.slice(2))).toMatchObject({ code: 0 });
  });

  it("names no command that would look for a run of a sandbox", async () => {
    const { code, stdout, stderr } = await run("send --sandbox --to +254700000500 -m Hi --run a".split(" "));
    expect({ code, output: stdout + stderr }).toEqual({ code: 11, output: expect.not.stringContaining("sms runs") });
  });

  describe("with nobody to send to", () => {
    const warning = (text: RegExp): unknown => expect.arrayContaining([expect.stringMatching(text)]);
    const noRows = { warnings: warning(/list.csv has a header and no rows$/) };
    const excludedOne = { leftOut: { excluded: 1 } };
    const optedOut = { leftOut: { optedOut: 1 }, warnings: warning(/^nobody of .*list.csv is left/) };

    it.each([
      ["a header without rows", "to,name\n", noRows, ""],
      ["a header that names no number", "name,contact\n", noRows, ""],
      ["people who opted out", "to\n+254712345000\n", optedOut, "1 opted out; line 2: +254712345000 has opted out"],
      [
        "exclusions",
        "to\n+254712345001\n",
        excludedOne,
        "1 excluded; line 2: +254712345001 is excluded: in others.txt",
      ],
    ])("because of %s: exit 0, a warning, and the name stays free", async (_, list, left, out) => {
      await run(["optout", "add", "+254712345000"]);
      const excluded = ["--exclude", file("others.txt", "+254712345001\n")];
      const args = ["-r", file("list.csv", list), ...excluded, "-m", "Hi"];
      const none = { type: "summary", run: null, recipients: 0, exitCode: 0 };

      const { code, stderr, summary } = await lines(["send", ...args, "--run", "quiet"]);

      expect({ code, stderr, summary }).toMatchObject({ code: 0, stderr: "", summary: { ...none, ...left } });
      const words = out === "" ? "" : `Left out: ${out}\n`;
      const silent = { code: 0, stdout: "", stderr: `${words}Nobody to send to: nothing was sent.\n` };
      expect(await send([...args, "--quiet"])).toEqual(silent);
      const dry = { code: 0, stdout: expect.stringContaining("0 messages") };
      expect(await send([...args, "--dry-run"])).toMatchObject(dry);
      file("list.csv", "to\n+254712345002\n");
      expect((await send([...args, "--run", "quiet"])).code).toBe(0);
      expect(accepted()).toEqual([["+254712345002", "Hi"]]);
    });
  });

  it("of typed recipients who all opted out is an error: an alert must not get lost", async () => {
    await run(["optout", "add", ...numbers(2)]);
    const stderr = expect.stringContaining("no recipient of --to is left");
    expect(await send([...numbers(2).flatMap((to) => ["--to", to]), "-m", "Hi"])).toMatchObject({ code: 2, stderr });
  });

  it("keeps the rate and the limit that it began with, unless they are given again", async () => {
    const limited = { environment: { SMS_API_KEY: "sk_live_sandbox", SMS_DAILY_CREDITS: "2" } };
    const list = [...listOf(4), "-m", "Hi", "--run", "kept"];
    expect((await send([...list, "--rate", "1200", "--max-credits", "4"], limited)).code).toBe(12);
    const more = { environment: { ...limited.environment, SMS_DAILY_CREDITS: "9" } };
    const over = await run(["runs", "resume", "kept", "--max-credits", "3"], more);
    expect(over).toMatchObject({ code: 12, stderr: expect.stringContaining("over --max-credits 3") });
    const some = { environment: { ...limited.environment, SMS_DAILY_CREDITS: "3" } };
    const { stdout } = await run(["runs", "resume", "kept", "--rate", "600", "--retries", "1"], some);
    expect(stdout).toMatch(/sms runs resume kept --rate 600 --retries 1$/m);
    const resumed = await run(["runs", "resume", "kept"], more);
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining("at 1,200 a minute") });
    expect(accepted()).toHaveLength(4);
  });

  it("keeps each option that a resume reads as well, the hours with their zone", async () => {
    const refused = "+254700000400";
    const [of, no] = [file("of.txt", [...numbers(3), refused].join("\n")), file("no.txt", numbers(1, 2).join("\n"))];
    const limits = "--max-credits 9 --between 00:00-24:00 --wait --rate 1200 --timeout 9 --retries 1".split(" ");
    await send(["-r", of, "-m", "Hi", "--run", "kept", "--only-to", of, "--exclude", no, ...limits]);
    const { options } = JSON.parse(readFileSync(runsFolder("kept", "run.json"), "utf8"));
    const between = "00:00-24:00 Africa/Nairobi";
    const times = { between, wait: true, rate: 1200, timeout: 9, retries: 1 };
    expect(options).toEqual({ onlyTo: of, exclude: [no], maxCredits: 9, ...times });
    const both = Object.entries(optionTable).filter(
      ([, { readers: ways }]) => ways.includes("run") && ways.includes("runs resume"),
    );
    expect(Object.keys(options).toSorted()).toEqual(both.map(([name]) => name).toSorted());
    const { stdout } = await run(["runs", "close", "kept"]);
    expect(stdout).toContain(`--run kept-2 --exclude '${no}' --exclude run:kept`);
  });

  it("says in one line what --skip-invalid left out, with --quiet too", async () => {
    const list = file("list.txt", ["0712", ...numbers(1), "soon", "x", "y"].join("\n"));
    const { code, stdout, stderr } = await send(["-r", list, "-m", "Hi", "--run", "some", "--skip-invalid", "--quiet"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "some\n" });
    expect(stderr).toMatch(/^Left out: 4 invalid; line 1: .*; line 3: .*; line 4: .*\n$/);
  });
});

describe("the output of a run", () => {
  const two = ["--to", "+254712345000", "--to", "+254712345001", "-m", "Deploy finished"];

  it("with --verbose shows each exchange by its number, without key and text", async () => {
    const { code, stdout, stderr } = await send([...two, "--verbose", "--json"]);
    expect(code).toBe(0);
    for (const number of [1, 2]) {
      expect(stderr).toMatch(new RegExp(`^${number} > POST http://127\\.0\\.0\\.1:\\d+/api/v1/sms/send$`, "m"));
      expect(stderr).toContain(`${number} > authorization: Bearer [redacted]\n`);
      expect(stderr).toContain(`${number} < HTTP 200\n`);
    }
    expect(stderr).toContain('"message":"[15 characters]"');
    expect(stderr).not.toMatch(/sk_test_sandbox|Deploy finished/);
    expect(objectsIn(stdout).map(({ type }) => type)).toEqual(["recipient", "recipient", "summary"]);
  });

  const causes = { 401: 4, 402: 5, 403: 6, 429: 7 } as const;
  it.each(Object.entries(causes).flatMap(([status, exit]) => [false, true].map((hasRest) => [status, hasRest, exit])))(
    "stops at a %s, and says that the rest would fail the same way if there is one: %s",
    async (status, hasRest, exit) => {
      const rows = ["+254712345001", `+254700000${status}`];
      const list = file("list.txt", (hasRest ? rows.toReversed() : rows).join("\n"));
      const { code, stderr } = await send(["-r", list, "-m", "Hi", "--retries", "0"]);
      expect(code).toBe(exit);
      expect(stderr.includes("the rest would fail the same way")).toBe(hasRest);
    },
  );

  it("is the name of the run alone with --quiet, and on stderr what is left and how it goes on", async () => {
    expect(await send([...two, "--run", "two", "--quiet"])).toEqual({ code: 0, stdout: "two\n", stderr: "" });
    const rejected = await send([...two, "--to", "+254700000400", "--run", "three", "--quiet"]);
    const failure = "1 of 3 not accepted: `sms runs show three --failed` lists it\n";
    expect(rejected).toEqual({ code: 11, stdout: "three\n", stderr: failure });
    const list = file("list.txt", numbers(7).join("\n"));
    const cut = await send(["-r", list, "-m", "Hi", "--run", "cut", "--yes", "--quiet", "--rate", "1200"], live);
    const ending = "Stopping: Insufficient SMS credits\n2 of 7 left: `sms runs resume cut` sends them\n";
    expect(cut).toEqual({ code: 5, stdout: "cut\n", stderr: ending });
  });
});
