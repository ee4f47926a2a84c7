import { randomUUID } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everyCommand } from "../../src/commands/help/pages.ts";
import { defineProgram } from "../../src/commands/program.ts";
import { explanationOf, nameOf } from "../../src/commands/shared/options.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { formOf } from "../../src/sending/option-values.ts";
import { leftBy } from "../files/left-lock.ts";
import { copyPrivate, foldersIn, temporaryFolder } from "../support/folders.ts";
import { type Ended, type Machine, sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { type CommandLine, commandLines, existingList } from "./command-lines.ts";

const program = await defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
const isGlobal = (long: string) => program.options.some((option) => option.long === long);

const hasDatabase = !needs("PostgreSQL", "CI to be set").skip;
const postgres = hasDatabase ? usePostgres() : undefined;

/** Commands of a group that do something themselves, and commands that need a database. */
const doing = ["record", "sandbox"];
const ofTeam = ["record init"];

/** Every command that does something, with the global options in its help. */
const commands = everyCommand(program)
  .filter((command) => command.commands.length === 0 || doing.includes(nameOf(command)))
  .filter((command) => hasDatabase || !ofTeam.includes(nameOf(command)))
  .map((command) => {
    const long = command.options.flatMap((option) => (option.hidden ? [] : (option.long ?? [])));
    return { name: nameOf(command), shown: long.filter(isGlobal), command };
  });

/** What a command did, credentials included. */
interface Effect extends Ended {
  readonly stored: string;
}

const absences = ["--no-color", "--no-input", "--yes"];
const others = ["--profile", "--json", "--quiet", "--verbose"];
const wordsOf = (long: string, profile = "shop") => (long === "--profile" ? [long, profile] : [long]);

const template = temporaryFolder();
let sandbox: Sandbox;

beforeAll(async () => {
  const world = { now: Date.now, newId: randomUUID, random: Math.random };
  sandbox = await startSandbox({ port: 0, rate: 2000, ...world });
  const login = ["login", "--no-verify", "--base-url", sandbox.url];
  const key = [...login, "--with-key"];
  await prepare(key, "sk_live_sandbox");
  await prepare(["keys", "rename", "live", "prod"], "");
  await prepare(["keys", "add", "spare"], "sk_test_sandbox");
  const elsewhere = ["login", "--no-verify", "--base-url", "https://sms.example.com", "--with-key"];
  await prepare([...elsewhere, "--profile", "moving"], "sk_test_sandbox");
  await prepare([...key, "--profile", "shop", "--sender", "ACME"], "sk_test_sandbox");
  await prepare(
    [...login, "--profile", "account", "--email", "sandbox@example.com", "--with-password"],
    "sandbox-pass-4010",
  );
  await prepare(["keys", "add", "spare", "--no-verify", "--profile", "account"], "sk_live_old");
  await prepare(["optout", "add", "+254712345672"], "");
  await prepare(["profiles", "set", "country", "KE", "--profile", "shop"], "");
  await prepare([...key, "--profile", "team"], "sk_test_sandbox");
  const record = postgres?.newRecord() ?? "postgres://sms@127.0.0.1:1/none";
  await prepare(["profiles", "set", "record", record, "--profile", "team"], "");
  writeFileSync(existingList, "");
  const uncertain = ["--to", "+254700000500", "--to", "+254712345678", "--message", "Hi", "--yes"];
  await prepare(["send", "--run", "locked", ...uncertain], "", 11);
  await prepare(["send", "--run", "topup", ...uncertain], "", 11);
  writeFileSync(join(template, "state", "runs", "locked", "lock"), leftBy({ boot: "another", isLocal: false }));
});

afterAll(async () => {
  await sandbox.close();
  rmSync(existingList);
  for (const folder of [template, ...unchanged.map((copy) => copy.folder)]) rmSync(folder, { recursive: true });
});

async function prepare(args: readonly string[], stdin: string, code = 0): Promise<void> {
  const end = await sms(args, { environment: foldersIn(template), stdin });
  expect({ ...end, args }).toMatchObject({ code, stderr: expect.any(String) });
}

/** A copy of the template, and what a run that writes nothing leaves as it is. */
interface Copy {
  readonly folder: string;
  readonly stamp: string;
}

/** Copies that no run has changed. */
const unchanged: Copy[] = [];

/** When each file and folder was last changed in any way. */
function stampOf(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const stamps = paths.map((path) => {
    const { ino, ctimeNs } = lstatSync(join(folder, path), { bigint: true });
    return `${path} ${ino} ${ctimeNs}`;
  });
  return stamps.join("\n");
}

function copyTemplate(): Copy {
  const folder = temporaryFolder();
  copyPrivate(template, folder);
  return { folder, stamp: stampOf(folder) };
}

/** Runs a command line with more options in a copy of the folder. Numbers and ids are replaced. */
async function run(line: CommandLine, options: readonly string[], more: Machine = {}): Promise<Effect> {
  const copy = unchanged.pop() ?? copyTemplate();
  const { folder } = copy;
  const environment = { ...foldersIn(folder), ...line.environment };
  const args = [...line.command.split(" "), ...options, ...line.words];
  const { code, stdout, stderr } = await sms(args, { ...line, ...more, environment });
  const stored = readFileSync(join(folder, "config", "credentials.json"), "utf8");
  if (stampOf(folder) === copy.stamp) unchanged.push(copy);
  else rmSync(folder, { recursive: true });
  return {
    code,
    stdout: withoutNumbers(stdout.replaceAll(folder, "FOLDER")),
    stderr: withoutNumbers(stderr.replaceAll(folder, "FOLDER")),
    stored: withoutNumbers(stored),
  };
}

const plainRuns = new Map<string, Promise<Effect>>();

/** What the command line does without further options. It is run once. */
function plainRun(line: CommandLine): Promise<Effect> {
  const words = JSON.stringify(line);
  const effect = plainRuns.get(words) ?? run(line, []);
  plainRuns.set(words, effect);
  return effect;
}

/** Runs a command line at a terminal, and returns what it asked there before the person pressed Ctrl-C. */
async function asked(line: CommandLine, options: readonly string[]): Promise<string> {
  let text = "";
  const prompting = { ...line, words: line.prompting ?? line.words };
  await run(prompting, options, { onPrompt: (chunk) => (text += chunk) });
  return withoutNumbers(text);
}

function withoutNumbers(text: string): string {
  return text.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "ID").replaceAll(/\d+/g, "N");
}

test("each command has a line here", () => {
  const names = new Set(commandLines("", hasDatabase).map(({ command }) => command));
  expect([...names].toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
});

test.each(["send", "keys list"])("%s prints colours unless --no-color is given", async (name) => {
  const path = [...name.split(" "), "--nonsense"];
  expect((await sms(path, { hasColor: true })).stderr).toContain("\u001b[");
  expect((await sms([...path, "--no-color"], { hasColor: true })).stderr).not.toContain("\u001b[");
});

describe.each(commands)("$name", ({ name, shown, command }) => {
  const lines = () => commandLines(sandbox.url, hasDatabase).filter((line) => line.command === name);
  const needed = command.registeredArguments.flatMap(({ required, parseArg }) =>
    required ? [formOf(parseArg).choices?.[0] ?? "x"] : [],
  );

  test("ends with an outcome if it may charge, and with a list if that is its name", () => {
    const { endsWith } = explanationOf(command);
    expect(endsWith === "outcome").toBe(command.options.some(({ long }) => long === "--max-credits"));
    expect(endsWith === "list" || !name.endsWith(" list")).toBe(true);
  });

  test.each(others.filter((long) => !shown.includes(long)))("refuses %s, wherever it is", async (long) => {
    const path = name.split(" ");
    const before = await sms([...wordsOf(long), ...path, ...needed]);
    const after = await sms([...path, ...wordsOf(long), ...needed]);
    const stderr = expect.stringContaining(`${name} has no ${long} option`);
    expect([before, after]).toEqual([before, after].map(() => ({ code: 2, stdout: "", stderr })));
  });

  test.each(others.filter((long) => shown.includes(long)))("does something else with %s", async (long) => {
    for (const line of lines()) {
      const plain = await plainRun(line);
      expect([0, 11]).toContain(plain.code);
      expect(await run(line, wordsOf(long, line.profile))).not.toEqual(plain);
    }
  });

  test(`accepts ${absences.join(" ")}, and prints no colours then`, async () => {
    for (const line of lines()) expect(await run(line, absences, { hasColor: true })).toEqual(await plainRun(line));
  });

  const silencing = ["--no-input", "--yes"].filter((long) => shown.includes(long));

  test.each(silencing)("asks less at a terminal with %s", async (long) => {
    const less = await Promise.all(
      lines().map(async (line) => {
        const plain = await asked(line, []);
        return plain !== "" && (await asked(line, [long])) !== plain;
      }),
    );
    expect(less).toContain(true);
  });

  test.each(silencing.length === 0 ? ["nothing"] : [])("asks %s at a terminal", async () => {
    for (const line of lines()) expect(await asked(line, [])).toBe("");
  });
});
