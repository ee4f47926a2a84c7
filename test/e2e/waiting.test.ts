import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquireLock } from "../../src/files/lock.ts";
import { storePath } from "../../src/profiles/read.ts";
import { processes } from "../files/this-process.ts";
import { dev, profile, storeOf, using } from "../profiles/stored.ts";
import { ownFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { screenOf } from "../support/screen.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { lineOnTerminal, type Typing } from "../support/terminal.ts";

const to = "--to +254712345678";
const one = `sms send ${to} --message Hi`;
const two = `sms send ${to} --to +254712345679 --message Hi --yes --run r`;

/** A person at a terminal who is logged in to a service that accepts everything, but answers nothing before `release`. */
async function person(onRequest?: Script) {
  const answers: (() => void)[] = [];
  let isReleased = false;
  const late: Script = (socket, request, index) => {
    const script = request.body === "{}" ? answer(400, { error: "to is missing" }) : accept();
    if (isReleased) script(socket, request, index);
    else answers.push(() => script(socket, request, index));
  };
  const server = await startScriptedServer({ onRequest: onRequest ?? late });
  const { env } = ownFolder();
  const config = env["SMS_CONFIG_DIR"] ?? "";
  mkdirSync(config, { mode: 0o700 });
  const baseUrl = server.url;
  const keys = { ...profile.keys, dev: { ...dev, baseUrl } };
  const store = storeOf({ ...profile, baseUrl, credentials: using("dev"), keys });
  writeFileSync(storePath(config), JSON.stringify(store), { mode: 0o600 });
  return {
    server,
    config,
    state: env["SMS_STATE_DIR"] ?? "",
    release: () => {
      isReleased = true;
      for (const answerNow of answers.splice(0)) answerNow();
    },
    types: (line: string, typings: readonly Typing[] = []) =>
      lineOnTerminal(`sms() { ${shellLine(program)} "$@"; }; ${line}`, { ...env, URL: server.url }, typings),
  };
}

/** Waits for the service, by what is typed: what is shown until it answers. */
const forService: Readonly<Record<string, string>> = {
  [one]: "Sending to +254712345678",
  [two]: "░ 0 of 2",
  "echo sk_test_new0 | sms login --base-url $URL --with-key": "Checking the key at http",
  "sms status --check": "Checking the key at http",
};

/** Other waits: what is shown until Enter is pressed, or until they end. */
const forOthers: Readonly<Record<string, string>> = {
  [`(read x < /dev/tty; echo Hi) | sms send --sandbox ${to}`]: "Reading the message from standard input",
  "(echo +254712345678; read x < /dev/tty) | sms send -r - -m Hi --dry-run": "Reading standard input: 1 row",
  "(echo +254712345678; read x < /dev/tty) | sms optout import -": "Reading standard input",
  "sms sandbox messages --url http://127.0.0.1:9 --wait-for 3 --timeout 3": "Waiting for messages: 0 of 3, 1 s left",
  [`SMS_API_KEY_CMD="sh -c 'read x; echo sk_test_dev0'" SMS_BASE_URL=$URL ${one} --dry-run`]:
    "Running the key command in SMS_API_KEY_CMD.",
};

describe.concurrent("on a terminal", needs("script", "POSIX shell"), () => {
  it.each(Object.entries(forService))("%s says that it waits for the service", async (line, sees) => {
    const { types, release } = await person();
    const { shown } = await types(line, [{ sees, types: "", meanwhile: release }]);

    expect(shown).toContain(sees);
    expect(shown).not.toContain("\u001b[?25");
    expect(screenOf(shown).join("\n")).not.toMatch(/Sending|Checking|░/);
  });

  it.each(Object.entries(forOthers))("%s says what it waits for", async (line, sees) => {
    const { types } = await person();
    const { shown } = await types(`stty -echo; ${line}`, [{ sees, types: "\r" }]);

    expect(shown).toContain(sees);
    expect(screenOf(shown).join("\n")).not.toMatch(/Reading|Waiting/);
  });

  it("a change of the credentials says that it waits for its turn", async () => {
    const { config, types } = await person();
    const lock = await acquireLock(`${storePath(config)}.lock`, processes);
    if (lock.kind !== "lock") throw new Error("the store is locked");
    const sees = "Waiting to change the stored profiles";
    const { shown } = await types("sms profiles use default", [{ sees, types: "", meanwhile: lock.release }]);

    expect(shown).toContain(sees);
    expect(screenOf(shown)[0]).toBe("Profile default is in use.");
  });

  it("a run says that it waits for its turn to begin", async () => {
    const { state, types, release } = await person();
    mkdirSync(state, { mode: 0o700 });
    const lock = await acquireLock(join(state, "runs.lock"), processes);
    if (lock.kind !== "lock") throw new Error("the runs are locked");
    release();
    const sees = "Beginning the run";
    const line = `echo +254712345678 | SMS_API_KEY=sk_live_1 SMS_BASE_URL=$URL sms send -r - -m Hi --yes`;
    const { code, shown } = await types(line, [{ sees, types: "", meanwhile: lock.release }]);

    expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining(sees) });
    expect(screenOf(shown).join("\n")).not.toContain(sees);
  });

  it("Ctrl-C ends a command that has nothing to finish, and leaves nothing of its wait", async () => {
    const { types } = await person();
    const line = "sms sandbox messages --url http://127.0.0.1:9 --wait-for 3 --timeout 30";
    const { code, shown } = await types(line, [{ sees: "0 of 3", types: "\u0003" }]);

    expect(code).toBe(130);
    expect(screenOf(shown).join("\n")).not.toContain("Waiting");
  });

  it("the first Ctrl-C awaits the answer and says so, the second leaves at once", async () => {
    const { server, types } = await person(() => {});
    const typings = ["Sending", "Press Ctrl-C again"].map((sees) => ({ sees, types: "\u0003" }));
    const { code, shown } = await types(one, typings);
    expect({ code, requests: server.requests.length }).toEqual({ code: 130, requests: 1 });
    const screen = screenOf(shown);

    expect(screen[0]).toBe("Waiting for the answer: the request has begun. Press Ctrl-C again to leave.");
    expect(screen.join("\n")).toMatch(/\n(\^C)?Uncertain: /);
    expect(screen.join("\n")).not.toContain("Sending");
  });

  it("Ctrl-Z stops it with the cursor shown, and fg draws it again", async () => {
    const { types, release } = await person();
    const line = `set -m; ${shellLine(program)} send ${to} --message Hi; echo stopped; fg`;
    const { shown } = await types(line, [
      { sees: "Sending", types: "\u001a" },
      { sees: "stopped", types: "" },
      { sees: "Sending", types: "", meanwhile: release },
    ]);
    const [before = "", again = ""] = shown.split("stopped");

    const sending: unknown = expect.stringContaining("Sending");
    expect({ before, again }).toEqual({ before: sending, again: sending });
    expect(shown).not.toContain("\u001b[?25l");
    expect(screenOf(again).join("\n")).toMatch(/✓ Queued for/);
  });
});
