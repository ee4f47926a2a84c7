import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { blocks, blockWith } from "../support/blocks.ts";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";
import { lineOnTerminal } from "../support/terminal.ts";

const inCi = needs("POSIX shell", "CI to be set");
const folder = temporaryFolder();

function put(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
  chmodSync(join(folder, name), 0o755);
}

beforeAll(() => {
  put("sms", `#!/bin/sh\nexec ${shellLine(program)} "$@"\n`);
  put("customers.csv", blocks("README.md").find(({ language }) => language === "csv")?.code ?? "");
});

function shell(script: string): string {
  const PATH = `${folder}${delimiter}${process.env["PATH"]}`;
  const env = { HOME: folder, LC_ALL: "C.UTF-8", PATH };
  return spawnSync("sh", ["-c", script], { cwd: folder, env, encoding: "utf8", timeout: 120_000 }).stdout;
}

// To mend the picture, write the lines that differ into it.
test("the picture of the README has what a terminal shows", needs("script"), async () => {
  const withoutId = (text: string) => text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, "ID");
  const texts = readFileSync("docs/terminal.svg", "utf8").match(/(?<=<text .*>).*(?=<\/text>)/g) ?? [];
  const drawn = texts.map((text) => withoutId(text.replaceAll(/<[^>]*>/g, "").replaceAll("\u00A0", " ")));
  const commands = drawn.flatMap((text) => (text.startsWith("$ ") ? `echo '${text}'; ${text.slice(2)}; echo` : []));

  const { shown } = await lineOnTerminal(`sms() { ${shellLine(program)} "$@"; }; ${commands.join("; ")}`, {
    CI: "true",
    NO_COLOR: "1",
  });

  expect(withoutId(shown.trimEnd()).split("\r\n")).toEqual(drawn);
});

test("the run of the README prints what the README shows", needs("POSIX shell"), () => {
  const command = blockWith("README.md", "--recipients customers.csv").replace("send", "send --sandbox");
  const shown = blockWith("README.md", "✓ Run march").replace(/, (KES [\d.]+),.*/, " would be charged, $1");

  expect(shell(command)).toBe(shown);
});

test("the mailing ends as its page says, and reaches who it should", inCi, () => {
  const steps = blocks("docs/mailing.md").map(({ code }) => `${code}echo "exit code $?"`);
  const login = `unset SMS_API_KEY
    printf sk_test_sandbox | sms login --base-url $SMS_BASE_URL --with-key
    printf sk_live_sandbox | sms keys add live
    sms keys use live
    sms profiles set rate 15000`;
  put("mailing.sh", [login, ...steps, "sms sandbox messages --url $SMS_BASE_URL --json > messages.json"].join("\n"));

  const shown = shell("sms sandbox exec -- sh mailing.sh");

  expect(shown.match(/exit code \d+/g)).toEqual(Array.from({ length: 5 }, () => "exit code 0"));
  const sent = JSON.parse(readFileSync(join(folder, "messages.json"), "utf8")) as readonly { to: string }[];
  const [me = "", other] = [8, 9].map((digit) => `+25471234567${digit}`);
  expect(sent.map(({ to }) => to).toSorted()).toEqual([me, me, me, other]);
});

test.each([
  ["an alert that comes again within the hour is sent once", 1, "LIMIT=0; . ./disk-alert.sh && . ./disk-alert.sh"],
  ["no alert is sent if there is room", 0, "LIMIT=101; (. ./disk-alert.sh)"],
  ["a deployment is told once", 1, ". ./tell-deploy.sh && . ./tell-deploy.sh"],
  ["the list of a day is sent once", 2, ". ./reminders.sh && . ./reminders.sh"],
  ["no list is sent if its export fails", 0, "export CODE=1; sh reminders.sh; test $? = 1"],
])("in the recipes, %s", inCi, (_, messages, line) => {
  for (const { code } of [...blocks("docs/ci.md"), ...blocks("docs/cron.md")]) {
    const name = /^# (\S+\.sh)$/m.exec(code)?.[1];
    // The sandbox has a state folder of its own, and answers at any hour.
    const anyTime = code.replace(/^export SMS_STATE_DIR=.*$/m, "").replace(/--between ".*?"/, "--between any");
    if (name !== undefined) put(name, anyTime);
  }
  put("export.sh", "#!/bin/sh\nprintf 'phone,name,due\\n0712345671,Ann,300\\n0712345672,Ben,450\\n'\nexit $CODE\n");
  // The hour, or the day, may end in between.
  const command = shellLine(["sh", "-c", `date() { echo 2026-11-22; }; ${line}`]);

  const shown = shell(`COMMIT=abc123 sms sandbox exec --expect-messages ${messages} -- ${command}; echo "exit $?"`);

  expect(shown).toMatch(/exit 0\n$/);
});
