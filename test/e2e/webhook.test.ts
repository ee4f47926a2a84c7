import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { blockWith } from "../support/blocks.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { freePort } from "../support/free-port.ts";
import { atEnd } from "../support/at-end.ts";
import { until } from "../support/until.ts";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const { sandbox } = withSandbox();

/** Sets the recipe up in a folder, and returns how it is used. */
async function setUp() {
  const folder = temporaryFolder();
  const state = { ...foldersIn(folder), SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_test_sandbox" };
  const env = { ...state, HERE: folder, PATH: [folder, process.env["PATH"]].join(delimiter) };
  const port = await freePort();
  const block = (text: string) => blockWith("docs/watch.md", text).replaceAll("9000", String(port));
  const put = (name: string, content: string) => writeFileSync(join(folder, name), content, { mode: 0o755 });
  put("hooks.json", block('"id": "text"').replace("/etc/sms", folder));
  put("alerts.sh", block("jq --raw-output").replace("/run/sms/alerts", '"$HERE/alerts"'));
  put("sms", `#!/bin/sh\nexec ${shellLine(program)} "$@"\n`);
  mkdirSync(join(state.SMS_CONFIG_DIR, "groups"), { recursive: true, mode: 0o700 });
  put("config/groups/oncall.txt", "+254712345679\n");
  const run = (line: string) => spawnSync("sh", ["-c", line], { cwd: folder, env, encoding: "utf8" });
  const start = (line: string) => {
    const child = spawn("sh", ["-c", `exec ${line}`], { cwd: folder, env });
    atEnd(() => child.kill("SIGKILL"));
    return child;
  };
  const script = block("mkfifo").replaceAll("/run/sms/alerts", '"$HERE/alerts"').replaceAll(/ &$/gm, "");
  const [make = "", watch = "", serve = ""] = script.split("\n");
  run(make);
  const watching = start(watch);
  start(serve);
  const post = (line: string) => run(line.replace("curl ", "curl --silent --write-out '%{http_code}' "));
  return { put, post, text: block("curl --json"), watching };
}

it("the recipe hands alerts to texts and to a watch", needs("webhook", "jq", "curl", "POSIX shell"), async () => {
  const { put, post, text, watching } = await setUp();
  const texts = () => sandbox().messages();
  const alerts = ["db1", "db2", "db3"].map((instance) => ({
    status: "firing",
    labels: { alertname: "InstanceDown", instance },
    annotations: { summary: 'no answer; "$(reboot)"' },
  }));
  put("many.json", JSON.stringify({ version: "4", alerts }));

  await until(() => post(text).status === 0);
  await until(() => texts().length === 1);
  const stranger = post(text.replace("TOKEN", "OTHER"));
  const many = post(text.replace("/text", "/alerts").replace(/--json '.*?'/, "--json @many.json"));
  await until(() => texts().length === 2);
  watching.kill("SIGTERM");

  expect(await once(watching, "exit")).toEqual([0, null]);
  expect([stranger.stdout, many.stdout]).toEqual([expect.stringMatching(/401$/), "200"]);
  expect(texts().map(({ to, message }) => `${to} ${message}`)).toEqual([
    "+254712345678 disk full on db1",
    '+254712345679 firing InstanceDown db1: no answer; "$(reboot)"',
    expect.stringMatching(
      /^\+254712345679 2 lines of 1 kind, .*\n2x firing InstanceDown db2: no answer; "\$\(reboot\)"$/,
    ),
  ]);
});
