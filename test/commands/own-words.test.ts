import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { fast } from "./with-runs.ts";

const word = "sandbox";
const text = `Your ${word} is ready`;
const to = ["--to", "+254712345678"];
const one = ["send", ...to, "-m", text];
const run = ["send", "-r", `FOLDER/${word}.csv`, "-m", text, "--run", word, "--yes", ...fast];
const invalid = ["send", "-r", "FOLDER/invalid.csv", "-m", text, "--run", "other", "--dry-run"];

let folder: string;
let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer({
    onRequest: (socket, request, index) =>
      request.body === "{}" || request.body.includes("echo")
        ? answer(request.body === "{}" ? 401 : 400, { error: `wrong password: ${word}`, errorCode: word })(
            socket,
            request,
            index,
          )
        : accept()(socket, request, index),
  });
});
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder, `${word}.csv`), "to,name\n+254712345678,Ann\n+254733000000,Ben\n");
  writeFileSync(join(folder, "invalid.csv"), `to\n+254712345678\n${word}\n`);
});

/** Where the password is a word: in the environment, or stored. */
const places = ["SMS_PASSWORD", "a stored password"] as const;

async function running(place: (typeof places)[number]) {
  const email = "me@example.com";
  const stored = { ...foldersIn(folder), SMS_BASE_URL: server.url };
  if (place === "a stored password")
    await sms(["login", "--email", email, "--with-password", "--no-verify"], { environment: stored, stdin: word });
  const environment = { ...stored, ...(place === "SMS_PASSWORD" && { SMS_EMAIL: email, SMS_PASSWORD: word }) };
  return async (args: readonly string[]) => {
    const words = args.map((each) => each.replace("FOLDER", folder));
    const { stdout, stderr } = await sms(words, { environment, stdin: `${text}\n` });
    return stdout + stderr;
  };
}

/** The last command of each row shows this. */
const shown: Readonly<Record<string, readonly [shows: string, ...lines: readonly (readonly string[])[]]>> = {
  "the text of a dry run": [text, [...one, "--dry-run"]],
  "the text of a dry run with --json": [text, [...one, "--dry-run", "--json"]],
  "the text in a plan": [text, run],
  "the file in a plan": [`${word}.csv`, [...run, "--dry-run"]],
  "the file in a plan with --json": [`${word}.csv`, [...run, "--dry-run", "--json"]],
  "a cell of a list": [`"${word}"`, invalid],
  "a command on the way on": [`--run ${word}-2`, run, ["send", ...to, "-m", "Other", "--run", word, "--yes"]],
  "a run": [text, run, ["runs", "show", word]],
  "an export": [text, run, ["runs", "export", word]],
  "the history": [word, run, ["history"]],
  "the end of a command": [text, ["notify", ...to, "-m", text, "--dry-run", "--", "true"]],
  "the lines of a watch": [text, ["watch", ...to, "--dry-run"]],
  "a preview": [text, ["preview", "-m", text, "--json"]],
  "a wrong option": [`--${word}-key`, [...one, `--${word}-key`]],
};

const hidden: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "a message": [["send", ...to, "-m", "echo"]],
  "a message with --json and the wire": [["send", ...to, "-m", "echo", "--json", "--verbose"]],
  "a run": [["send", ...to, "--to", "+254733000000", "-m", "echo", "--run", "r", "--yes", ...fast]],
  "a recorded run": [
    ["send", ...to, "--to", "+254733000000", "-m", "echo", "--run", "r", "--yes", ...fast],
    ["runs", "show", "r"],
  ],
  "the end of a command": [["notify", ...to, "-m", "echo", "--", "true"]],
  "a check": [["status", "--check"]],
};

describe.each(places)("a password that is a word, in %s,", needs("POSIX shell"), (place) => {
  it.each(Object.entries(shown))("hides nothing of the person's own: %s", async (_, [shows, ...lines]) => {
    const say = await running(place);
    let output = "";
    for (const args of lines) output = await say(args);
    expect(output.replaceAll(/\s+/g, " ")).toContain(shows);
    expect(output).not.toContain("[redacted]");
  });

  it.each(Object.entries(hidden))("is hidden where the service says it: %s", async (_, lines) => {
    const say = await running(place);
    let output = "";
    for (const args of lines) output = await say(args);
    expect(output).toContain("wrong password: [redacted]");
    expect(output.replaceAll("in a sandbox", "")).not.toMatch(/password: sandbox|sandbox"/);
  });
});
