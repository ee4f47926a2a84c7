import { expect, test } from "vitest";
import { topics } from "../../src/commands/help/pages.ts";
import { everyCommand } from "../../src/commands/help/pages.ts";
import { readyTexts } from "../../src/commands/help/ready-texts.ts";
import { defineProgram } from "../../src/commands/program.ts";
import { sms } from "../support/machine.ts";

const texts = Object.entries(await readyTexts({ stdout: { columns: () => 80 } }));
const pages = texts.filter(([name]) => name.endsWith("--help"));
const topicPages = texts.filter(([name]) => topics.some((topic) => name === `help.${topic.name}`));

test("the help that people read first is that of help.snapshot", async () => {
  const first = pages.filter(([name]) => ["--help", "send.--help"].includes(name));
  const shown = first.map(([name, page]) => `$ sms ${name.replaceAll(".", " ")}\n\n${page}`);
  await expect(shown.join("\n\n")).toMatchFileSnapshot("help.snapshot");
});

test.each([...pages, ...topicPages])("%s fits 80 columns", (_, page) => {
  expect(page.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test.each(pages)("%s leads with examples and ends with the global options", (_, page) => {
  expect(page).toMatch(/^Usage: .*\n\n(?:\S.*\n)+\nExamples:\n {2}\$ /);
  expect(page.split("\n\n").at(-1)).toMatch(/^Global options:\n(?: .*\n)+$/);
});

const lists = pages.map(([name, page]) => [name, page.replace(/\nExamples:\n(?: .*\n)+/, "")] as const);

test.each(lists)("%s has each option and command on one line", (_, page) => {
  expect(page.split("\n").filter((line) => /^ {3,}\S/.test(line))).toEqual([]);
});

test.each([[[]], [["keys"]], [["profiles"]], [["runs"]], [["completion"]], [["--no-color", "keys"]]])(
  "sms %j alone prints its help on stderr",
  async (words) => {
    const { stdout } = await sms([...words, "--help"]);
    expect(await sms(words)).toEqual({ code: 2, stdout: "", stderr: stdout });
  },
);

test.each([
  ["help keys add", "keys add --help"],
  ["help runs ls", "runs list --help"],
  ["help sandbox messages", "sandbox messages --help"],
  ["keys help rm", "keys remove --help"],
  ["profiles rm --help", "profiles remove --help"],
  ["--help send", "send --help"],
  ["-h runs ls", "runs list --help"],
  ["keys --help add", "keys add --help"],
])("sms %s is sms %s", async (words, page) => {
  const shown = await sms(words.split(" "));
  expect(shown).toEqual(await sms(page.split(" ")));
  expect(shown).toMatchObject({ code: 0, stderr: "" });
});

test("help is refused for a command that is not there", async () => {
  expect(await sms(["help", "keys", "nothing"])).toMatchObject({
    code: 2,
    stderr: 'Error: there is no help for "nothing"\n  Next: `sms help keys` lists what there is\n',
  });
});

test("every list and remove has its short name", async () => {
  const program = await defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
  const verbs = everyCommand(program).filter((command) => ["list", "remove"].includes(command.name()));
  expect(verbs.length).toBeGreaterThan(4);
  for (const verb of verbs) expect(verb.aliases()).toEqual([verb.name() === "list" ? "ls" : "rm"]);
});
