import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { temporaryFolder, writeGroup } from "../support/folders.ts";
import { trials } from "../support/trials.ts";

const folder = temporaryFolder();

beforeAll(() => {
  const sms = join(folder, "sms");
  writeFileSync(sms, `#!/bin/sh\nexec ${shellLine(program)} "$@"\n`);
  chmodSync(sms, 0o755);
  writeFileSync(join(folder, "customers.csv"), "");
  const login = ["login", "--base-url", "http://127.0.0.1:9", "--no-verify", "--with-key", "--profile", "back\\slash"];
  writeGroup(join(folder, ".config", "sms"), "oncall.txt", "");
  spawnSync(sms, login, { ...options(), input: "sk_test_abc" });
});

/** A shell finds `sms` and one file, and none of the person's settings. */
function options() {
  const PATH = `${folder}${delimiter}${process.env["PATH"]}`;
  const env = { HOME: folder, INPUTRC: "/dev/null", LC_ALL: "C.UTF-8", PATH, PS1: "$ ", TERM: "dumb" };
  return { encoding: "utf8", cwd: folder, env, timeout: 120_000 } as const;
}

/** The text before the word, the part of the word typed so far, and the word after Tab. */
const everyRow: readonly (readonly [before: string, typed: string, completed: string])[] = [
  ["sms send", "--rate=prof", "--rate=professional"],
  ["sms send --recipients", "cust", "customers.csv"],
  ["sms status --profile", "ba", "back\\slash"],
  ["sms keys", "ren", "rename"],
  ["sms send --message 'two words'", "--rat", "--rate"],
  ["sms send --message", "cust", "cust"],
  ["sms send --to", "@on", "@oncall"],
];
const rows = everyRow.slice(0, trials("COMPLETIONS", 3, everyRow.length));

describe("completion with the Tab key", () => {
  const tab = "\t";
  const toStart = "\u0001";

  const onTerminal = (shell: string, setup: string) => {
    const lines = rows.map(([before, typed]) => `${before} ${typed}${tab}${toStart}echo Made: `);
    const input = [setup, ...lines, "exit", ""].join("\n");
    const words = ["--quiet", "--command", shell, "/dev/null"];
    const shown = spawnSync("script", words, { ...options(), input }).stdout.replaceAll("\r", "");
    return [...shown.matchAll(/^Made: (.*?) ?$/gm)].map(([, line]) => line);
  };
  const expected = rows.map(([before, , completed]) => `${before.replaceAll("'", "")} ${completed}`);

  test("in bash", needs("script", "bash"), () => {
    expect(onTerminal("bash --norc -i", "set -u; source <(sms completion bash)")).toEqual(expected);
  });

  test("in zsh", needs("script", "zsh"), () => {
    const zsh = "bindkey -e; autoload -Uz compinit; compinit -D -u; source <(sms completion zsh)";
    expect(onTerminal("zsh -f -i", zsh)).toEqual(expected);
  });

  test("in fish", needs("fish"), () => {
    const asked = rows.map(([before, typed]) => `complete --do-complete "${before} ${typed}"; echo .`);
    const script = ["sms completion fish | source", ...asked].join("\n");
    const { stdout } = spawnSync("fish", ["--no-config", "--command", script], options());
    const offered = stdout.split(".\n").map((line) => line.replace(/\t.*/, "").trim());

    expect(offered).toEqual([...rows.map(([, typed, completed]) => (completed === typed ? "" : completed)), ""]);
  });
});
