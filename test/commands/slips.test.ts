import { expect, test } from "vitest";
import { everyCommand } from "../../src/commands/help/pages.ts";
import { defineProgram } from "../../src/commands/program.ts";
import { exists, hasOption } from "../../src/commands/shared/slips/hints.ts";
import {
  commandSynonyms,
  groupSynonyms,
  optionSynonyms,
  verbSynonyms,
} from "../../src/commands/shared/slips/synonyms.ts";
import { nameOf } from "../../src/commands/shared/options.ts";
import { sms } from "../support/machine.ts";

/** Command lines that people of gh, curl, stripe and twilio type, and that sms does not take. */
const slips = String.raw`
send 0712345678 hi
send 0712345678 hi --country KE
send +254712345678 "It's ready"
send +254712345678 "costs $5"
send +254712345678 hello to you
send --sandbox +254712345678 hi
send --to +254712345678 hello world
send +254712345678 -m Deployed -- make "all of it"
send --to +254712345678 --message hello world
send --to +254712345678 -m hello world
send +254712345678,+254712345679 hi
send customers.csv --message hi
send @customers.csv "Hi {{name}}"
send hello
send 0712 345 678 hi
send -to +254712345678 --message hi
send --to +254712345678 -message hi
send --to +254712345678 -message
send -to=+254712345678
send to +254712345678 message Hi
send customers.csv note.txt
send +254712345678 note.txt
send help
send
send --to
send --to --message hi
send --message
send --from ACME
send --sender_name ACME
send --text hi
send --body hi
send --msg hi
send --phone +254712345678
send --number +254712345678
send --recipient +254712345678
send --file list.csv
send --csv list.csv
send -f list.csv
send --test
send --live
send --api-key sk_live_abc
send --api-key=secret
send --key abc
send -u me:secret
send --password secret
send --base-url https://host
send --url https://host
send --debug
send -v
send -vv
send --dryrun
send --dry
send --force
send --ye
send --limit 10
send --rps 5
send --parallel 4
send --max-time 5
send --retry 3
send --skip list.txt
send --column phone
send --region KE
send --name topup
send --resume topup
send --ascii
send --raw
send --dedupe
send --output x.json
send --silent
send --nocolor
send --non-interactive
send --account shop
send --at 10:00
send --media x.png
send --insecure
send --proxy http://proxy
send -?
send --sendr ACME
send --nonsense
preview it is ready
preview note.txt
status shop
status --verbose
status --debug
status --base-url https://host
logout shop
login https://host
login shop
login sk_live_abc
login --api-key abc
login --with-key=sk_live_abc
optout +254712345678
spend 2026-10
sandbox exec --expect 1 -- true
completion --shell bash
login --url https://host
keys add
keys rename prod
keys use prod spare
keys add prod sk_live_abc
keys create prod
keys delete prod
keys switch prod
keys roll prod
keys check
keys show
keys lst
keys status
keys rm --force
keys nonsense
runs show
runs continue topup
runs get topup
runs cancel topup
runs create topup
keys --with-key
runs download topup
profiles create shop
profiles switch shop
profiles show
profiles edit
sandbox start
sandbox help
sandbox nonsense
sandbox -p 4010
help keys nothing
-v
--to +254712345678 --message hi
--to +254712345678 send --message hi
--sandbox send --message send --to +254712345678
send --no-sandbox
send --no-any-time
-t +254712345678 -m hi
--from ACME
--nonsense
+254712345678 hi
0712345678 hi
whoami
auth
config
list keys
add key
rotate prod
resume topup
use shop
version
message hi
sned
stat
key list
run list
profile list
inbox
server
count
balance
signin
configure
bulk
test
env
exit-codes
docs
update
nonsense
`;

const lines = slips.trim().split("\n");

/** The words of a line, with a space in those in double quotes. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
}

async function refusal(line: string, environment = {}): Promise<string> {
  const { code, stdout, stderr } = await sms(wordsOf(line), { environment });
  expect([line, code, stdout]).toEqual([line, 2, ""]);
  return stderr;
}

test("each slip is answered with the sentences of slips.snapshot", async () => {
  const answers: string[] = [];
  for (const line of lines) answers.push(`$ sms ${line}\n${await refusal(line)}`);
  await expect(answers.join("\n")).toMatchFileSnapshot("slips.snapshot");
  expect(answers.filter((answer) => answer.includes("--yes"))).toEqual([]);
});

test.each(["SMS_COUNTRY=KE", ""])("a number without a country gets one unless %j sets it", async (setting) => {
  const [name = "", value = ""] = setting.split("=");
  const answer = await refusal("send 0712345678 hi", name === "" ? {} : { [name]: value });
  expect(answer.includes("--country CC")).toBe(setting === "");
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

test("a suggestion is a command of the parser", async () => {
  const program = await defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
  const names = everyCommand(program).map(nameOf);
  const lists = names.filter((name) => name.endsWith(" list"));
  expect(lists.length).toBeGreaterThan(2);
  for (const name of lists) expect(await refusal("list")).toContain(`\`sms ${name}\``);
  expect(await refusal("logs")).toContain("did you mean `sms history`?");
});

test("the table of synonyms names commands and options that there are", async () => {
  const program = await defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
  const commands = everyCommand(program);
  const missing = [
    ...[...commandSynonyms, ...Object.values(groupSynonyms).flat()]
      .flatMap(({ meant }) => meant)
      .filter((meant) => !exists(program, meant)),
    ...verbSynonyms.flatMap(({ meant }) => meant).filter((meant) => !commands.some((own) => exists(own, meant))),
    ...optionSynonyms.flatMap(({ meant }) => meant).filter((meant) => !commands.some((own) => hasOption(own, meant))),
  ];
  expect(missing).toEqual([]);
});
