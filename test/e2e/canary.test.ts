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

const styles = [
  [[], ["--json", "--verbose"]],
  [["--quiet"], ["--verbose"]],
] as const;

/** Commands that a secret is given to, in a style. */
const secretCommands = (name: string, style: readonly string[]): readonly (readonly string[])[] => {
  const to = ["--to", "+254712345678", "-m", "Hi"];
  const run = ["--to", "+254712345679", "--run", name, "--yes", "--rate", "6000"];
  return [
    ["send", ...to, ...style],
    ["send", ...to, ...run, ...style],
    ["status", ...style.filter((flag) => flag !== "--verbose")],
    ["send", ...to, "--dry-run", ...style],
    ["send", ...to, "--timeout", "nonsense", ...style],
  ];
};

const looks = [
  "list",
  "show run",
  "show run --json",
  "export run",
  "export run --format ndjson",
  "export run --failed --with-columns",
];

/** Runs commands in a home of their own, against a service that echoes the secrets, and keeps what they show. */
async function startHome({ secrets, env: more }: Place) {
  const echoes = writings(secrets);
  const { url } = await startScriptedServer({ onRequest: echoing(echoes.join(" ")) });
  const home = mkdtempSync(join(folder, "home-"));
  const state = join(home, "state");
  const base: Env = { SMS_BASE_URL: url, SMS_STATE_DIR: state, SMS_CONFIG_DIR: join(home, "config") };
  const named = Object.entries(more).map(([name, value]) => [name, value.replace("FOLDER", folder)]);
  const env: Env = { ...base, ...Object.fromEntries(named) };
  const outputs: string[] = [];
  const note = <End extends Pick<Ended, "stdout" | "stderr">>(args: readonly string[], end: End): End => {
    outputs.push(`${args.join(" ")}: ${end.stdout}${end.stderr}`);
    return end;
  };
  return {
    base,
    state,
    outputs,
    traces: ["canary", ...echoes.map((echo) => echo.slice(4, -4))],
    sms: async (args: readonly string[], variables: Env = env, stdin = "") =>
      note(args, await inProcess.sms(args, { environment: variables, stdin })),
    built: async (args: readonly string[]) => note(args, await runBuilt(args, { env })),
  };
}

describe.concurrent("a canary that a hostile service echoes in every form", needs("POSIX shell"), () => {
  test.each(Object.entries(places))("appears nowhere if it is in %s", async (name, place) => {
    const { base, state, outputs, traces, sms, built } = await startHome(place);
    for (const [args, stdin] of place.before) expect((await sms([...args, "--verbose"], base, stdin)).code).toBe(0);

    for (const [order, style] of (styles[Object.keys(places).indexOf(name) % 2] ?? []).entries()) {
      const [message = [], ...commands] = secretCommands(order === 0 ? "run" : "again", style);
      for (const send of [sms, built]) await send(message);
      for (const args of commands) await sms(args);
    }
    await sms(["keys", "list", "--json"]);
    // Without credentials, so that nothing is left to be redacted by them.
    const ends = [];
    for (const words of looks) ends.push((await sms(["runs", ...words.split(" ")], { SMS_STATE_DIR: state })).code);

    expect(ends).toEqual(looks.map(() => 0));
    expect([...outputs, contents(state)].flatMap((text) => leaksIn(text, traces))).toEqual([]);
    expect(outputs.join()).toContain("[redacted]");
  });
});

function leaksIn(text: string, traces: readonly string[]): readonly string[] {
  return traces
    .filter((trace) => text.includes(trace))
    .map((trace) => {
      const at = text.indexOf(trace);
      return text.slice(Math.max(0, at - 60), at + trace.length + 20);
    });
}
