import { stripVTControlCharacters } from "node:util";
import { CommanderError } from "@commander-js/extra-typings";
import { defineProgram } from "../../src/commands/program.ts";
import { commandCalled } from "../../src/commands/help/pages.ts";
import { globalOptions } from "../../src/commands/shared/options.ts";
import { isObject } from "../../src/json.ts";

const silent = { write: () => {}, columns: () => 80 };
const results = new Map<string, Promise<string | undefined>>();

/** Throws if `sms` does not take a command in backticks of what it printed. */
export async function requireCommandsThatParse(printed: string): Promise<void> {
  for (const [, quoted = ""] of textsIn(printed).matchAll(/`([^`]+)`/g)) {
    if (!results.has(quoted)) results.set(quoted, refusalOf(quoted));
    const fault = await results.get(quoted);
    if (fault !== undefined) throw new Error(`sms prints \`${quoted}\` and refuses it: ${fault}`);
  }
}

/** Returns the text, and the strings of JSON as a person has them. */
function textsIn(printed: string): string {
  const lines = stripVTControlCharacters(printed).split("\n");
  return lines.map((line) => (line.startsWith("{") ? stringsIn(line) : line)).join("\n");
}

function stringsIn(line: string): string {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? Object.values(value).flat().join("\n") : "";
  } catch {
    return line;
  }
}

/** Words in capitals stand for a value: one of these. */
const values = ["1", "1h", "test", "2026-01-31", "08:00-20:00", "6/h"];
const placeholder = /^[A-Z][A-Z_]*$/;

async function refusalOf(quoted: string): Promise<string | undefined> {
  for (const command of quoted.split(/ \| | && |; /)) {
    const [, line] = /^(?:[A-Z_]+=\S* )*sms(?: (.*))?$/s.exec(command) ?? [];
    if (line === undefined) continue;
    const fault = await faultInEachForm(wordsOf(line));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

async function faultInEachForm(words: readonly string[]): Promise<string | undefined> {
  const first = await faultOf(words);
  if (first === undefined || !words.some((word) => placeholder.test(word))) return first;
  for (const value of values) {
    if ((await faultOf(words.map((word) => word.replace(placeholder, value)))) === undefined) return undefined;
  }
  return first;
}

/** Returns the words as a shell has them, without redirections and what is left out. */
function wordsOf(line: string): readonly string[] {
  const words = line.replace(/ [<>]+ ?\S+/g, "").match(/(?:[^\s"'\\]|\\.|"[^"]*"|'[^']*')+/g) ?? [];
  return words
    .filter((word) => word !== "…")
    .map((word) =>
      word.replace(/"([^"]*)"|'([^']*)'|\\(.)/g, "$1$2$3").replace(/(?<=\d)X+/g, (digits) => "0".repeat(digits.length)),
    );
}

async function faultOf(words: readonly string[]): Promise<string | undefined> {
  const program = await defineProgram(silent, async (command) => void globalOptions(command), words);
  try {
    await program.parseAsync([...words], { from: "user" });
    return undefined;
  } catch (error) {
    const isName = error instanceof CommanderError && error.code === "commander.missingArgument" && words.length < 3;
    if (isName && words.every((word) => /^[a-z]+$/.test(word))) return undefined;
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}

let whole: ReturnType<typeof defineProgram> | undefined;

/** Throws if a hint names an option that the command lacks, and no other command. Without a command the line is a send. */
export async function requireOptionsThatAre(args: readonly string[], printed: string): Promise<void> {
  const hints = textsIn(printed)
    .split("\n")
    .filter((line) => /^ {2}Next: /.test(line) && !/`sms /.test(line));
  const named = hints.flatMap((hint) => hint.replace(/`[^`]*`/g, "").match(/(?<!\S)--[a-z][a-z0-9-]+/g) ?? []);
  if (named.length === 0) return;
  const program = await (whole ??= defineProgram(silent, async () => {}));
  const command = args.reduce((parent, word) => commandCalled(word, parent) ?? parent, program);
  const { options } = command === program ? (commandCalled("send", program) ?? program) : command;
  const other = named.find((name) => options.every(({ long }) => long !== name));
  if (other !== undefined)
    throw new Error(`a hint of ${args.join(" ")} names ${other}, which it lacks: ${hints.join(" ")}`);
}
