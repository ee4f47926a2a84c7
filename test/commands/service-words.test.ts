import { beforeAll, describe, expect, it } from "vitest";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { answer, inTurn } from "../support/scripts.ts";
import { fast } from "./with-runs.ts";

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
  let server: ScriptedServer;
  beforeAll(async () => {
    const body = { success: false, error: "Route is down", errorCode: "ROUTE_DOWN" };
    server = await startScriptedServer({ onRequest: inTurn(answer(status, body)) });
  });

  it.each(Object.entries(doors))("is told in the words of the service by %s", async (_, lines) => {
    const environment = { ...foldersIn(temporaryFolder()), SMS_BASE_URL: server.url, SMS_API_KEY: "sk_live_abc" };
    let said = "";
    for (const args of lines) {
      const { stdout, stderr } = await sms(args, { environment, stdin: "line\n" });
      said = stdout + stderr;
    }
    expect(said).toContain("Route is down");
  });
});
