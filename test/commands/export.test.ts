import { describe, expect, it } from "vitest";
import { objectsIn, withRuns } from "./with-runs.ts";

const { accepted, file, run, send } = withRuns();

const to = "+254712345000";

describe("sms runs export", () => {
  const texts = ["=1+1", "Hi;=1", "two\nlines", "ab\tc\u200f", "-5; @Ann\n+1"];

  it.each(texts)("writes %j as CSV that --recipients reads back", async (text) => {
    await send(["--to", to, "--to", "+254700000400", "-m", text, "--run", "first"]);
    const { stdout } = await run(["runs", "export", "first"]);
    expect(stdout).not.toMatch(/(^|[,;\n])"?[=@＝]/);
    expect((await send(["-r", file("again.csv", stdout), "--run", "second"])).code).toBe(11);
    expect(accepted()).toEqual([1, 2].map(() => [to, text]));
  });

  it("shows no control character on a terminal", async () => {
    await send(["--to", to, "-m", "a\u001b[31mb\u202e\nc", "--run", "first"]);
    const { stdout } = await run(["runs", "export", "first"], { isTerminal: true });
    expect(stdout).toContain('"a\\u001b[31mb\\u202e\\u000ac"\n');
    expect(stdout).not.toMatch(/\u001b|\u202e/);
  });

  it("writes what was rejected with its own columns, to be corrected and sent again", async () => {
    const list = 'Name,Phone,due\n"Ann; =x",0700000400,-5\nBen,0712345001,+7\n';
    const args = ["--country", "KE", "-m", "{{name}} owes {{due}}"];
    await send(["-r", file("list.csv", list), ...args, "--run", "first"]);
    const { stdout } = await run(["runs", "export", "first", "--failed", "--with-columns"]);
    expect(stdout).toBe(
      '"Name","Phone","due","outcome","errorCode","error","reason"\n' +
        `"Ann; =x","0700000400","'-5","rejected","INVALID_REQUEST","Invalid parameters",""\n`,
    );
    const corrected = stdout.replace("0700000400", "0712345002");
    expect((await send(["-r", file("corrected.csv", corrected), ...args, "--run", "second"])).code).toBe(0);
    expect(accepted()).toEqual([
      ["+254712345001", "Ben owes +7"],
      ["+254712345002", "Ann; =x owes -5"],
    ]);
  });

  it("has the columns of the input beside ours, each under a name of its own, and the time", async () => {
    const list = file("list.csv", `Name,to,Outcome\nAnn,${to},=x\nBen,+254700000400,\n`);
    const before = Date.now();
    await send(["-r", list, "-m", "Hi {{name}}", "--run", "first", "--rate", "1200"]);
    const { stdout } = await run(["runs", "export", "first", "--with-columns"]);
    const at = /[\d-]+T[\d:.]+Z/.exec(stdout)?.[0] ?? "";
    expect(Math.abs(Date.parse(at) - before)).toBeLessThan(60_000);
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      '"Name","to","Outcome","line","at","sms_outcome","messageId","segments","totalCredits","totalCostKes","newBalance","httpStatus","errorCode","error","reason","senderIdName","senderId","message"',
      `"Ann","${to}","'=x","2","${at}","accepted","msg_1","1","1","0.8","5","","","","","","","Hi Ann"`,
    ]);
    const { stdout: objects } = await run(["runs", "export", "first", "--json", "--with-columns"]);
    expect(objectsIn(objects)).toMatchObject([
      { Name: "Ann", Outcome: "=x", line: 2, to, at, sms_outcome: "accepted", message: "Hi Ann" },
      { Name: "Ben", line: 3, sms_outcome: "rejected", errorCode: "INVALID_REQUEST" },
    ]);
    expect((await run(["runs", "export", "first"])).stdout).toMatch(/^"line","to","at","outcome",/);
  });

  it("reads its own columns back if the input has such names in capitals", async () => {
    await send(["-r", file("list.csv", `to,Outcome,ErrorCode\n${to},-5,\n`), "-m", "{{outcome}}", "--run", "first"]);
    const { stdout } = await run(["runs", "export", "first", "--with-columns"]);

    await send(["-r", file("again.csv", stdout), "--run", "second"]);

    expect(accepted()).toEqual([1, 2].map(() => [to, "-5"]));
  });

  it("writes the columns of rows that differ, as NDJSON too", async () => {
    const rows = [
      { to: "+254700000400", a: "1" },
      { to: "+254700000400", b: "2", message: "Own" },
      { to, c: "3" },
    ];
    const list = file("list.ndjson", rows.map((row) => JSON.stringify(row)).join("\n"));
    await send(["-r", list, "-m", "Hi {{b|}}", "--run", "first", "--allow-duplicates"]);
    const failed = ["runs", "export", "first", "--failed", "--with-columns"];
    expect((await run(failed)).stdout.split("\n")[0]).toBe(
      '"to","a","b","message","c","outcome","errorCode","error","reason"',
    );
    expect(await run([...failed, "--json", "--format", "csv"])).toMatchObject({ code: 2, stdout: "" });
    expect(await run([...failed, "--format", "csv"])).toEqual(await run(failed));
    const { stdout } = await run([...failed, "--json"]);
    const error = { outcome: "rejected", errorCode: "INVALID_REQUEST", error: "Invalid parameters" };
    expect(objectsIn(stdout)).toEqual(rows.slice(0, 2).map((row) => ({ ...row, ...error })));
  });

  it("has everybody who was not accepted, as runs show does, and says what can not be sent again", async () => {
    const [refused, cut] = ["+254700000400", "+254700000598"];
    const list = file("list.txt", [refused, cut, to, "+254700000402", "+254712345009"].join("\n"));
    expect((await send(["-r", list, "-m", "Hi", "--run", "first", "--rate", "1200"])).code).toBe(5);
    const { stdout, stderr } = await run(["runs", "export", "first", "--failed", "--format", "ndjson"]);
    const rows = objectsIn(stdout).map(({ to: number, outcome }): readonly string[] => [number, outcome]);
    expect(rows).not.toContainEqual([to, "accepted"]);
    expect(rows.slice(0, 3)).toEqual([
      [refused, "rejected"],
      [cut, "uncertain"],
      ["+254700000402", "rejected"],
    ]);
    expect(stderr).toMatch(
      /^Before you send these again: 1 uncertain, and `sms runs resume first` sends \d\. The column outcome/,
    );
    const { stdout: shown } = await run(["runs", "show", "first", "--failed"]);
    for (const [number = "", outcome = ""] of rows.filter(([, kind]) => kind !== "pending"))
      expect(shown).toMatch(new RegExp(`\\${number}  ${outcome}`));
  });
});

describe("numbers beside a file", () => {
  it("are numbered apart from its lines", async () => {
    const path = file("list.csv", "to\n+254700000400\nx\n");
    const refused = await send(["--to", "y", "-r", path, "-m", "Hi", "--run", "first"]);
    expect(refused.stderr).toMatch(/--to 1: .*\n.*line 3: /);
    const { stdout } = await send(["--to", to, "-r", path, "-m", "Hi", "--run", "first", "--skip-invalid", "--json"]);
    const lines = objectsIn(stdout).map(({ line }) => line);
    expect(lines.slice(0, 2).toSorted((a, b) => a - b)).toEqual([-1, 2]);
    const { stdout: both } = await send(["--to", to, "-r", file("b.csv", `to\n${to}\n`), "-m", "Hi", "--dry-run"]);
    expect(both + (await run(["runs", "show", "first", "--failed"])).stdout).toMatch(/already on --to 1[^]*line 2 /);
  });
});

it("an endless SMS_API_KEY_FILE ends with an error", async () => {
  const environment = { SMS_API_KEY: "", SMS_API_KEY_FILE: "/dev/zero" };
  const { code, stderr } = await run(["send", "--to", to, "-m", "Hi"], { environment });
  expect(code).toBe(4);
  expect(stderr).toContain("has over 4096 bytes");
});
