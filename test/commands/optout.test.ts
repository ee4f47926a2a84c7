import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shellWord } from "../../src/words/shell-word.ts";
import { needs } from "../support/needs.ts";
import { numbers, withRuns } from "./with-runs.ts";

const { accepted, file, json, run, runsFolder, send } = withRuns();
const [first = "", second = "", third = ""] = numbers(3);
const folder = (...path: readonly string[]) => runsFolder("..", "optout", ...path);
const at = { now: Date.parse("2026-01-31T08:00:00Z") };
const optedOut = async () => (await json(["optout", "list"])).value as readonly { to: string }[];
const sendTo = (to: string, ...more: readonly string[]) => run(["send", "--to", to, "-m", "Hi", ...more]);

describe("sms optout", () => {
  it("adds numbers with date and reason, and lists them", async () => {
    const added = await run(["optout", "add", first, "0712 345001", "--country", "KE", "--reason", "STOP"], at);
    const sentences = [first, second].map((to) => `Opted out ${to}: sms does not send to it any more.\n`);
    expect(added).toMatchObject({ code: 0, stdout: sentences.join("") });
    // The first date and reason are kept.
    const again = await run(["optout", "add", first, "--json"]);
    expect(again.stdout).toBe(`{"added":[],"already":["${first}"],"optedOut":2}\n`);
    const noted = { at: "2026-01-31T08:00:00.000Z", reason: "STOP" };
    expect(await optedOut()).toEqual([first, second].map((to) => ({ to, ...noted })));
    expect((await run(["optout", "ls"])).stdout).toContain(`  ${first}  2026-01-31  STOP\n`);
    expect((await run(["optout", "list", "--quiet"])).stdout).toBe(`${first}\n${second}\n`);
  });

  it("removes numbers after a confirmation, and only those that are in it", async () => {
    await run(["optout", "add", first, second]);
    expect((await run(["optout", "remove", first])).code).toBe(2);
    expect((await run(["optout", "rm", third, "--yes", "--json"])).stderr).toContain("NOT_OPTED_OUT");
    expect((await run(["optout", "rm", first, "--yes"])).stdout).toBe(`${first} can get messages again.\n`);
    expect(await optedOut()).toMatchObject([{ to: second }]);
    expect((await run(["optout", "add", "0712"])).stderr).toContain("it has no country");
  });

  it("stores them for us alone, and leaves nothing else", needs("user ids"), async () => {
    await run(["optout", "add", first]);
    expect(readdirSync(folder()).toSorted()).toEqual(["begun", "numbers"]);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    for (const name of ["numbers", "begun"]) expect(statSync(folder(name)).mode & 0o777).toBe(0o600);
  });

  it("refuses one message, with the way on", async () => {
    await run(["optout", "add", first]);
    const refusal = await json(["send", "--to", first, "-m", "Hi"]);
    expect(refusal).toMatchObject({ code: 2, value: { errorCode: "OPTED_OUT", outcome: "unsent" } });
    expect((await sendTo(first, "--sandbox")).code).toBe(2);
    expect((await sendTo(first, "--dry-run")).stderr).toContain(`sms optout remove ${first}`);
    expect((await sendTo(second)).code).toBe(0);
    expect(accepted()).toEqual([[second, "Hi"]]);
  });

  it("leaves numbers out of a run, named in the plan", async () => {
    await run(["optout", "add", second]);
    const all = file("all.txt", `${first}\n${second}\n${third}\n${second}\n`);
    expect((await json(["send", "-r", all, "-m", "Hi", "--dry-run"])).value).toMatchObject({
      recipients: 2,
      leftOut: { optedOut: 1, duplicate: 1 },
      firstLeftOut: [`line 2: ${second} has opted out`, `line 4: ${second} is already on line 2`],
      guards: ["without the 1 number of sms optout"],
    });
    const none = await send(["-r", file("none.txt", `${second}\n`), "-m", "Hi"]);
    expect(none).toMatchObject({ code: 0, stderr: expect.stringContaining(`line 1: ${second} has opted out`) });
  });
});

describe("sms optout import", () => {
  it("keeps dates and reasons, and counts duplicates", async () => {
    await run(["optout", "add", third], at);
    const rows = `phone,reason,at\n${first},bounced,2026-01-02\n${second},,2026-01-03T10:00:00+03:00\n${first},,\n${third},,\n`;
    const { code, stdout, stderr } = await run(["optout", "import", file("out.csv", rows), "--reason", "list"]);

    const counts = expect.stringMatching(
      /^Added 2 numbers of \S.*csv, 1 had already opted out, 1 more than once in the/,
    );
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: counts, stderr: "" });
    expect(await optedOut()).toEqual([
      { to: third, at: "2026-01-31T08:00:00.000Z", reason: null },
      { to: first, at: "2026-01-02T00:00:00.000Z", reason: "bounced" },
      { to: second, at: "2026-01-03T07:00:00.000Z", reason: "list" },
    ]);
  });

  it("keeps no API key for a reason", async () => {
    await run(["optout", "import", file("out.csv", `to,reason\n${first},STOP sk_live_abcdefgh1234\n`)]);
    expect(await optedOut()).toMatchObject([{ to: first, reason: "STOP sk_live_[redacted]" }]);
    const stored = readdirSync(folder()).map((name) => folder(name));
    const texts = stored.filter((name) => statSync(name).isFile()).map((name) => readFileSync(name, "utf8"));
    expect(texts.join("")).toContain("STOP sk_live_[redacted]");
    expect(texts.join("")).not.toContain("abcdefgh");
    expect((await run(["optout", "add", second, "--reason", "sk_live_abcdefgh1234"])).code).toBe(2);
  });

  it("says which column it read, and what it passed over", async () => {
    const list = file("out.csv", `sep=;\nOpted out\nWho;Handy\nJo;${first}\n`);
    const { code, stderr } = await run(["optout", "import", list]);
    const passed = 'passed over: the line sep=;; a line above the header: "Opted out"';
    expect(code).toBe(0);
    expect(stderr).toBe(`Warning: the numbers are in column "Handy"\nWarning: ${passed}\n`);
    expect(await optedOut()).toMatchObject([{ to: first }]);
    const people = file("list.txt", `${first}\n${second}`);
    const plan = await run(["send", "-r", people, "-m", "Hi", "-n", "--exclude", list]);
    expect(plan.stdout).toMatch(/without the numbers of --exclude \(.*\): the numbers are in column "Handy"/);
  });

  it("adds every number that can be read, whatever stands beside it, and says what it left out", async () => {
    const rows = [
      "phone;at;reason",
      "+254712345001;22.11.2026;STOP",
      "+254712345002;2026-11-22 10:15;",
      "+254712345003 (wife);soon;",
      "+254712345004 / +254712345005;;",
      "0712 345 008 / 0712 345 009;;",
      "12;;",
      "0712345010 / 04;;",
      "+254712345006",
      "Bo;x;y;+254712345007",
    ];
    const { code, value } = await json(["optout", "import", "-", "--country", "KE"], { stdin: rows.join("\n") });

    const { warnings, ...counts } = value;
    expect({ code, ...counts }).toEqual({ code: 11, added: 10, already: 0, duplicates: 0, invalid: 2, optedOut: 10 });
    expect(warnings).toEqual([
      "1 row with fewer cells than the header: the missing ones are read as empty",
      "3 rows with another date than 2026-01-31 have today's",
      expect.stringContaining('left out line 7: "12" cannot be read'),
      expect.stringContaining(
        'read in part line 8: "0712345010 / 04" cannot be read: it is two numbers, and the second',
      ),
    ]);
    expect(await optedOut()).toHaveLength(10);
  });

  it.each([
    ["a.csv", `Tel A,Tel B\n${first},${second}\n${third},-\n`],
    ["a.ndjson", `{"Tel A":"${first}","Tel B":"${second}"}\n{"Tel A":"${third}"}\n`],
  ])("adds the numbers of all columns that it is given, of %s", async (name, content) => {
    const list = file(name, content);
    const { code } = await run(["optout", "import", list, "--to-column", "Tel A,Tel B"]);
    expect([code, (await optedOut()).map(({ to }: { to: string }) => to).toSorted()]).toEqual([
      0,
      [first, second, third],
    ]);
  });
});

describe("the way on of a list of opt-outs", () => {
  const latin = Buffer.from(`phone;Zoë\n${first};x\n`, "latin1");
  const empty = `Tel A;Tel B\n${first};${second}\n${";1\n".repeat(4)}`;

  it.each([
    ["import", latin, [], "sms optout import FILE --encoding windows-1252"],
    ["import", empty, ["--to-column", "Tel A"], "sms clean FILE --every-number --to-column 'Tel A' --json"],
    ["remove --list", latin, [], "sms clean FILE --every-number -o NEW.csv --encoding windows-1252"],
  ])("of optout %s is typed as it stands", async (way, content, more, command) => {
    const list = file("a.csv", content);
    const { stderr } = await run(["optout", ...way.split(" "), list, ...more, "--yes"]);
    expect(stderr.replaceAll(shellWord(list), "FILE")).toContain(`\`${command}\``);
  });
});

describe("an import of more than 100 numbers", () => {
  const all = Array.from({ length: 101 }, (_, index) => `+254712346${String(index).padStart(3, "0")}`);

  const question = /Never send to 101 numbers \(\+254712346000, \+254712346001, \+254712346002 …\) any/;

  it.each([
    ["asked about at a terminal, with the first three", all, [], 130, question, 0],
    ["not asked about if it is of 100", all.slice(1), [], 0, /^$/, 100],
    ["not asked about with --yes", all, ["--yes"], 0, /^$/, 101],
  ])("is %s", async (_, imported, more, code, pattern, count) => {
    let prompt = "";
    const list = file("list.txt", imported.join("\n"));

    const ended = await run(["optout", "import", list, ...more], { onPrompt: (text) => (prompt += text) });

    expect({ code: ended.code, prompt }).toEqual({ code, prompt: expect.stringMatching(pattern) });
    expect(await optedOut()).toHaveLength(count);
  });

  it("is taken back by the same list", async () => {
    const list = file("list.txt", [...all, third].join("\n"));
    await run(["optout", "add", first]);
    await run(["optout", "import", list]);
    await run(["optout", "remove", third, "--yes"]);

    const removed = await run(["optout", "remove", "--list", list, "--yes"]);

    expect(removed).toMatchObject({ code: 0, stdout: "101 numbers can get messages again.\n" });
    expect(await optedOut()).toMatchObject([{ to: first }]);
    const again = await json(["optout", "remove", "--list", list, "--yes"]);
    expect(again).toMatchObject({ code: 2, value: { errorCode: "NOT_OPTED_OUT" } });
    expect((await run(["optout", "remove"])).code).toBe(2);
  });
});

describe("a list whose opt-outs are taken back", () => {
  const decimal = `${third.slice(1)}.0`;

  it.each([
    ["cannot be read whole", `phone\n${second}\n07123\n${first} / 07\n`, 11, ["line 3: ", "line 4: "]],
    ["can be read whole", `phone,at\n${second},soon\n${first},\n`, 0, []],
    [
      "has more bad rows than are named",
      `phone\n${first}\n${second}\n${"1\n".repeat(5)}`,
      11,
      ["4: ", "5: ", "6: ", "2 more: `sms clean "],
    ],
    [
      "is of a spreadsheet",
      `phone\n${first}\n${second}\n${decimal}\n#${third}\n`,
      0,
      ["passed over: 1 row", "1 number ends in .0"],
    ],
  ])("%s: its end and its warnings are those of its import", async (_, content, code, texts) => {
    const list = file("out.csv", content);
    await run(["optout", "add", first, second]);

    const removed = await json(["optout", "remove", "--list", list, "--country", "KE", "--yes"]);

    const { removed: numbersRemoved, warnings = [], invalid } = removed.value;
    expect([removed.code, numbersRemoved.toSorted(), invalid > 0]).toEqual([code, [first, second], code === 11]);
    expect(warnings).toEqual(texts.map((text) => expect.stringContaining(text)));
    expect(await optedOut()).toEqual([]);
  });
});

describe("a list that holds people back and has no number", () => {
  it.each([
    ["a header alone", "phone,reason\n"],
    ["comments alone", "# opted out\n"],
    ["nothing", ""],
    ["empty cells", "phone,name\n,Jo\n"],
  ])("is refused: %s", async (_, content) => {
    const list = file("out.csv", content);
    expect((await run(["optout", "import", list])).code).toBe(2);
    const plan = ["send", "--to", first, "--to", second, "-m", "Hi", "--dry-run"];
    expect((await run([...plan, "--exclude", list])).code).toBe(2);
    expect((await run([...plan, "--only-to", list])).code).toBe(2);
  });
});

describe("sms optout list --json", () => {
  it("is what import takes in another record, however long and empty as well", async () => {
    const all = Array.from({ length: 1_500 }, (_, index) => `+2547123${46_000 + index}`);
    await run(["optout", "add", ...all, "--reason", 'STOP, "now"'], at);
    await run(["optout", "add", first], { now: at.now - 1000 });
    const { stdout } = await run(["optout", "list", "--json"]);
    const there = { environment: { SMS_STATE_DIR: folder("..", "there") } };
    const take = (stdin: string) => run(["optout", "import", "-"], { ...there, stdin });
    expect(await take("[]\n")).toMatchObject({ code: 0, stdout: "Added 0 numbers of standard input.\n" });
    expect(await take(stdout)).toMatchObject({ code: 0, stdout: "Added 1,501 numbers of standard input.\n" });
    expect((await run(["optout", "list", "--json"], there)).stdout).toBe(stdout);
    for (const broken of ["[", '[{"to":1},', "[1,2]"])
      expect(await take(broken)).toMatchObject({ code: 2, stderr: expect.stringContaining("a JSON array") });
  });
});

describe("a list of opt-outs", () => {
  const posix = needs("user ids");
  const unmount = () => {
    renameSync(folder(".."), folder("..", "..", "disk"));
    symlinkSync("unmounted", folder(".."));
  };
  const damages: readonly (readonly [string, string, () => void, object])[] = [
    ["is gone", "UNUSABLE_OPT_OUTS", () => rmSync(folder("numbers")), {}],
    ["is empty", "UNUSABLE_OPT_OUTS", () => writeFileSync(folder("numbers"), ""), {}],
    ["is a link", "INSECURE_STATE", () => (rmSync(folder("numbers")), symlinkSync("begun", folder("numbers"))), posix],
    ["is on a disk that is not mounted", "INSECURE_STATE", unmount, posix],
    ["is of a newer sms", "UNUSABLE_OPT_OUTS", () => writeFileSync(folder("numbers"), '{"version":2}\n'), {}],
  ];

  it.each(damages)("that %s stops every send", async (_, code, damage) => {
    await run(["optout", "add", first]);
    damage();
    const hi = `send -m Hi --to ${second}`;
    const commands = [hi, `${hi} --dry-run`, `${hi} --to ${third} --run news`, "optout list", `optout add ${second}`];
    for (const command of commands)
      expect(await json(command.split(" "))).toMatchObject({ code: 2, value: { errorCode: code } });
    expect(accepted()).toEqual([]);
  });

  it("that never was is no list, nor is its empty folder", async () => {
    expect((await sendTo(first)).code).toBe(0);
    mkdirSync(join(folder()), { recursive: true, mode: 0o700 });
    expect((await sendTo(second)).code).toBe(0);
    expect(await optedOut()).toEqual([]);
  });
});
