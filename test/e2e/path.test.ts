import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { blocks } from "../support/blocks.ts";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/folders.ts";

/** README, and the pages in the order of its path. */
const path = ["README.md", ...links(/^## The path$.*?(?=^##|^To look up)/ms)];

function links(section: RegExp): readonly string[] {
  const [text = ""] = section.exec(readFileSync("README.md", "utf8")) ?? [];
  return [...new Set(Array.from(text.matchAll(/\]\((docs\/[a-z]+\.md)/g), ([, page = ""]) => page))];
}

/** Blocks that need what a reader of the path does not have: a clone, an image, PostgreSQL, systemd, a webhook. */
const elsewhere = /npm (?:ci|install|run)|docker |sms-sandbox:|postgres:|\/run\/sms|\/hooks\/|\$ALERTS/;

/** What the block says it ends with, by a line of it. */
const endings: readonly (readonly [string, number])[] = [
  ["exec --every-fault", 11],
  // The page of it says that exit code 11 counts rows that were left out.
  ["sms clean office.csv", 11],
  ["--to +254700000598", 10],
];

/** A person types what is in a block, and writes what is a file. */
function typed(language: string, code: string, before: string): string {
  const script = /^# (\S+\.sh)$/m.exec(code)?.[1];
  const file = script ?? (language === "csv" ? (/`(\w+\.csv)`[^`]*```csv\n$/.exec(before)?.[1] ?? "") : undefined);
  if (file !== undefined) return `cat > ${file} <<'END OF FILE'\n${code}END OF FILE`;
  if (!code.startsWith("$ ")) return code;
  return Array.from(code.matchAll(/^\$ (.*)$/gm), ([, line = ""]) => line).join("\n");
}

interface Step {
  readonly place: string;
  readonly script: string;
  readonly wanted: number;
}

function stepsOf(page: string): readonly Step[] {
  const text = readFileSync(page, "utf8");
  return blocks(page).flatMap(({ language, code }, index) => {
    const isTyped = (["sh", "csv", "console"].includes(language) || code.startsWith("$ ")) && !elsewhere.test(code);
    if (!isTyped) return [];
    const script = typed(language, code, text.slice(0, text.indexOf(code)));
    const [, wanted = 0] = endings.find(([line]) => script.includes(line)) ?? [];
    return [{ place: `${page}, block ${index + 1}`, script, wanted }];
  });
}

const stand: Readonly<Record<string, string>> = {
  // The one of "another terminal" goes on.
  sms: `case "$1 \${2-}" in "sandbox "|"sandbox --"*) exit 0 ;; esac; exec ${shellLine(program)} "$@"`,
  op: "echo sk_live_sandbox",
  journalctl: "echo ERROR disk full",
  tail: "echo ERROR disk full",
};

const typing = { ...needs("POSIX shell", "curl", "jq", "CI to be set"), timeout: 300_000 };

it("the pages of the path are one story, typed in one folder", typing, async () => {
  const home = temporaryFolder();
  const port = await freePort();
  mkdirSync(join(home, "bin"));
  for (const [name, script] of Object.entries(stand))
    writeFileSync(join(home, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const steps = path.flatMap(stepsOf);
  for (const [index, { script }] of steps.entries()) writeFileSync(join(home, `${index}.sh`), here(script, port));
  const story = `${shellLine(program)} sandbox --port ${port} > server.log 2>&1 & trap "kill $!" EXIT
    until curl --silent --fail http://127.0.0.1:${port}/healthz > healthz; do sleep 0.1; done; export -p > variables
    for index in $(seq 0 ${steps.length - 1}); do
      ( . ./variables; set -e; . ./$index.sh; export -p > variables ) > $index.out 2>&1 < /dev/null
      echo $? > $index.end
    done`;
  const env = { HOME: home, LC_ALL: "C.UTF-8", PATH: `${join(home, "bin")}:${process.env["PATH"]}` };
  spawnSync("sh", ["-c", story], { cwd: home, env, timeout: 300_000 });

  const read = (name: string) => readFileSync(join(home, name), "utf8");
  const ended = steps.map(({ place }, index) => `${place}: ${read(`${index}.end`)}${read(`${index}.out`)}`);
  expect(steps.length).toBeGreaterThan(35);
  expect(ended.filter((text, index) => !text.includes(`: ${steps[index]?.wanted}\n`))).toEqual([]);
});

function here(script: string, port: number): string {
  return script
    .replaceAll("https://HOST", "http://127.0.0.1:4010")
    .replaceAll("127.0.0.1:4010", `127.0.0.1:${port}`)
    .replaceAll("08:00-20:00", "00:00-23:59");
}
