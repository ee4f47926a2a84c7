import { expect, it } from "vitest";
import { shellWord } from "../../src/words/shell-word.ts";
import { answer } from "../support/scripts.ts";
import { requireCommandsThatParse, requireOptionsThatAre } from "../support/hints.ts";
import { withPhones } from "./with-phones.ts";
import { fast, numbers } from "./with-runs.ts";

const { answerWith, file, path, run } = withPhones();

/** Characters that a terminal does not show, or that a copy from it lacks. */
const unshown = {
  "left-to-right mark": "\u200E",
  "right-to-left mark": "\u200F",
  "Arabic letter mark": "\u061C",
  "byte order mark": "\uFEFF",
  "line separator": "\u2028",
  isolate: "\u2066",
  override: "\u202E",
  "zero width space": "\u200B",
  escape: "\u001B",
  "no-break space": "\u00A0",
  "Hangul filler": "\u3164",
};

const [first = "", second = "", third = ""] = numbers(3);

interface Door {
  /** Returns the line whose hint has words of the person, after what comes before it. */
  readonly line: (mark: string) => readonly string[] | Promise<readonly string[]>;
  /** What a person is told in place of the command. */
  readonly said: string;
}

const other = "(with characters that a terminal hides)";

/** Hints that have words of the person. */
const doors: Readonly<Record<string, Door>> = {
  RUN_REPEATED: {
    line: async (mark) => {
      const line = ["send", "-r", file("jan.txt", first), "-m", `a${mark}b`, "--yes", ...fast];
      await run(line);
      return line;
    },
    said: "the same command with `--repeated send`",
  },
  RUN_CHANGED: {
    line: async (mark) => {
      await run(["send", "-r", file("jan.txt", first), "-m", "a", "--run", "jan", "--yes", ...fast]);
      return ["send", "-r", path("jan.txt"), "-m", `a${mark}b`, "--run", "jan", "--yes", ...fast];
    },
    said: "the same command with `--run jan-2 --exclude run:jan`",
  },
  "a line without options": { line: (mark) => [first, `a${mark}b`], said: other },
  "a list with an invalid row": {
    line: (mark) => ["send", "-r", file(`a${mark}b.txt`, `${first}\nx${second}\n`), "-m", "Hi"],
    said: other,
  },
  "an absent file of a watch": { line: (mark) => ["watch", `a${mark}b.log`, "--to", first], said: other },
  "a run that stops again": {
    line: async (mark) => {
      answerWith({ [second]: answer(402, { error: "No", errorCode: "INSUFFICIENT_CREDITS" }) });
      const list = file("jan.txt", `${first}\n${second}`);
      await run(["send", "-r", list, "-m", "Hi", "--run", "jan", "--yes", ...fast]);
      return ["runs", "resume", "jan", "--exclude", file(`a${mark}b.txt`, `${third}\n`), "--yes"];
    },
    said: other,
  },
  "a cleaned list": { line: (mark) => ["clean", file(`a${mark}b.txt`, `${first}\n`)], said: other },
};

const commands = /`sms ((?:'[^']*'|[^`'])*)`/g;

it.each(
  Object.entries(doors).flatMap(([door, { line, said }]) =>
    Object.entries(unshown).map(([name, mark]) => ({ door, name, mark, line, said })),
  ),
)("a command with $name is not shown where it cannot be copied: $door", async ({ mark, line, said }) => {
  const words = await line(mark);

  const shown = await run(words);
  const inJson = await run([...words, "--json"]);

  expect(shown.stderr + shown.stdout).toContain(said);
  for (const [, command = ""] of `${shown.stderr}${shown.stdout}`.matchAll(commands))
    expect(command).toMatch(/^[ -~]*$/);
  // The JSON of clean has no hint.
  const { hint = mark } = JSON.parse(inJson.stderr || "{}");
  expect(hint).toContain(mark);
});

it("a command with ordinary words of any language is shown whole", async () => {
  const text = "Tu dois 5 €, Zoé: Привет 'там'";
  const { stderr } = await run([first, text]);
  expect(stderr).toContain(`did you mean \`sms send --to ${first} --message ${shellWord(text)}\`?`);
});

it.each([
  ["sms send … --max-credits N", true],
  ["tail -F app.log | sms watch --to +2547XXXXXXXX --at-most N", true],
  ["SMS_PROFILE=shop sms keys use NAME", true],
  ["sms clean", true],
  ["sms keys", false],
  ["sms send --no-such-option", false],
  ["sms watch --message-file FILE", false],
])("the helpers of the tests let `%s` pass: %s", async (command, isTaken) => {
  const passes = await requireCommandsThatParse(`Error: no\n  Next: \`${command}\``).then(
    () => true,
    () => false,
  );
  expect(passes).toBe(isTaken);
});

it("the helpers of the tests refuse a hint with an option that the command lacks", async () => {
  await expect(requireOptionsThatAre(["watch"], "  Next: give --message-file FILE")).rejects.toThrow("--message-file");
  await requireOptionsThatAre(["send"], "  Next: give --message-file FILE");
});
