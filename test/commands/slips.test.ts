import { expect, test } from "vitest";
import { everyCommand } from "../../src/commands/help/pages.ts";
import { defineProgram } from "../../src/commands/program.ts";
import { commandWords, isSentence, optionWords, verbWords } from "../../src/commands/shared/slips.ts";
import { sms } from "../support/machine.ts";

/** Lines that people type by habit, and the whole line or the option that each means. */
const habits = `
+254712345678 "Hi there" => sms send --to +254712345678 --message 'Hi there'
send "+254 712 345678" hi => sms send --to '+254 712 345678' --message hi
send hello to +254712345678 => sms send --to +254712345678 --message hello
send -m hi @oncall => sms send -m hi --to @oncall
send customers.csv -m hi => sms send -m hi --recipients customers.csv
--to +254712345678 -m hi => sms send --to +254712345678 -m hi
--from ACME => --sender
watch app.log => tail -F app.log | sms watch --to +2547XXXXXXXX
preview hi => sms preview --message hi
history +254712345678 => sms history --to +254712345678
optout +254712345678 => sms optout add +254712345678
optouts => sms optout list
runs topup => sms runs show topup
login https://host => sms login --base-url https://host
auth login => sms login
messages create --to +254712345678 => sms send --to +254712345678
list => sms history
sned => sms send
sent --to +254712345678 -m hi => sms send --to +254712345678 -m hi
doctor => sms status --check
config set sender ACME => sms profiles set sender ACME
balance => sms status
keys delete prod => sms keys remove prod
switch shop => sms profiles use shop
send --msg hi => --message
send --recipient +254712345678 -m hi => --to
send --file note.txt --to +254712345678 => --message-file
send --to +254712345678 -m=hi => --message=VALUE, or -m VALUE
auth login me@example.com secret => sms login
sandbox exec --expect 1 -- true => --expect-messages
sandbox message => sms sandbox messages
help exit codes => sms help exit-codes
profiles renam => sms profiles rename FROM TO
text +254712345678 "Hi there" => sms send --to +254712345678 --message 'Hi there'
bulk customers.csv -m hi => sms send -m hi --recipients customers.csv
send -f customers.csv -m hi => --recipients
version => sms --version
batch customers.csv Hi => sms send --recipients customers.csv --message Hi
blacklist add +254712345678 => sms optout add +254712345678
show march => sms runs show march
watch -t +254712345678 app.log => tail -F app.log | sms watch -t +254712345678
send --recepient +254712345678 -m hi => --to
preview -f note.txt => --message-file
history --today => --since today
send --to-file numbers.txt -m hi => --recipients
send --blocklist numbers.txt -m hi => --exclude
send --to +254712345678 -text hello => sms send --to +254712345678 --message hello
history --status failed => --outcome
keys show => sms keys list
log in => sms login
stop +254712345678 => sms optout add +254712345678
sandbox start => sms sandbox
watch -f app.log => tail -F app.log | sms watch --to +2547XXXXXXXX
config list => sms profiles list
list keys => sms keys list
key list => sms keys list
profiles:use => sms profiles use NAME
profiles add shop => sms login --profile shop
use sandbox => sms profiles use sandbox
run march => sms runs show march
usage => sms spend
resume march => sms runs resume march
retry => sms runs resume NAME
runs retry march => sms runs resume march
stop march => sms runs close march
runs cancel march => sms runs close march
unsubscribe +254712345678 => sms optout add +254712345678
rotate prod => sms keys rotate prod
inbox => sms sandbox messages
setup => sms login
ping => sms status --check
send --input list.csv -m hi => --recipients
send --retry 3 => --retries
runs watch march => sms runs show march
auth switch => sms profiles use NAME
send --to-file numbers -m hi => --recipients
publish +254712345678 hi => sms send --to +254712345678 --message hi
sandbox logs => sms sandbox messages
close march => sms runs close march
history -n 5 => --limit
send --limit 10 => --max-credits
history --last 10 => --limit
send --name march => --run
login --name shop => --profile
send --env prod => --profile
send --assume-yes => --yes
send --simulate => --dry-run
send --message hi there --to +254712345678 => sms send --message 'hi there' --to +254712345678
send to=+254712345678 message=hi => sms send --to +254712345678 --message hi
send {"to":"+254712345678","message":"hi"} => sms send --to +254712345678 --message hi
send —to +254712345678 –m hi => sms send --to +254712345678 -m hi
send ―to +254712345678 −m hi => sms send --to +254712345678 -m hi
—to +254712345678 —message hi => sms send --to +254712345678 --message hi
send --to +254712345678 —message hi => sms send --to +254712345678 --message hi
send —to +254712345678 —nonsense hi => --to
notify —to +254712345678 -- make => sms notify --to +254712345678 -- make
optout add —reason x +254712345678 => sms optout add --reason x +254712345678
runs show march —failed => sms runs show march --failed
runs show march –p shop => sms runs show march -p shop
clean customers.csv −-country KE => sms clean customers.csv --country KE
spend --today => --by day
sandbox test -- ./x => sms sandbox exec --every-fault -- ./x
notify --to +254712345678 —only failure -- make => sms notify --to +254712345678 --only failure -- make
`;

/** Those that are answered by a sentence. */
const explained = `
-v => \`sms --version\` prints the version, and --verbose shows requests and answers
send --recipients list.csv --first 3 => send a file of the first rows: the whole list, sent afterwards, leaves them out
send --test => the key decides: --expect test or --expect live sends only with a key of that kind, and --sandbox needs no key
send --schedule 10:00 => sms sends at once: cron or \`at\` starts it later
history --format json => --json prints JSON
send --format json => --json prints JSON
send --to +254712345678 -m hi --country Germany => Germany is DE
send -r list.csv -m hi --parallel 4 => leave it out: a run has as many requests at once as its --rate needs
send --to +254712345678 -m hi --status-callback http://x => the service reports no delivery: the answer to the request is all that anybody learns
send --rate enterprise => give one from 1 to 1000000, free, starter or professional: an enterprise account has a rate of its own
send --no-sandbox => leave it out: only --sandbox sends to a sandbox
send --key prod => the profile has its keys: \`sms keys list\` shows their names, and \`sms keys use NAME\` chooses one
send -X POST => sms makes the request itself: --to has the number, --message the text, and --verbose shows the request
status 65f0 => the service has no look-up: \`sms history --to NUMBER\` lists what was sent
senders list => senders are registered in the dashboard: --sender NAME sends from one, and \`sms profiles set sender NAME\` always
templates list => a template is a file: \`sms send --recipients FILE --message-file FILE\` fills its {{fields}}
report => \`sms history\` lists what was sent, and \`sms spend\` sums what it cost
keys revoke prod => revoke the key in the dashboard (Settings, API Keys), then \`sms keys remove NAME\` deletes it here
watch --to +254712345678 -m @note.txt => \`--message "$(cat note.txt)"\` reads the text from the file
send --to +254712345678 -m @note.txt => \`--message-file note.txt\` reads the text from the file
notify --to +254712345678 -m @note.txt -- make => \`--message-file note.txt\` reads the text from the file
preview -m file://note.txt => \`--message-file note.txt\` reads the text from the file
login --base-url https://127.0.0.1:1 --key-command false => run it yourself to see why, then give the command again
send --to +254712345678 -m hi --country UK => the United Kingdom is GB
send --to +254712345678 --message —dry-run => to send —dry-run, write --message=—dry-run
send --to --message hi => give one; a variable in it may not be set
watch --to +254712345678 --exclude numbers.txt => \`sms watch --help\` lists its options
notify -r numbers.txt -- make => \`sms notify --help\` lists its options
send --password secret => passwords are never flags: set SMS_EMAIL and SMS_PASSWORD
`;
/** The words of a line, as a shell splits them. */
function wordsOf(line: string): readonly string[] {
  return Array.from(line.matchAll(/(?<!\S)"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
}

async function refusal(line: string): Promise<string> {
  const { code, stdout, stderr } = await sms(wordsOf(line));
  expect({ line, code, stdout }).toEqual({ line, code: line.includes("--key-command") ? 4 : 2, stdout: "" });
  return stderr;
}

function rowsOf(table: string) {
  return table
    .trim()
    .split("\n")
    .map((row) => row.split(" => "));
}

test.each(rowsOf(habits))("sms %s means %s", async (line = "", meant = "") => {
  const quoted = meant.startsWith("--") ? meant : `\`${meant}\``;
  expect(await refusal(line)).toContain(`\n  Next: did you mean ${quoted}?\n`);
});

test.each(rowsOf(explained))("sms %s is answered: %s", async (line = "", hint = "") => {
  expect(await refusal(line)).toContain(`\n  Next: ${hint}\n`);
});

test("a key that was typed is never repeated, and the answer says what to do with it", async () => {
  for (const line of ["send --key sk_live_abc", "login --with-key=sk_live_abc", "auth login sk_live_abc"]) {
    const answer = await refusal(line);
    expect(answer).toContain("revoke this key in the dashboard");
    expect(answer).not.toContain("sk_live_abc");
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
  const texts = ["- one", "— Amina", "—Amina", "–5 to 3", "-5 degrees", "=1", "a-m=b"].map((text) => [
    "--message",
    text,
  ]);
  for (const words of [...texts, ["-mYour code = 5"], ["-mhi"], ["--message==hi"]]) {
    const { code } = await sms(["send", "--dry-run", "--sandbox", "--to", "+254712345678", ...words]);
    expect({ words, code }).toEqual({ words, code: 0 });
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

test("the tables have at most 300 words, for commands and options that there are", async () => {
  const program = await defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
  const commands = everyCommand(program);
  const words = new Set(commands.flatMap((own) => [own.name(), ...own.options.map(({ long }) => long)]));
  const isThere = (meant: string) =>
    isSentence(meant) ||
    meant
      .split(" ")
      .every((word) => !/^[a-z-]/.test(word) || words.has(word) || ["csv", "today", "rejected", "day"].includes(word));
  const tables = { ...optionWords, ...commandWords, ...verbWords };
  expect(Object.keys(tables).filter((meant) => !isThere(meant))).toEqual([]);
  expect(Object.values(tables).flatMap((typed) => typed.split(" ")).length).toBeLessThanOrEqual(300);
});
