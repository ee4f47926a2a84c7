import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memberNames } from "../../src/message/fields.ts";
import { rowOf, xlsxOf } from "../recipients/workbooks.ts";
import { fast, numbers, withRuns } from "./with-runs.ts";

const { accepted, file, json, run, runsFolder, sandbox, send } = withRuns();
const [ann = "", bob = "", cy = ""] = numbers(3);

type Table = readonly (readonly string[])[];

/** Each format in which a list has columns. */
const formats: Readonly<Record<string, (table: Table) => string>> = {
  CSV: (table) => file("list.csv", table.map((row) => row.map((cell) => `"${cell}"`).join(",")).join("\n")),
  workbook: (table) => file("list.xlsx", xlsxOf([{ rows: table.map((row, at) => rowOf(at + 1, ...row)).join("") }])),
  NDJSON: ([header = [], ...rows]) =>
    file(
      "list.ndjson",
      rows.map((row) => JSON.stringify(Object.fromEntries(row.map((cell, at) => [header[at], cell])))).join("\n"),
    ),
};

describe.each(Object.keys(formats))("a list as %s", (format) => {
  const list = (...table: Table) => formats[format]?.(table) ?? "";
  const sendList = (table: Table, ...args: readonly string[]) => send(["-r", list(...table), ...args, "--run", "run"]);

  it("needs a column for each field, whose default is for an empty cell", async () => {
    const table = [
      ["to", "Balance"],
      [ann, "5"],
      [bob, ""],
    ];
    const misspelt = ["send", ...fast, "-r", list(...table), "-m", "KES {{Balnce|0}}"];
    const hint = expect.stringContaining("did you mean {{Balance}}?");
    expect(await json(misspelt)).toMatchObject({ code: 2, value: { errorCode: "UNKNOWN_FIELD", hint } });
    expect(accepted()).toEqual([]);
    expect((await sendList(table, "-m", "KES {{balance|0}}")).code).toBe(0);
    expect(accepted()).toEqual([
      [ann, "KES 5"],
      [bob, "KES 0"],
    ]);
  });

  it.each([
    ["pe\u0301riode", "{{PÉRIODE}}"],
    ["First\u00a0Name", "{{first name}}"],
    ["First\nName", "{{First Name}}"],
    ["First Name", "{{First\u00a0 \nName}}"],
    ["\u200bDue\u2060 date ", "{{due date}}"],
  ])("has one name as %j and %j", async (name, field) => {
    const table = [
      ["to", name],
      [ann, "x"],
    ];
    expect(await sendList(table, "-m", field)).toMatchObject({ code: 0 });
    expect(accepted()).toEqual([[ann, "x"]]);
  });

  it("has its column of numbers by a name as a hint shows it", async () => {
    const table = [
      ["Te\u0301l\nun", "n"],
      [ann, "x"],
    ];
    expect((await sendList(table, "--to-column", "tél un", "-m", "Hi")).code).toBe(0);
    const { value } = await json(["send", ...fast, "-r", list(...table), "-m", "{{tél une}}"]);
    expect(value).toMatchObject({ hint: expect.stringMatching(/"Tél un".*did you mean \{\{Tél un\}\}\?/i) });
  });

  it("names its columns if it lacks the one of --to-column, which some rows may lack", async () => {
    const table = list(["Mobile", "Name"], [ann, "Ann"], [bob, ""]);
    for (const command of [["send", ...fast, "-m", "Hi", "-r"], ["clean"], ["optout", "import"]]) {
      const { code, value } = await json([...command, table, "--to-column", "Mobil"]);
      const hint = expect.stringMatching(/"Mobile", "Name": choose --to-column Mobile$/);
      expect({ code, value }).toMatchObject({
        code: 2,
        value: { error: expect.stringMatching(/no column named "Mobil"$/), hint },
      });
    }
    if (format !== "NDJSON") return;
    const { value } = await json(["send", ...fast, "-m", "Hi", "-r", list(["Who", "Name"], [ann, "Ann"])]);
    const hint = expect.stringContaining('its objects have "Who", "Name": choose --to-column NAME');
    expect(value).toMatchObject({ error: expect.stringContaining("has no column of numbers"), hint });
    const rest = file("rest.ndjson", `{"n":"x"}\n{"n":"x","Mobile":"${ann}"}\n`);
    expect((await send(["-r", rest, "--to-column", "Mobile", "-m", "Hi", "--skip-invalid"])).code).toBe(0);
  });

  it("is refused for whatever it is if all its numbers are behind a #", async () => {
    const path = list(["to", "n"], [`#${ann}`, "x"], [`# ${bob}`, "y"]);
    const sends = [
      ["-r", path],
      ["--to", cy, "--only-to", path],
      ["--to", cy, "--to", ann, "--exclude", path],
    ];
    for (const args of [
      ["clean", path],
      ["optout", "import", path],
      ...sends.map((to) => ["send", "-m", "Hi", ...to]),
    ]) {
      const error = expect.stringMatching(/has only comments$/);
      expect(await json(args)).toMatchObject({ code: 2, value: { error, errorCode: "NO_RECIPIENT" } });
    }
  });

  it.each(memberNames)("sends no API key as %s", async (name) => {
    const row = { to: ann, message: "Hi", [name]: "sk_live_abcdefgh1234" };
    const { code, stdout, stderr } = await sendList([Object.keys(row), Object.values(row)]);
    expect({ code, sent: accepted() }).toEqual({ code: 2, sent: [] });
    expect(stdout + stderr).not.toContain("abcdefgh");
  });

  it("leaves no API key in the record", async () => {
    const table = [
      ["to", "note"],
      [ann, "sk_live_abcdefgh1234"],
      [bob, "x"],
      ["sk_live_abcdefgh1234", "y"],
    ];
    expect((await sendList(table, "-m", "Hi", "--skip-invalid")).code).toBe(0);
    const { stdout } = await run(["runs", "export", "run", "--with-columns"]);
    const plan = readFileSync(runsFolder("run", "plan.ndjson"), "utf8");
    for (const text of [stdout, plan]) {
      expect(text).toMatch(/"note".*"sk_live_\[redacted\]"/s);
      expect(text).not.toContain("abcdefgh");
    }
  });

  it("has the sender of a row under the service's names, and no row with both", async () => {
    const id = "65f1a2b3c4d5e6f7a8b9c0d1";
    const rows = [
      ["to", "senderIdName", "SenderId"],
      [ann, "ACME", ""],
      [bob, "", ""],
      [cy, "ACME", id],
    ];
    expect(await sendList(rows, "-m", "Hi")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("it has both a senderIdName and a senderId"),
    });
    expect((await sendList(rows, "-m", "Hi", "--skip-invalid")).code).toBe(0);
    const senders = sandbox()
      .messages()
      .map((message) => `${message.to} ${message.senderId}`);
    expect(senders.toSorted()).toEqual([`${ann} ACME`, `${bob} SANDBOX`]);
    const cleaned = await json(["clean", list(...rows)]);
    expect(cleaned.value).toMatchObject({
      usable: 2,
      rejected: [{ detail: "it has both a senderIdName and a senderId" }],
    });
    // Who must not be texted is known without a sender.
    const listed = await send(["--to", cy, "--to", "+254712345099", "-m", "Ho", "--exclude", list(...rows)]);
    expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining("--exclude") });
    expect(accepted()).not.toContainEqual([cy, "Ho"]);
  });

  it("gives the text by -m, a file or a pipe, where its column message is only a field", async () => {
    const table = [
      ["to", "message"],
      [ann, "My complaint"],
    ];
    const given = [["-m", "Hi"], ["--message-file", file("note.txt", "Hi\n")], []] as const;
    for (const args of given) {
      const { stderr } = await send(["-r", list(...table), ...args, "--repeated", "send"], { stdin: "Hi\n" });
      expect(stderr).toContain("the column message is only a field");
    }
    expect((await send(["-r", list(...table), "-m", "Re: {{message}}"])).code).toBe(0);
    const own = await send(["-r", list(...table)]);
    expect(own).toMatchObject({ code: 0, stderr: expect.not.stringContaining("only a field") });
    const texts = accepted().map(([, text]) => text);
    expect(texts).toEqual(["Hi", "Hi", "Hi", "Re: My complaint", "My complaint"]);
  });

  it.each(["#REF!", "#ref!", "#Name?", "#BEZUG!", "#nv", "Err:502", "####"])(
    "needs another value than %s only where it is used",
    async (error) => {
      const table = [
        ["to", "due", "n"],
        [ann, error, "x"],
        [bob, "5", error],
      ];
      const refused = await sendList(table, "-m", "KES {{due}}");
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`it has the error ${error}`) });
      expect((await sendList(table, "-m", "Hi")).code).toBe(0);
      expect(accepted()).toHaveLength(2);
      const cleaned = await run(["clean", list(...table), "-o", "-"]);
      expect(cleaned.stdout).not.toContain(error);
    },
  );

  const noValues = ["NULL", "null", "NaN", "None", "N/A", "n/a", "#N/A", "#n/a"];

  it.each(noValues)("has nothing in a cell with %s", async (noValue) => {
    const table = [
      ["to", "name"],
      [ann, noValue],
    ];
    const { code, stderr } = await sendList(table, "-m", "Hi {{name|you}}");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("1 cell such as NULL is read as empty"),
    });
    expect(accepted()).toEqual([[ann, "Hi you"]]);
  });

  it("has no number in a cell with NULL, for whatever the list is", async () => {
    const path = list(["to", "reason", "at"], [ann, "NULL", "None"], ["NULL", "x", ""]);
    const { value } = await json(["clean", path]);
    expect(value).toMatchObject({ rows: 2, usable: 1, rejected: [{ detail: "there is no number", text: "" }] });
    const hint = expect.stringMatching(/^fill it in, or remove the row; or `sms clean/);
    expect((await json(["send", "-r", path, "-m", "Hi", "-n"])).value).toMatchObject({ hint });
    expect((await run(["optout", "import", path])).stderr).toContain("there is no number");
    expect((await json(["optout", "list"])).value).toMatchObject([{ to: ann, reason: null }]);
    for (const option of ["--exclude", "--only-to"]) {
      const { value: refused } = await json(["send", "--to", ann, "--to", bob, option, path, "-m", "Hi"]);
      expect(refused.details[0]).toMatch(/: there is no number$/);
    }
  });
});
