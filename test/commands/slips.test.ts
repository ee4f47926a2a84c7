import { expect, test } from "vitest";
import { everyCommand } from "../../src/commands/help/pages.ts";
import { defineProgram } from "../../src/commands/program.ts";
import { explanationOf } from "../../src/commands/shared/options.ts";
import { exists, meanings } from "../../src/commands/shared/slips.ts";
import { topics } from "../../src/commands/help/topics.ts";
import { sms } from "../support/machine.ts";

/** Command lines that people of gh, curl, stripe and twilio type, and that sms does not take. */
const slips = String.raw`
send --to +254712345678 --message —dry-run
send hello to +254712345678
send -to +254712345678 --message hi
send --to +254712345678 -m=hi
send --to --message hi
send --from ACME
send --sender_name ACME
send --ye
send --key sk_live_abc
send --password secret
send --force
preview it is ready
login https://host
login --with-key=sk_live_abc
optout +254712345678
sandbox exec --expect 1 -- true
keys add
--to +254712345678 --message hi
--from ACME
+254712345678 hi
sned
help exit codes
help run
help keys ad
auth login
key list
config set sender ACME
history +254712345678
history --last 5
send --to= --message hi
keys add sk_live_abc
preview
status check
lookup +254712345678
profiles renam
keys delete prod
optouts
switch shop
profiles switch shop
messages create --to +254712345678
list
send --on-failure
send --dst +254712345678
send -o json
send --recipient f.csv
sandbox message
runs topup
-help
`;

async function refusal(line: string): Promise<string> {
  const { code, stdout, stderr } = await sms(line.split(" "));
  expect([line, code, stdout]).toEqual([line, 2, ""]);
  return stderr;
}

test("each slip is answered with the sentences of slips.snapshot", async () => {
  const answers: string[] = [];
  for (const line of slips.trim().split("\n")) answers.push(`$ sms ${line}\n${await refusal(line)}`);
  await expect(answers.join("\n")).toMatchFileSnapshot("slips.snapshot");
  expect(answers.filter((answer) => /mean.*(--yes|remove|logout|close|unlock)/.test(answer))).toEqual([]);
});

test("a line to type is an example of the help, or a command of the parser without a word of the person", async () => {
  const program = await defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
  const examples = everyCommand(program).flatMap((command) => explanationOf(command).examples);
  for (const line of slips.trim().split("\n")) {
    const shown = Array.from((await refusal(line)).matchAll(/`(.*?)`/g), ([, quoted = ""]) => quoted);
    const known = (one: string) =>
      examples.includes(one.replace("+2547XXXXXXXX", "+254712345678")) ||
      exists(program, one.replace(/^sms (help )?/, "")) ||
      topics.some(({ name }) => one === `sms help ${name}`);
    expect([line, shown.filter((one) => !known(one))]).toEqual([line, []]);
  }
});

test("an option with one dash is refused before anything is sent", async () => {
  // commander reads -message as the text "essage".
  expect(await refusal("send --sandbox --to +254712345678 -message")).toContain("did you mean --message?");
});

test("an option with one dash is left to a command that sms runs", async () => {
  const { stderr } = await sms(["sandbox", "exec", "/nonexistent/program", "-log"]);
  expect(stderr).toContain("/nonexistent/program");
  expect(stderr).not.toContain("did you mean");
});

test("a text may have any dash and equals sign", async () => {
  const texts = ["- one", "— Amina", "-5 degrees", "=1", "a-m=b"].map((text) => ["--message", text]);
  for (const words of [...texts, ["-mYour code = 5"], ["-mhi"], ["--message==hi"]]) {
    const { code } = await sms(["send", "--dry-run", "--sandbox", "--to", "+254712345678", ...words]);
    expect([words, code]).toEqual([words, 0]);
  }
});

test("send has at most 41 options, the global ones included", async () => {
  const program = await defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
  const send = everyCommand(program).find((command) => command.name() === "send");
  const names = [program, ...(send === undefined ? [] : [send])].flatMap((command) =>
    command
      .createHelp()
      .visibleOptions(command)
      .map(({ long }) => long),
  );
  expect(send).toBeDefined();
  expect(new Set(names).size).toBeLessThanOrEqual(41);
});

test("the table has at most 60 words, for commands and options that there are", async () => {
  const program = await defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
  const commands = [program, ...everyCommand(program)];
  const isThere = (meant: string) => /[:,]/.test(meant) || commands.some((own) => exists(own, meant));
  expect(Object.keys(meanings).filter((meant) => !isThere(meant))).toEqual([]);
  expect(Object.values(meanings).flatMap((typed) => typed.split(" ")).length).toBeLessThanOrEqual(60);
});
