import { beforeEach, describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { answer } from "../support/scripts.ts";
import { withPhones } from "./with-phones.ts";
import { fast } from "./with-runs.ts";

const { answerWith, run: runLine } = withPhones();
const to = ["--to", "+254712345678"];
const text = ["-m", "Hi"];
const run = ["send", ...to, "--to", "+254733000000", ...text, "--run", "list", "--yes", ...fast];
const once = ["send", ...to, ...text, "--once", "key"];
const resume = ["runs", "resume", "list", "--retry", "uncertain", "--yes", ...fast];

/** The last command of each row shows what the service said. */
const doors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "a message": [["send", ...to, ...text]],
  "a message with --json": [["send", ...to, ...text, "--json"]],
  "the answer of --once": [once, once],
  "a run": [run],
  "a run with --json": [[...run, "--json"]],
  "a resumed run": [run, resume],
  "a recorded run": [run, ["runs", "show", "list"]],
  "a recorded run with --json": [run, ["runs", "show", "list", "--json"]],
  "an export": [run, ["runs", "export", "list"]],
  "an export with --json": [run, ["runs", "export", "list", "--format", "ndjson"]],
  "the end of a command": [["notify", ...to, ...text, "--", "true"]],
  "a watch": [["watch", ...to]],
};

describe.each([200, 201])("a %d that reports no success", needs("POSIX shell"), (status) => {
  beforeEach(() => {
    const refuse = answer(status, { success: false, error: "Route is down", errorCode: "ROUTE_DOWN" });
    answerWith({ "+254712345678": refuse, "+254733000000": refuse });
  });

  it.each(Object.entries(doors))("is told in the words of the service by %s", async (_, lines) => {
    let said = "";
    for (const args of lines) {
      const { stdout, stderr } = await runLine(args, { stdin: "line\n" });
      said = stdout + stderr;
    }
    expect(said).toContain("Route is down");
  });
});
