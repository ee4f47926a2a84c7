import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { everyCommand } from "../../src/commands/help/pages.ts";
import { reference } from "../../src/commands/help/reference.ts";
import { defineProgram } from "../../src/commands/program.ts";
import { nameOf } from "../../src/commands/shared/options.ts";
import { endings } from "../../src/errors.ts";
import { sms } from "../support/machine.ts";

const program = await defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
const whole = reference(program, "");
type Option = (typeof whole)["commands"][number]["options"][number];
const commands = everyCommand(program).filter((command) => !["", "completion candidates"].includes(nameOf(command)));

/** A value for an option, and what was given for it before. */
type Probe = readonly [value: string, previous?: unknown];

/** Values that an option must take, and values that it must refuse, by what help says of it. */
function probesOf(option: Option): Readonly<Record<"good" | "bad", readonly Probe[]>> {
  const { type, minimum = 0, maximum = 0, choices, repeatable, default: preset } = option;
  const words = (choices ?? []).map((choice): Probe => [choice]);
  const again: readonly Probe[] = repeatable ? [["+254712345678", ["+254712345679"]]] : [];
  if (type !== "integer" && type !== "number")
    return { good: [...words, ...again], bad: words.length > 0 ? [["nonsense"]] : [] };
  const isPreset = typeof preset === "number" || typeof preset === "string";
  const numbers = [minimum, maximum, ...(isPreset ? [preset] : []), ...(type === "number" ? [1.5] : [])];
  const others = [minimum - 1, maximum + 1, "x", ...(type === "integer" ? [minimum + 1.5] : [])];
  return {
    good: [...words, ...numbers.map((number): Probe => [String(number)])],
    bad: others.map((other): Probe => [String(other)]),
  };
}

test("help --json has every command of the parser", () => {
  expect(whole.commands.map(({ name }) => name)).toEqual(commands.map(nameOf));
});

describe.each(commands.map((command) => [nameOf(command), command] as const))("%s in help --json", (name, command) => {
  const entry = whole.commands.find((candidate) => candidate.name === name);

  test("has the arguments and visible options of the parser", () => {
    const operands = command.registeredArguments.map((item) => [item.name(), item.required, item.variadic]);
    expect(entry?.arguments.map((item) => [item.name, item.required, item.repeatable])).toEqual(operands);
    const visible = command.options.flatMap(({ long, short, hidden }) => (hidden ? [] : [[long, short].join()]));
    const listed = entry?.options.map(({ option, short }) => [option, short].join());
    expect(listed?.toSorted()).toEqual([...visible, "--help,-h"].toSorted());
    expect(entry?.aliases).toEqual(command.aliases());
  });

  test("says of each option what its parser takes", () => {
    for (const listed of entry?.options ?? []) {
      const item = command.options.find(({ long }) => long === listed.option);
      const takes = ([value, previous]: Probe) => {
        try {
          item?.parseArg?.(value, previous);
          return true;
        } catch {
          return false;
        }
      };
      const { good, bad } = probesOf(listed);
      const isBoolean = item?.required !== true;
      expect({
        option: listed.option,
        isBoolean: listed.type === "boolean",
        refused: good.filter((probe) => !takes(probe)),
        taken: bad.filter((probe) => takes(probe)),
      }).toEqual({ option: listed.option, isBoolean, refused: [], taken: [] });
    }
  });
});

test("help --json has every exit code of src/errors.ts, with one answer to whether to try again", () => {
  const codes = [...new Set(Object.values(endings).map(({ exitCode }) => exitCode))];
  expect(whole.exitCodes.map(({ code }) => code)).toEqual(codes);
  for (const { code, retry } of whole.exitCodes) {
    const answers = Object.values(endings).flatMap((ending) => (ending.exitCode === code ? [ending.retry] : []));
    expect([...new Set(answers)]).toEqual([retry]);
  }
  // What may have been sent is never sent again by a script.
  const doubtful = whole.exitCodes.filter(({ sent }) => sent === "yes" || sent === "maybe");
  expect(doubtful.map(({ retry }) => retry)).toEqual(doubtful.map(() => "never"));
});

test("help --json has every variable that the code reads", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const named = files.flatMap((name) => readFileSync(join("src", name), "utf8").match(/\bSMS_[A-Z_]+\b/g) ?? []);
  const listed = whole.environment.map(({ name }) => name);
  expect(listed.filter((name) => name.startsWith("SMS_")).toSorted()).toEqual([...new Set(named)].toSorted());
});

test.each([
  ["help --json keys", 7],
  ["help keys add --json", 1],
])("sms %s prints one line with more than %i commands or as many", async (line, least) => {
  const { code, stdout, stderr } = await sms(line.split(" "));
  expect({ code, stderr, lines: stdout.split("\n").length }).toEqual({ code: 0, stderr: "", lines: 2 });
  expect(JSON.parse(stdout).commands.length).toBeGreaterThanOrEqual(least);
});

test("a topic in JSON is its page", async () => {
  const page = await sms(["help", "recipients"]);
  const { stdout } = await sms(["help", "recipients", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ name: "recipients", text: page.stdout });
});
