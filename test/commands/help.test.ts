import { expect, test } from "vitest";
import { topics } from "../../src/output/help-topics.ts";
import { readyTexts } from "../../src/commands/help/ready-texts.ts";

const texts = Object.entries(readyTexts({ stdout: { columns: () => 80 } }));
const pages = texts.filter(([name]) => name.endsWith("--help"));
const topicPages = texts.filter(([name]) => topics.some((topic) => name === `help.${topic.name}`));

test("the help pages are those of help.snapshot", async () => {
  const shown = [...pages, ...topicPages].map(([name, page]) => `$ sms ${name.replaceAll(".", " ")}\n\n${page}`);
  await expect(shown.join("\n\n")).toMatchFileSnapshot("help.snapshot");
});

test.each([...pages, ...topicPages])("%s fits 80 columns", (_, page) => {
  expect(page.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test.each(pages)("%s has an example", (_, page) => {
  expect(page).toMatch(/\nExamples:\n {2}\$ /);
});
