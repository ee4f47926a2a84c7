import { expect, test } from "vitest";
import { everyCommand, topics } from "../../src/commands/help/pages.ts";
import { defineProgram } from "../../src/commands/program.ts";
import { nameOf } from "../../src/commands/shared/options.ts";
import { sms } from "../support/machine.ts";

const program = await defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
const commands = everyCommand(program).map(nameOf);

/** The command line that asks for help, and what it prints. */
type Page = readonly [line: string, text: string];

async function pageAt(words: string, columns = 80): Promise<Page> {
  const { code, stdout, stderr } = await sms(words.trim().split(" "), { columns });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return [words.trim(), stdout];
}

const pages = await Promise.all(commands.map((name) => pageAt(`${name} --help`)));
const screens = await Promise.all(commands.map((name) => pageAt(`${name} -h`)));
const topicPages = await Promise.all(topics.map(({ name }) => pageAt(`help ${name}`)));

test("the help that people read first is that of help.snapshot", async () => {
  const firstPages = await Promise.all(["-h", "send --help"].map((words) => pageAt(words)));
  const texts = firstPages.map(([words, page]) => `$ sms ${words}\n\n${page}`);
  await expect(texts.join("\n\n")).toMatchFileSnapshot("help.snapshot");
});

test.each([...pages, ...screens, ...topicPages])("%s fits 80 columns", (_, page) => {
  expect(page.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test.each(pages)("%s leads with examples and ends with the global options", (_, page) => {
  expect(page).toMatch(/^Usage: .*\n\n(?:\S.*\n)+\nExamples:\n {2}\$ /);
  expect(page.split("\n\n").at(-1)).toMatch(/^Global options:\n(?: .*\n)+$/);
});

test.each([...screens, ...topicPages])("%s fits 24 rows with the prompt after it", (_, page) => {
  expect(page.split("\n").length).toBeLessThanOrEqual(24);
});

test.each(screens)("%s has what people use every day, and says where the rest is", async (words, page) => {
  const [line, whole] = await pageAt(words.replace(/-h$/, "--help"));
  if (page === whole) return;
  expect(page.split("\n\n").at(-1)?.replaceAll("\n", " ")).toContain(`More in \`sms ${line}\`: `);
  const everyday = (text: string) => /\n(?:Commands|Options):\n(?: .*\n)+/g.exec(text)?.[0];
  expect(everyday(page)).toBe(everyday(whole));
  expect(page).toMatch(/\nExamples:\n(?: {2}\$ .*\n){1,3}\n/);
});

test("what runs alone have is in `help runs`, and not in `help send`, which has all else", async () => {
  const optionsOf = (page: string) => page.split("\n").filter((line) => /^ {2}-/.test(line));
  const [send, runs] = await Promise.all(["send", "runs"].map(async (name) => (await sms(["help", name])).stdout));
  const whole = optionsOf((await sms(["send", "--help"])).stdout);
  const ofRuns = whole.filter((line) => !optionsOf(send ?? "").includes(line));
  expect(ofRuns.length).toBeGreaterThan(5);
  expect(optionsOf(runs ?? "").slice(0, ofRuns.length)).toEqual(ofRuns);
});

test("-h at 50 columns breaks no word", async () => {
  const narrow = await Promise.all(commands.map((name) => pageAt(`${name} -h`, 50)));
  const rows = narrow.flatMap(([, page]) => page.split("\n"));
  // An example stays one line, to be copied.
  expect(rows.filter((row) => row.length > 50 && !/^ {2}(\$| {4})|^Usage: /.test(row))).toEqual([]);
});

const lists = pages.map(([name, page]) => [name, page.replace(/\nExamples:\n(?: .*\n)+/, "")] as const);

test.each(lists)("%s has each option and command on one line", (_, page) => {
  expect(page.split("\n").filter((line) => /^ {3,}\S/.test(line))).toEqual([]);
});

test.each([[[]], [["keys"]], [["--no-color", "keys"]]])("sms %j alone prints its help on stderr", async (words) => {
  const { stdout } = await sms([...words, "-h"]);
  expect(await sms(words)).toEqual({ code: 2, stdout: "", stderr: stdout });
});

test.each([
  ["help keys add", "keys add --help"],
  ["profiles rm --help", "profiles remove --help"],
])("sms %s is sms %s", async (words, page) => {
  const help = await sms(words.split(" "));
  expect(help).toEqual(await sms(page.split(" ")));
  expect(help).toMatchObject({ code: 0, stderr: "" });
});

test("every list and remove has its short name", async () => {
  const verbs = everyCommand(program).filter((command) => ["list", "remove"].includes(command.name()));
  expect(verbs.length).toBeGreaterThan(4);
  for (const verb of verbs) expect(verb.aliases()).toEqual([verb.name() === "list" ? "ls" : "rm"]);
});
