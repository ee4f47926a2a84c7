import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { accept, answer } from "../support/scripts.ts";
import type { Script } from "../support/scripted-server.ts";
import { withPhones } from "./with-phones.ts";
import { fast, objectsIn } from "./with-runs.ts";

const { answerWith, file, run, runJson, texted } = withPhones();

const numberOf = (index: number) => `+2547${String(12_000_000 + index)}`;
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

/** The columns and rows of CSV without line breaks in values. */
function table(csv: string): readonly Readonly<Record<string, string>>[] {
  const [names = [], ...rows] = csv
    .trimEnd()
    .split("\n")
    .map((line) => Array.from(line.matchAll(/"((?:[^"]|"")*)"/g), ([, cell = ""]) => cell.replaceAll('""', '"')));
  return rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""])));
}

function countsOf(rows: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { outcome = "", reason = "" } of rows) {
    const words = `${outcome} ${reason.split(":")[0]}`.trim();
    counts[words] = (counts[words] ?? 0) + 1;
  }
  return counts;
}

describe("the mailing of an office", needs("CI to be set"), () => {
  /** 3,000 rows: 100 opted out, 50 invalid, 60 excluded, 40 repeated, 30 duplicates, and two who opt out in the middle. */
  async function mail() {
    const [optedOut, excluded, repeated] = [range(0, 100), range(100, 60), range(160, 40)];
    const late = [2_000, 2_001].map(numberOf);
    const rows = range(0, 2_920).map((index) => `Person ${index},${numberOf(index)},${index % 7}`);
    const invalid = range(0, 50).map((index) => `Broken ${index},07${index},1`);
    const twice = range(500, 30).map((index) => rows[index]);
    const list = file("mail.csv", ["Name,Phone,Due", ...rows, ...invalid, ...twice].join("\n"));
    await run(["optout", "import", file("out.txt", optedOut.map(numberOf).join("\n")), "--yes"]);
    const text = ["-m", "You owe {{due}}", "--country", "KE"];
    const before = file(
      "before.csv",
      ["Phone,Due", ...repeated.map((index) => `${numberOf(index)},${index % 7}`)].join("\n"),
    );
    expect((await run(["send", "-r", before, ...text, "--run", "before", "--yes", ...fast])).code).toBe(0);
    const meanwhile: Script = (...request) => void run(["optout", "add", ...late]).then(() => accept()(...request));
    answerWith({
      [numberOf(250)]: meanwhile,
      [numberOf(251)]: answer(400, { error: "No such number", errorCode: "BAD_NUMBER" }),
      [numberOf(252)]: answer(500, {}),
    });
    const others = file("others.txt", excluded.map(numberOf).join("\n"));
    const more = ["--exclude", others, "--repeated", "skip", "--skip-invalid", "--run", "mail", "--yes", ...fast];
    return { late, sent: await runJson(["send", "-r", list, ...text, ...more]) };
  }

  const counts = { optedOut: 102, invalid: 50, excluded: 60, repeated: 40, duplicate: 30 };

  it("is answered from its export alone: who did not get it, and why, and what it cost", async () => {
    const { sent, late } = await mail();
    expect(sent).toMatchObject({
      code: 11,
      value: { recipients: 2_718, accepted: 2_716, pending: 0, leftOut: counts },
    });

    const { stdout } = await run(["runs", "export", "mail", "--with-columns"]);
    const rows = table(stdout);

    expect(rows).toHaveLength(3_000);
    const leftOut = Object.entries(counts).map(([reason, count]) => [`left-out ${reason}`, count]);
    expect(countsOf(rows)).toEqual({ accepted: 2_716, rejected: 1, uncertain: 1, ...Object.fromEntries(leftOut) });
    const bill = rows.reduce((sum, { totalCostKes }) => sum + Number(totalCostKes), 0);
    expect([bill.toFixed(2), sent.value.totalCostKes.toFixed(2)]).toEqual(["2172.80", "2172.80"]);
    const row = (wanted: string) => rows.findLast(({ Phone }) => Phone === wanted);
    expect(row("0749")).toMatchObject({
      Name: "Broken 49",
      line: "2971",
      outcome: "left-out",
      reason: expect.stringMatching(/^invalid: "0749" /),
    });
    expect(row(numberOf(500))).toMatchObject({
      reason: "duplicate: already on line 502",
      line: "2972",
      totalCostKes: "",
    });
    expect(row(numberOf(170))).toMatchObject({ reason: "repeated: run before", Name: "Person 170" });
    expect(row(numberOf(100))).toMatchObject({ reason: "excluded: in others.txt" });
    for (const to of [numberOf(7), ...late]) expect(row(to)).toMatchObject({ outcome: "left-out", reason: "optedOut" });
  }, 120_000);

  it("corrected by hand, is sent to those who were to get it and did not, and to nobody who was left out", async () => {
    await mail();
    const before = texted().length;
    const { stdout } = await run(["runs", "export", "mail", "--failed", "--with-columns"]);
    expect(countsOf(table(stdout))).toEqual({ rejected: 1, uncertain: 1, "left-out invalid": 50 });
    const corrected = stdout.replaceAll(/"07(\d+)"/g, (_, index) => `"${numberOf(5_000 + Number(index))}"`);
    answerWith({});

    const again = ["send", "-r", file("again.csv", corrected), "-m", "You owe {{due}}", "--run", "again", "--yes"];
    expect(await runJson([...again, "--repeated", "skip", ...fast])).toMatchObject({
      code: 0,
      value: { accepted: 51 },
    });

    const reached = [numberOf(251), ...range(5_000, 50).map(numberOf)];
    expect(texted().slice(before).toSorted()).toEqual(reached.toSorted());
  }, 120_000);
});

describe("who is left out of a run", () => {
  const [one, two, three, four] = [1, 2, 3, 4].map(numberOf);

  /** Sends to one of five rows. */
  async function mail(...more: readonly string[]) {
    await run(["optout", "add", String(two)]);
    const rows = [`Ann,${one}`, `Bob,${two}`, `Cy,${three}`, `Dan,${one}`, "Eve,12"].join("\n");
    const list = file("five.csv", `Name,Phone\n${rows}\n`);
    const options = [
      "--exclude",
      file("three.txt", String(three)),
      "--skip-invalid",
      "--run",
      "mail",
      "--yes",
      ...fast,
    ];
    return run(["send", "-r", list, "-m", "Hi", ...options, ...more]);
  }

  const leftOut = [
    { line: 3, to: two, outcome: "left-out", reason: "optedOut" },
    { line: 4, to: three, outcome: "left-out", reason: "excluded", details: "in three.txt" },
    { line: 5, to: one, outcome: "left-out", reason: "duplicate", details: "already on line 2" },
    {
      line: 6,
      to: "12",
      outcome: "left-out",
      reason: "invalid",
      details: expect.stringContaining('"12" cannot be read'),
    },
  ];

  const counts = { optedOut: 1, excluded: 1, duplicate: 1, invalid: 1 };

  it.each([
    ["send", async () => (await mail("--json")).stdout, leftOut],
    ["show", async () => (await run(["runs", "show", "mail", "--json"])).stdout, leftOut],
    [
      "show --left-out",
      async () => (await run(["runs", "show", "mail", "--left-out", "--json"])).stdout,
      leftOut.slice(0, 3),
    ],
    ["show --failed", async () => (await run(["runs", "show", "mail", "--failed", "--json"])).stdout, leftOut.slice(3)],
    ["export", async () => (await run(["runs", "export", "mail", "--json"])).stdout, leftOut],
    [
      "export --failed",
      async () => (await run(["runs", "export", "mail", "--failed", "--json"])).stdout,
      leftOut.slice(3),
    ],
  ])("is in the lines of %s, each with the reason", async (door, read, rows) => {
    if (door !== "send") await mail();
    const lines = objectsIn(await read());
    const kind = door.startsWith("export") ? undefined : "recipient";
    expect(lines.filter(({ outcome }) => outcome === "left-out")).toEqual(rows.map((row) => ({ ...row, type: kind })));
    const last = lines.findLast(({ type }) => type === "summary") ?? { leftOut: counts };
    expect([lines.at(-1) === last || door.startsWith("export"), last.leftOut]).toEqual([true, counts]);
  });

  it("is said by runs show: a count by reason, by name with --left-out, and what is wrong with --failed", async () => {
    await mail();
    const show = async (...more: readonly string[]) => (await run(["runs", "show", "mail", ...more])).stdout;
    expect(await show()).toContain("left out: 1 invalid, 1 opted out, 1 excluded, 1 duplicate\n");
    expect(await show()).not.toMatch(/resume|not tried yet/);
    expect(await show("--left-out")).toContain(
      `  line 3  ${two}  opted out\n  line 4  ${three}  excluded: in three.txt\n  line 5  ${one}  duplicate: already on line 2\n`,
    );
    const failed = await show("--failed");
    expect(failed).toContain('  line 6  12  invalid: "12" cannot be read');
    expect(failed).not.toContain(String(two));
  });

  it("stands in the order of the list, also who was left out later", async () => {
    const all = range(1, 12).map(numberOf);
    await run(["optout", "add", String(all[9])]);
    const later: Script = (...request) => void run(["optout", "add", String(all[3])]).then(() => accept()(...request));
    answerWith({ [String(one)]: later });
    await run(["send", "-r", file("all.txt", all.join("\n")), "-m", "Hi", "--run", "mail", "--yes", ...fast]);

    const { stdout } = await run(["runs", "show", "mail", "--left-out"]);

    expect(stdout).toContain(`  line  4  ${all[3]}  opted out\n  line 10  ${all[9]}  opted out\n`);
  });

  it("is in the history of the number only, and costs nothing", async () => {
    await mail();
    const { value } = await runJson(["history", "--to", String(two)]);
    expect(value).toMatchObject([
      { kind: "run", run: "mail", to: two, outcome: "left-out", reason: "optedOut", segments: 0 },
    ]);
    expect((await run(["history", "--to", String(three)])).stdout).toMatch(/left out .*excluded: in three.txt/);
    const narrow = (await run(["history", "--to", String(one)], { isTerminal: true, columns: 80 })).stdout;
    expect(narrow.replaceAll(/\s+/g, " ")).toContain("duplicate: already on line 2");
    expect((await runJson(["history"])).value).toHaveLength(1);
    expect((await runJson(["history", "--to", String(four)])).value).toEqual([]);
    expect((await runJson(["spend"])).value).toMatchObject({ messages: 1, uncertain: { messages: 0 } });
  });

  it.each([
    ["has no field", "0712000001,\n0712000002,Bo", "Hi {{name}}", 'it has no "name"'],
    ["has another message", "0712000001,Al\n0712 000 001,Bo\n0712000002,Bo", "Hi {{name}}", "is on another row too"],
  ])("is in the history of a number whose row %s", async (_, rows, text, words) => {
    const list = file("rows.csv", `phone,name\n${rows}\n`);
    const options = ["--country", "KE", "--skip-invalid", "--run", "mail", "--yes", ...fast];
    await run(["send", "-r", list, "-m", text, ...options]);
    const { value } = await runJson(["history", "--to", String(one)]);
    expect(value).toContainEqual(
      expect.objectContaining({
        run: "mail",
        to: one,
        outcome: "left-out",
        reason: "invalid",
        details: expect.stringContaining(words),
      }),
    );
  });

  it("is offered no other run, and no list once all others have the text", async () => {
    const { stdout } = await mail();
    expect(stdout).not.toContain("resume");
    const closed = (await run(["runs", "close", "mail"])).stdout;
    expect(closed).toBe("Closed run mail: 1 of 1 accepted; nothing more is sent under its name.\n");
    const again = await runJson(["runs", "resume", "mail", "--yes"]);
    expect(again.value).toMatchObject({ errorCode: "RUN_CLOSED", hint: "`sms runs show mail` has its results" });
  });

  it("is whoever opts out between a refusal for credits and the next try, and nobody who may have the text", async () => {
    const rows = file("two.txt", [one, two].join("\n"));
    answerWith({
      [String(one)]: answer(500, {}),
      [String(two)]: answer(402, { error: "No", errorCode: "INSUFFICIENT_CREDITS" }),
    });
    expect((await run(["send", "-r", rows, "-m", "Hi", "--run", "paid", "--yes", ...fast])).code).toBe(5);
    await run(["optout", "add", String(one), String(two)]);
    answerWith({});

    const resumed = await runJson(["runs", "resume", "paid", "--yes", "--retry", "uncertain", ...fast]);

    expect(resumed.value).toMatchObject({
      recipients: 1,
      uncertain: 1,
      rejected: 0,
      pending: 0,
      leftOut: { optedOut: 1 },
    });
    await run(["optout", "remove", String(one), String(two), "--yes"]);
    await run(["runs", "resume", "paid", "--yes", "--retry", "rejected,uncertain", ...fast]);
    expect(texted()).toEqual([one, two]);
  });
});
