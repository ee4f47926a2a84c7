import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/folders.ts";
import { type Ended, sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";

/** A key and an account with characters that JSON, URLs, forms and base64 write in different ways. */
const key = "sk_live_canary'\"\\/+&0123456789";
const account = { SMS_EMAIL: "desk@acme.example", SMS_PASSWORD: 'canary\'s "é" /+&pass' };
const token = Buffer.from(`${account.SMS_EMAIL}:${account.SMS_PASSWORD}`).toString("base64");

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const hex = (text: string) => Buffer.from(text).toString("hex");
const withoutPrefix = (text: string) => text.replace(/^sk_[a-z]+_/, "");

/** The ways in which a service may write a secret. */
const writings: readonly ((text: string) => string)[] = [
  (text) => text,
  json,
  (text) => json(json(text)),
  encodeURIComponent,
  (text) => new URLSearchParams({ text }).toString().slice("text=".length),
  base64,
  (text) => Buffer.from(text).toString("base64url"),
  (text) => base64(`Authorization: ${text}.`),
  (text) => base64(base64(text)),
  (text) => base64(`token ${base64(`Bearer ${text}\n`)}`),
  hex,
  (text) => hex(text).toUpperCase(),
  withoutPrefix,
  (text) => hex(withoutPrefix(text)),
];

/** Clears the terminal, rings, overwrites a line, forges one, and reverses the text direction. */
const hostile = "\u001B[2J\u0007over\rforged\nsms: all is well\u009B31m\u007F\u202Eevil\u2066\u2028\u2029\u200Fend";
const drives = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029]/;

const folder = temporaryFolder();
beforeAll(() => {
  writeFileSync(join(folder, "key"), `${key}\n`, { mode: 0o600 });
  writeFileSync(join(folder, "print-key"), `#!/bin/sh\ncat "$(dirname "$0")/key"\n`, { mode: 0o700 });
});

/** Answers with this text in every field, in the name of a field and in headers. */
function echoing(secrets: string): Script {
  const echo = `${hostile} ${secrets}`;
  // Node reads no header with a control below U+0080.
  const header = { "x-echo": `\u009B31m${secrets}`, "set-cookie": `a=${secrets}` };
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

/** Where a secret is: an environment, in which FOLDER is the folder of the key, and commands that store it first. */
interface Place {
  readonly secrets: readonly string[];
  readonly env: Env;
  readonly before: readonly (readonly [words: string, stdin: string])[];
}

const inKey = { secrets: [key], env: {}, before: [] };
const inAccount = { secrets: [account.SMS_PASSWORD, token], env: {}, before: [] };
const withEmail = `login --email ${account.SMS_EMAIL} --with-password`;
const loginWithKey = ["login --with-key", key] as const;

const places: Readonly<Record<string, Place>> = {
  SMS_API_KEY: { ...inKey, env: { SMS_API_KEY: key } },
  SMS_API_KEY_FILE: { ...inKey, env: { SMS_API_KEY_FILE: "FOLDER/key" } },
  SMS_API_KEY_CMD: { ...inKey, env: { SMS_API_KEY_CMD: "'FOLDER/print-key'" } },
  SMS_PASSWORD: { ...inAccount, env: account },
  "a stored key": { ...inKey, before: [loginWithKey] },
  "a stored password": { ...inAccount, before: [[withEmail, account.SMS_PASSWORD]] },
  "a password for the body": { ...inAccount, before: [[`${withEmail} --body-fields user,pass`, account.SMS_PASSWORD]] },
  "a key piped to keys add": { ...inKey, before: [["keys add prod", key]] },
  "a stored key, not in use": { ...inKey, env: { SMS_API_KEY: "sk_test_other" }, before: [loginWithKey] },
  "a retired key": { ...inKey, before: [loginWithKey, ["keys rotate live", "sk_live_other"]] },
};

/** Commands that read a secret. The service refuses every other message, so each message is sent twice. */
const sends = [false, true].flatMap((isQuiet) => {
  const style = isQuiet ? "--quiet" : "--json --verbose";
  const hi = "send --to +254712345678 -m Hi";
  return [
    `${hi} ${style}`,
    `${hi} ${isQuiet ? "--verbose" : style}`,
    `${hi} --to +254712345679 --run ${isQuiet ? "again" : "run"} --yes --rate 6000 ${style}`,
    `status ${isQuiet ? "--quiet" : "--json"}`,
    `${hi} --dry-run ${style}`,
    `${hi} --timeout nonsense ${style}`,
  ];
});

const looks = ["list", "show run", "show run --json", "export run", "export run --failed --with-columns"];

describe.concurrent("a canary that a hostile service echoes in every form", needs("POSIX shell"), () => {
  test.each(Object.entries(places))("appears nowhere if it is in %s", async (_, { secrets, env: more, before }) => {
    const echoes = secrets.flatMap((secret) => writings.map((write) => write(secret)));
    const { url } = await startScriptedServer({ onRequest: echoing(echoes.join(" ")) });
    const home = mkdtempSync(join(folder, "home-"));
    const state = { SMS_STATE_DIR: join(home, "state") };
    const base = { SMS_BASE_URL: url, ...state, SMS_CONFIG_DIR: join(home, "config") };
    const named = Object.entries(more).map(([name, value]) => [name, value.replace("FOLDER", folder)]);
    const shown: string[] = [];
    const run = async (words: string, environment: Env, stdin = ""): Promise<Ended> => {
      const ended = await sms(words.split(" "), { environment, stdin });
      shown.push(`${words}: ${ended.stdout}${ended.stderr}`);
      return ended;
    };

    for (const [words, stdin] of before)
      expect(await run(`${words} --verbose`, base, stdin)).toMatchObject({ code: 0 });
    for (const words of [...sends, "keys list --json"]) await run(words, { ...base, ...Object.fromEntries(named) });
    // Without credentials, so that nothing is left to be redacted by them.
    for (const words of looks) expect(await run(`runs ${words}`, state)).toMatchObject({ code: 0 });

    const traces = ["canary", ...echoes.map((echo) => echo.slice(4, -4))];
    expect([...shown, contents(state.SMS_STATE_DIR)].flatMap((text) => leaksIn(text, traces))).toEqual([]);
    expect(shown.join()).toMatch(/\[redacted\].*evil/s);
    expect(shown.filter((text) => drives.test(text) || /^sms: all is well/m.test(text))).toEqual([]);
  });
});

function leaksIn(text: string, traces: readonly string[]): readonly string[] {
  return traces.flatMap((trace) => {
    const at = text.indexOf(trace);
    return at < 0 ? [] : text.slice(Math.max(0, at - 60), at + trace.length + 20);
  });
}
