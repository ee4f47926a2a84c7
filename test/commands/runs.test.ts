import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { type Machine, sms } from "../support/machine.ts";

let sandbox: Sandbox;
let folder: string;
let environment: Readonly<Record<string, string>>;

beforeEach(async () => {
  let ids = 0;
  const newId = () => `msg_${++ids}`;
  sandbox = await startSandbox({ port: 0, tier: "professional", credits: 5, now: Date.now, newId });
  folder = mkdtempSync(join(tmpdir(), "sms-"));
  environment = {
    SMS_CONFIG_DIR: join(folder, "config"),
    SMS_STATE_DIR: join(folder, "state"),
    SMS_BASE_URL: sandbox.url,
    SMS_API_KEY: "sk_test_sandbox",
  };
});

afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

const fast = ["--rate", "60000"];

function run(args: readonly string[], machine: Machine = {}) {
  return sms(args, { ...machine, environment: { ...environment, ...machine.environment } });
}

function send(args: readonly string[], machine: Machine = {}) {
  return run(["send", ...fast, ...args], machine);
}

/** A command's NDJSON: the lines of recipients, and the last line. */
async function lines(args: readonly string[], machine: Machine = {}) {
  const { code, stdout, stderr } = await run([...args, "--json"], machine);
  const all = stdout
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { code, recipients: all.slice(0, -1), summary: all.at(-1), stderr };
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const taken = () =>
  sandbox
    .messages()
    .map(({ to, message }) => [to, message] as const)
    .toSorted(([a], [b]) => a.localeCompare(b));

const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `+2547123450${String(from + index).padStart(2, "0")}`);

const customers = "to,name,due\n+254712345001,Jane,10\n0712 345002,,20\n";

describe("a run", () => {
  it("sends each row its own text, and says so a line each, and all in all", async () => {
    const path = file("customers.csv", customers);
    const text = "Hi {{name|customer}}, you owe KES {{due}}";
    const args = ["send", ...fast, "-r", path, "--country", "KE", "-m", text, "--run", "dues"];
    const { code, recipients, summary, stderr } = await lines(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(recipients.toSorted((a, b) => a.line - b.line)).toEqual(
      [2, 3].map((line) => ({
        type: "recipient",
        line,
        to: `+25471234500${line - 1}`,
        outcome: "accepted",
        messageId: expect.stringMatching(/^msg_\d$/),
        segments: 1,
        totalCredits: 1,
        totalCostKes: 0.8,
        newBalance: 5,
      })),
    );
    expect(summary).toEqual({
      type: "summary",
      run: "dues",
      recipients: 2,
      accepted: 2,
      rejected: 0,
      unsent: 0,
      uncertain: 0,
      pending: 0,
      segments: 2,
      totalCredits: 2,
      totalCostKes: 1.6,
      newBalance: 5,
      exitCode: 0,
    });
    expect(taken()).toEqual([
      ["+254712345001", "Hi Jane, you owe KES 10"],
      ["+254712345002", "Hi customer, you owe KES 20"],
    ]);
  });

  it.each([
    ["--to repeated", ["--to", "+254712345000", "--to", "+254712345001"], ""],
    ["standard input", ["-r", "-"], "+254712345000\n# not this\n\n+254712345001\n"],
    ["NDJSON", ["-r", "-", "--format", "ndjson"], '{"to":"+254712345000"}\n{"to":"+254712345001"}\n'],
  ])("takes recipients by %s", async (_, args, stdin) => {
    expect((await send([...args, "-m", "Hi"], { stdin })).code).toBe(0);
    expect(taken()).toEqual(numbers(2).map((to) => [to, "Hi"]));
  });

  it("never sends again under the same name", async () => {
    const args = ["-r", file("list.txt", numbers(3).join("\n")), "-m", "Hi", "--run", "once"];
    expect((await send(args)).code).toBe(0);
    expect((await send(args)).code).toBe(0);
    expect(taken()).toHaveLength(3);
  });

  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ["text", ["-m", "Other"], {}],
    ["list of recipients", ["--to", "+254712345009"], {}],
    ["sender", ["--sender", "ACME"], {}],
    ["key or account", [], { SMS_API_KEY: "sk_live_sandbox" }],
  ])("refuses to go on with another %s", async (what, more, keys) => {
    const to = ["--to", "+254712345000", "--to", "+254712345001", "--yes", "--run", "bound"];
    await send([...to, "-m", "Hi"]);
    const { code, stderr } = await send([...to, ...(more.includes("-m") ? [] : ["-m", "Hi"]), ...more], {
      environment: keys,
    });
    expect(code).toBe(2);
    expect(stderr).toContain(`the run bound began with another ${what}`);
    expect(taken()).toHaveLength(2);
  });

  it("skips who stands twice or is excluded, and says so", async () => {
    const excluded = file("opt-outs.txt", "0712 345001\n");
    const list = ["+254712345000", "+254712345001", "+254712345000"].join("\n");
    const path = file("list.txt", list);
    const planned = await send(["-r", path, "-m", "Hi", "--exclude", excluded, "--country", "KE"]);
    expect(planned.code).toBe(0);
    expect(planned.stderr).toContain("1 duplicate");
    expect(planned.stderr).toContain("1 excluded");
    expect(taken()).toEqual([["+254712345000", "Hi"]]);
  });

  it("is refused whole for one bad row, with all faults by their lines", async () => {
    const path = file("list.txt", "+254712345000\n12\nnobody\n");
    const { code, stderr } = await send(["-r", path, "-m", "Hi"]);
    expect(code).toBe(2);
    expect(stderr).toContain('  line 2: "12" cannot be read');
    expect(stderr).toContain('  line 3: "nobody" cannot be read');
    expect(taken()).toEqual([]);
    expect(readdirSync(join(folder, "state", "runs"))).toEqual([]);
    expect((await send(["-r", path, "-m", "Hi", "--skip-invalid"])).code).toBe(0);
    expect(taken()).toHaveLength(1);
  });

  it("does not begin over --max-credits, and stops before the charge passes it", async () => {
    const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };
    const path = file("list.txt", numbers(4).join("\n"));
    const over = await lines(["send", ...fast, "-r", path, "-m", "Hi", "--max-credits", "3"], live);
    expect(over.code).toBe(12);
    expect(JSON.parse(over.stderr)).toMatchObject({
      errorCode: "OVER_LIMIT",
      outcome: "unsent",
      exitCode: 12,
    });
    expect(taken()).toEqual([]);
  });

  it("stops where the credits are used up, and goes on once they are topped up", async () => {
    const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };
    const path = file("list.txt", numbers(8).join("\n"));
    const args = ["-r", path, "-m", "Hi", "--yes", "--run", "topup", "--concurrency", "1"];
    expect((await send(args, live)).code).toBe(5);
    expect(taken()).toHaveLength(5);
    const { value } = { value: (await lines(["runs", "list"], live)).summary };
    expect(value).toEqual([
      {
        run: "topup",
        started: expect.stringMatching(/Z$/),
        recipients: 8,
        accepted: 5,
        rejected: 1,
        unsent: 0,
        uncertain: 0,
        pending: 2,
      },
    ]);
  });

  it("must be confirmed if the key is live and sms cannot prompt", async () => {
    const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };
    const to = ["--to", "+254712345000", "--to", "+254712345001", "-m", "Hi"];
    expect((await send(to, live)).code).toBe(2);
    expect(taken()).toEqual([]);
    expect((await send([...to, "--max-credits", "2"], live)).code).toBe(0);
    expect((await send([...to, "--yes"], live)).code).toBe(0);
    expect(taken()).toHaveLength(4);
  });

  it("needs to be confirmed again where it is continued", async () => {
    const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };
    const args = [
      "-r",
      file("list.txt", numbers(7).join("\n")),
      "-m",
      "Hi",
      "--run",
      "more",
      "--concurrency",
      "1",
    ];
    expect((await send([...args, "--yes"], live)).code).toBe(5);
    const sent = taken().length;
    const { code, stderr } = await send(args, live);
    expect(code).toBe(2);
    expect(stderr).toContain("1 message to real phones must be confirmed, and sms cannot prompt here");
    expect((await send([...args, "--max-credits", "5"], live)).code).toBe(12);
    expect(taken()).toHaveLength(sent);
  });

  it("says in the summary for scripts whom it left out", async () => {
    const path = file("list.txt", "+254712345000\n12\n+254712345000\n");
    const { summary } = await lines(["send", ...fast, "-r", path, "-m", "Hi", "--skip-invalid"]);
    expect(summary).toMatchObject({ recipients: 1, accepted: 1 });
    expect(summary.leftOut).toEqual(expect.arrayContaining(["1 duplicate", "1 invalid"]));
  });

  it("in a sandbox goes on under its name", async () => {
    const args = [
      "send",
      "--sandbox",
      "--to",
      "+254712345000",
      "--to",
      "+254712345001",
      "-m",
      "Hi",
      "--run",
      "tried",
    ];
    expect((await run(args)).code).toBe(0);
    expect((await run(args)).code).toBe(0);
    expect((await run(["runs", "resume", "tried"])).code).toBe(0);
  });

  it("records for its owner alone, and says nothing of the key", async () => {
    await send(["--to", "+254712345000", "--to", "+254712345001", "-m", "Hi", "--run", "mine"]);
    const path = join(folder, "state", "runs", "mine");
    const modes = [path, ...readdirSync(path).map((name) => join(path, name))].map((entry) =>
      (statSync(entry).mode & 0o077).toString(8),
    );
    expect(new Set(modes)).toEqual(new Set(["0"]));
  });

  it("with --dry-run is planned and not recorded", async () => {
    const { code, stdout } = await send(["-r", file("list.txt", numbers(3).join("\n")), "-m", "Hi", "-n"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Dry run: nothing was sent.\n");
    expect(stdout).toContain("  Recipients  3\n");
    expect(existsSync(join(folder, "state", "runs"))).toBe(false);
    expect(taken()).toEqual([]);
  });

  it("with --dry-run shows what is left of the run of that name, and refuses what it refuses", async () => {
    const args = ["-r", file("list.txt", numbers(7).join("\n")), "-m", "Hi", "--run", "dry"];
    const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };
    expect((await send([...args, "--yes", "--concurrency", "1"], live)).code).toBe(5);
    const before = taken().length;
    expect((await send([...args, "-n"], live)).stdout).toContain("  Recipients  1\n");
    const other = args.map((word) => (word === "Hi" ? "Hello" : word));
    const { code, stderr } = await send([...other, "-n"], live);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("began with another text"),
    });
    expect(taken()).toHaveLength(before);
  });

  it("warns before it is sent of a field that no row fills, and says what --gsm7 replaced", async () => {
    const path = file("list.csv", "to,name\n+254712345000,Shop’s\n+254712345001,\n");
    const message = "Hi {{name|you}}, {{nmae|you}} – it’s due";
    const { summary } = await lines(["send", ...fast, "-r", path, "-m", message, "--gsm7"]);
    expect(summary.warnings).toEqual([
      "in 2 texts replaced for GSM-7: ’ by ', – by -",
      "no row fills {{nmae}}, so every text has its default",
    ]);
    expect((await send(["-r", path, "-m", message, "-n"])).stdout).toContain(
      "  Warning     no row fills {{nmae}}",
    );
  });

  it.each([
    [
      ["--to", "+254712345000", "-m", "Hi", "--concurrency", "2"],
      "--concurrency means nothing to a single message",
    ],
    [["--to", "+254712345000", "--run", "../x", "-m", "Hi"], '"../x" is not a name for a run'],
    [["-r", "/nowhere/list.txt", "-m", "Hi"], "cannot read the recipients: ENOENT"],
    [["-r", "-", "-m", "-"], "both the recipients and the text are to come from standard input"],
    [["-r", "-", "-m", "Hi {{name"], "has an unclosed {{ at line 1, column 4"],
  ])("refuses %j", async (args, sentence) => {
    const { code, stderr } = await run(["send", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
    expect(taken()).toEqual([]);
  });
});

describe("sms runs", () => {
  beforeEach(async () => {
    const path = file(
      "list.txt",
      ["+254712345000", "+254712000400", "+254712000598", "+254712345001"].join("\n"),
    );
    await send(["-r", path, "-m", "=Hi", "--run", "mixed", "--concurrency", "1"]);
  });

  it("lists what each comes to", async () => {
    expect((await lines(["runs", "list"])).summary).toEqual([
      {
        run: "mixed",
        started: expect.stringMatching(/Z$/),
        recipients: 4,
        accepted: 2,
        rejected: 1,
        unsent: 0,
        uncertain: 1,
        pending: 0,
      },
    ]);
  });

  it.each(["plan.ndjson", "journal.ndjson"])("sends nothing of a run whose %s is gone", async (name) => {
    rmSync(join(folder, "state", "runs", "mixed", name));
    const before = taken().length;
    const { code, stderr } = await run(["runs", "resume", "mixed", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ errorCode: "RUN_DAMAGED" });
    expect(taken()).toHaveLength(before);
  });

  it("shows who was not accepted, and the evidence", async () => {
    const { code, stdout } = await run(["runs", "show", "mixed", "--failed"]);
    expect(code).toBe(0);
    expect(stdout).toContain("! Run mixed: 2 of 4 accepted, 1 rejected, 1 uncertain\n");
    expect(stdout).toContain("  line 2  +254712000400  rejected: Invalid parameters\n");
    expect(stdout).toContain("  line 3  +254712000598  uncertain: ");
    expect(stdout).toContain("  Evidence: ");
  });

  it("resumes only what may be sent again", async () => {
    const before = taken().length;
    expect((await run(["runs", "resume", "mixed"])).code).toBe(11);
    expect(taken()).toHaveLength(before);
    expect((await run(["runs", "resume", "mixed", "--retry", "uncertain"])).code).toBe(11);
    expect(taken()).toHaveLength(before + 1);
  });

  it("exports CSV that a spreadsheet runs nothing of", async () => {
    const { stdout } = await run(["runs", "export", "mixed"]);
    const rows = stdout.trim().split("\n");
    expect(rows[0]).toBe(
      "line,to,outcome,messageId,segments,totalCredits,totalCostKes,newBalance,httpStatus,errorCode,error,message",
    );
    expect(rows[1]).toMatch(/^1,\+254712345000,accepted,msg_\d,1,1,0\.8,5,,,,'=Hi$/);
    expect(rows).toHaveLength(5);
  });

  it("exports NDJSON with every recipient", async () => {
    const { stdout } = await run(["runs", "export", "mixed", "--format", "ndjson"]);
    const outcomes = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).outcome);
    expect(outcomes).toEqual(["accepted", "rejected", "uncertain", "accepted"]);
  });

  it("lists the others beside one that is damaged, which can be removed", async () => {
    await send(["--to", "+254712345000", "--to", "+254712345001", "-m", "Hi", "--run", "broken"]);
    writeFileSync(join(folder, "state", "runs", "broken", "run.json"), "{");
    const { code, stdout, stderr } = await run(["runs", "list"]);
    expect({ code, mixed: stdout.includes("mixed"), broken: stdout.includes("broken") }).toEqual({
      code: 0,
      mixed: true,
      broken: false,
    });
    expect(stderr).toContain("Warning: run broken cannot be read");
    expect((await run(["runs", "remove", "broken"])).code).toBe(0);
  });

  it("removes, and knows it no more", async () => {
    expect((await run(["runs", "remove", "mixed"])).code).toBe(0);
    const { code, stderr } = await run(["runs", "show", "mixed"]);
    expect(code).toBe(2);
    expect(stderr).toContain('there is no run "mixed"');
  });
});
