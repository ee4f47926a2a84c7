import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { blocks, blockWith } from "../support/blocks.ts";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";

const posix = needs("POSIX shell");
const inCi = needs("POSIX shell", "CI to be set");
const folder = temporaryFolder();

beforeAll(() => {
  writeFileSync(join(folder, "sms"), `#!/bin/sh\nexec ${shellLine(program)} "$@"\n`);
  chmodSync(join(folder, "sms"), 0o755);
});

function shell(script: string): string {
  const PATH = `${folder}${delimiter}${process.env["PATH"]}`;
  const env = { HOME: folder, LC_ALL: "C.UTF-8", PATH };
  const { stdout } = spawnSync("sh", ["-c", script], { cwd: folder, env, encoding: "utf8", timeout: 120_000 });
  return stdout.replaceAll(/ +$/gm, "");
}

function withoutId(text: string): string {
  return text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, "ID");
}

test("the first send of the README prints what the README shows", posix, () => {
  const [, command = "", shown = ""] = /^\$ (.*?)\n(.*)$/s.exec(blockWith("README.md", "✓ Queued")) ?? [];
  expect(withoutId(shell(command))).toBe(withoutId(shown));
});

test("the run of the README prints what the README shows", posix, () => {
  const csv = blocks("README.md").find(({ language }) => language === "csv")?.code ?? "";
  writeFileSync(join(folder, "customers.csv"), csv);
  const command = blockWith("README.md", "--recipients customers.csv").replace("send", "send --sandbox");
  const shown = blockWith("README.md", "✓ Run march").replace(/charged, (.*),.*/, "would be charged, $1");

  expect(shell(command)).toBe(shown);
});

test("the mailing ends as its page says, and reaches who it should", inCi, () => {
  // The first step makes the list of a workbook, the second of a text.
  const steps = blocks("docs/mailing.md")
    .slice(1)
    .map(({ code }) => `${code}echo "exit code $?"`);
  const login = `unset SMS_API_KEY
    printf sk_test_sandbox | sms login --base-url $SMS_BASE_URL --with-key
    printf sk_live_sandbox | sms keys add live
    sms keys use live
    sms profiles set rate 15000`;
  const messages = "sms sandbox messages --url $SMS_BASE_URL --json > messages.json";
  writeFileSync(join(folder, "mailing.sh"), [login, ...steps, messages].join("\n"));
  const shown = shell("sms sandbox exec -- sh mailing.sh");
  expect(shown.match(/exit code \d+/g)?.map((code) => Number(code.slice(10)))).toEqual([0, 0, 0, 0, 0]);
  const sent = JSON.parse(readFileSync(join(folder, "messages.json"), "utf8")) as readonly { to: string }[];
  const customers = [1, 2, 3, 4, 6].map((digit) => `+25471234567${digit}`);
  const me = "+254700000000";

  expect(sent.map(({ to }) => to).toSorted()).toEqual([me, me, me, ...customers].toSorted());
});

/** Writes the scripts of the recipes, and runs a line with a sandbox, which must get that number of messages. */
function recipes(messages: number, line: string): string {
  for (const { code } of [...blocks("docs/ci.md"), ...blocks("docs/cron.md")]) {
    const name = /^# (\S+\.sh)$/m.exec(code)?.[1];
    // The sandbox has a state folder of its own, and answers at any hour.
    const anyTime = code.replace(/^export SMS_STATE_DIR=.*$/m, "").replace(/--between ".*?"/, "--between any");
    if (name !== undefined) writeFileSync(join(folder, name), anyTime);
  }
  const command = shellLine(["sh", "-c", line]);
  return shell(`COMMIT=abc123 sms sandbox exec --expect-messages ${messages} -- ${command}; echo "exit code $?"`);
}

// The hour, or the day, may end in between.
const atOneTime = `date() { echo 2026-11-22; }; `;

test("the recipes send once for one thing that happened", inCi, () => {
  const twice = (script: string) => `${atOneTime}. ./${script} && . ./${script}`;
  expect(recipes(1, `LIMIT=0; ${twice("disk-alert.sh")}`)).toMatch(/exit code 0\n$/);
  expect(recipes(0, `LIMIT=101; (. ./disk-alert.sh)`)).toMatch(/exit code 0\n$/);
  expect(recipes(1, twice("tell-deploy.sh"))).toMatch(/exit code 0\n$/);
});

test("the list of a day is sent once, whoever starts it again, and not if its export fails", inCi, () => {
  const list = (code: number) => {
    const rows = "phone,name,due\\n0712345671,Ann,300\\n0712345672,Ben,450\\n";
    writeFileSync(join(folder, "export.sh"), `#!/bin/sh\nprintf '${rows}'\nexit ${code}\n`);
    chmodSync(join(folder, "export.sh"), 0o755);
  };
  list(0);
  expect(recipes(2, `${atOneTime}. ./reminders.sh && . ./reminders.sh`)).toMatch(/exit code 0\n$/);
  list(1);

  expect(recipes(0, "sh reminders.sh; test $? = 1")).toMatch(/exit code 0\n$/);
});

test("the backup of the recipes tells when it fails, once, and keeps its exit code", inCi, () => {
  const backup = (code: number) => {
    writeFileSync(join(folder, "backup.sh"), `#!/bin/sh\nexit ${code}\n`);
    chmodSync(join(folder, "backup.sh"), 0o755);
  };
  backup(0);
  expect(recipes(0, "sh nightly.sh")).toMatch(/exit code 0\n$/);
  backup(3);

  expect(recipes(1, `${atOneTime}. ./nightly.sh; . ./nightly.sh; test $? = 3`)).toMatch(/exit code 0\n$/);
});
