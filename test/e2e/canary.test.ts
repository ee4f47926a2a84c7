import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { account, key, token, writings } from "../support/canary.ts";
import { runBuilt } from "../support/built.ts";
import * as inProcess from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import type { Ended } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";

const folder = temporaryFolder();
beforeAll(() => {
  writeFileSync(join(folder, "key"), `${key}\n`, { mode: 0o600 });
  writeFileSync(join(folder, "print-key"), `#!/bin/sh\ncat "$(dirname "$0")/key"\n`, { mode: 0o700 });
});
/** Answers with this text in every field, in the name of a field and in headers. */
function echoing(echo: string): Script {
  const header = { "x-echo": echo, "set-cookie": `a=${echo}` };
  return (socket, request, index) => {
    // The check of `login` has no recipient.
    const isRefused = !request.body.includes('"to"') || index % 2 === 0;
    const reply = isRefused
      ? answer(400, { error: echo, errorCode: echo, [echo]: echo }, header)
      : accept({ messageId: echo, senderId: echo, status: echo, [echo]: echo });
    reply(socket, request, index);
  };
}

/** Everything that is in the files of a folder, and their names. */
function contents(path: string): string {
  const names = readdirSync(path, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => join(path, name)).filter((name) => statSync(name).isFile());
  return [...names, ...files.map((name) => readFileSync(name, "latin1"))].join("\n");
}

type Env = Readonly<Record<string, string>>;
type Command = readonly [args: readonly string[], stdin: string];

/** Where a secret is: an environment, in which FOLDER is the folder of the key, and commands that store it first. */
interface Place {
  readonly secrets: readonly string[];
  readonly env: Env;
  readonly before: readonly Command[];
}

const inKey = { secrets: [key], env: {}, before: [] };
const inAccount = { secrets: [account.SMS_PASSWORD, token], env: {}, before: [] };
const withEmail = ["login", "--email", account.SMS_EMAIL, "--with-password"];
const loginWithKey: Command = [["login", "--with-key"], key];

const places: Readonly<Record<string, Place>> = {
  SMS_API_KEY: { ...inKey, env: { SMS_API_KEY: key } },
  SMS_API_KEY_FILE: { ...inKey, env: { SMS_API_KEY_FILE: "FOLDER/key" } },
  SMS_API_KEY_CMD: { ...inKey, env: { SMS_API_KEY_CMD: "'FOLDER/print-key'" } },
  SMS_PASSWORD: { ...inAccount, env: account },
  "a stored key": { ...inKey, before: [loginWithKey] },
  "a stored password": { ...inAccount, before: [[withEmail, account.SMS_PASSWORD]] },
  "a password for the body": {
    ...inAccount,
    before: [[[...withEmail, "--body-fields", "user,pass"], account.SMS_PASSWORD]],
  },
  "a key piped to keys add": { ...inKey, before: [[["keys", "add", "prod"], key]] },
  "a stored key, not in use": { ...inKey, env: { SMS_API_KEY: "sk_test_other" }, before: [loginWithKey] },
  "a retired key": { ...inKey, before: [loginWithKey, [["keys", "rotate", "live"], "sk_live_other"]] },
};

/** Each place is tried with one of these pairs in turn. */
const styles = [
  [[], ["--json", "--verbose"]],
  [["--quiet"], ["--verbose"]],
] as const;

describe.concurrent("a canary that a hostile service echoes in every form", needs("POSIX shell"), () => {
  test.each(Object.entries(places))(
    "appears nowhere if it is in %s",
    async (place, { secrets, env: given, before }) => {
      const echoes = writings(secrets);
      const server = await startScriptedServer({ onRequest: echoing(echoes.join(" ")) });
      const traces = ["canary", ...echoes.map((echo) => echo.slice(4, -4))];
      const home = mkdtempSync(join(folder, "home-"));
      const state = join(home, "state");
      const base = { SMS_BASE_URL: server.url, SMS_STATE_DIR: state, SMS_CONFIG_DIR: join(home, "config") };
      const inFolder = ([name, value]: readonly [string, string]) => [name, value.replace("FOLDER", folder)] as const;
      const env: Env = { ...base, ...Object.fromEntries(Object.entries(given).map(inFolder)) };
      const shown: [string, Pick<Ended, "stdout" | "stderr">][] = [];
      const sms = async (args: readonly string[], stdin = "", vars: Env = env) => {
        const ended = await inProcess.sms(args, { environment: vars, stdin });
        shown.push([args.join(" "), ended]);
        return ended;
      };
      const built = async (args: readonly string[]) => shown.push([args.join(" "), await runBuilt(args, { env })]);
      for (const [args, stdin] of before) {
        expect((await sms([...args, "--verbose"], stdin, base)).code).toBe(0);
      }
      const to = ["--to", "+254712345678", "-m", "Hi"];
      for (const [order, style] of (styles[Object.keys(places).indexOf(place) % 2] ?? []).entries()) {
        await sms(["send", ...to, ...style]);
        await built(["send", ...to, ...style]);
        const run = ["--to", "+254712345679", "--run", order === 0 ? "run" : "again", "--yes", "--rate", "6000"];
        expect([0, 3, 11]).toContain((await sms(["send", ...to, ...run, ...style])).code);
        await sms(["status", ...style.filter((flag: string) => flag !== "--verbose")]);
        await sms(["send", ...to, "--dry-run", ...style]);
        await sms(["send", ...to, "--timeout", "nonsense", ...style]);
      }
      await sms(["keys", "list", "--json"]);
      // Without credentials, so that nothing is left to be redacted by them.
      const blind = { SMS_STATE_DIR: state };
      for (const args of [
        ["list"],
        ["show", "run"],
        ["show", "run", "--json"],
        ["export", "run"],
        ["export", "run", "--format", "ndjson"],
        ["export", "run", "--failed", "--with-columns"],
      ]) {
        expect((await sms(["runs", ...args], "", blind)).code).toBe(0);
      }
      const leaks = shown.flatMap(([args, { stdout, stderr }]) =>
        leaksIn(stdout + stderr, traces).map((leak) => `${args}: ${leak}`),
      );
      expect([...leaks, ...leaksIn(contents(state), traces).map((leak) => `state: ${leak}`)]).toEqual([]);
      expect(shown.map(([, { stdout, stderr }]) => stdout + stderr).join()).toContain("[redacted]");
    },
  );
});

function leaksIn(text: string, traces: readonly string[]): readonly string[] {
  return traces
    .filter((trace) => text.includes(trace))
    .map((trace) => {
      const at = text.indexOf(trace);
      return text.slice(Math.max(0, at - 60), at + trace.length + 20);
    });
}
