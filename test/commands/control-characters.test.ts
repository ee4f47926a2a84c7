import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { numbers, withRuns } from "./with-runs.ts";

const { file, path, run, send } = withRuns();
const [to = ""] = numbers(1);

/** The marks at the end belong to Hebrew and Arabic, and stay. */
const hostile = "a\u001b[31mb\u0007\u0085\u009b2J\u007f\u202ec\u2066d\u200e\u200f\u061c";

/** What can drive a terminal, but tab and line ends. */
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

const list = () =>
  file("list.csv", `to,${hostile},due\n${to},${hostile},5\n+254700000400,x,${hostile}\nx${hostile},${hostile},\n`);
const ndjson = () => file("list.ndjson", JSON.stringify({ to, name: hostile, message: hostile }));
const clean = ["-o", "-", "--yes"];

/** Each output in which a text of a person, of a file or of the service stands. */
const outputs: Readonly<Record<string, () => readonly string[]>> = {
  plan: () => ["send", "-r", list(), "-m", hostile, "--skip-invalid", "-n"],
  "a message": () => ["send", "--to", to, "-m", hostile, "--run", "one"],
  "a dry run": () => ["send", "--to", to, "-m", hostile, "-n"],
  preview: () => ["preview", "-m", hostile],
  "a text of notify": () => ["notify", "--to", to, "-m", hostile, "-n", "--", "true"],
  clean: () => ["clean", list()],
  "clean into a pipe": () => ["clean", list(), ...clean],
  "clean of NDJSON into a pipe": () => ["clean", ndjson(), ...clean],
  export: () => ["runs", "export", "run"],
  "an export with columns": () => ["runs", "export", "run", "--with-columns"],
  "an export of who was not reached": () => ["runs", "export", "run", "--with-columns", "--failed"],
  "an export as NDJSON": () => ["runs", "export", "run", "--format", "ndjson"],
  "a run": () => ["runs", "show", "run"],
  "the messages of a sandbox": () => ["sandbox", "messages"],
  history: () => ["history", "--format", "csv"],
  "opt-outs": () => ["optout", "list"],
  spend: () => ["spend", "--by", "sender", "--format", "csv"],
};

describe.each(Object.keys(outputs))("%s", needs("POSIX shell"), (output) => {
  it.each(["a pipe", "a terminal"])("has nothing that drives a terminal, in %s", async (place) => {
    const optOut = file("out.csv", `to,reason\n+254712345099,${hostile}\n`);
    await run(["optout", "import", optOut]);
    await send(["-r", list(), "-m", hostile, "--skip-invalid", "--run", "run", "--repeated", "send"]);

    const args = outputs[output]?.() ?? [];
    const { stdout, stderr } = await run(args, {
      isTerminal: place === "a terminal",
      environment: { CI: "1" },
    });

    expect(stdout + stderr).toMatch(/2Jc?|sender/);
    expect(stdout + stderr).not.toMatch(controls);
  });
});

it("the files of clean have nothing that drives a terminal, and keep the marks of a script", async () => {
  await run(["clean", list(), "-o", path("clean.csv"), "--yes"]);

  for (const name of ["clean.csv", "clean-rejected.csv"]) {
    const text = readFileSync(path(name), "utf8");
    expect(text).not.toMatch(controls);
    expect(text).toContain("a[31mb2Jcd\u200e\u200f\u061c");
  }
});

it("an export keeps the marks of a script, and the text but for the controls", async () => {
  await send(["--to", to, "-m", hostile, "--run", "run"]);

  expect((await run(["runs", "export", "run"])).stdout).toContain('"a[31mb2Jcd\u200e\u200f\u061c"');
});
