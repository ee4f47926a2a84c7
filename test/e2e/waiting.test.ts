import { mkdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { acquireLock } from "../../src/files/lock.ts";
import { storePath } from "../../src/profiles/read.ts";
import { processes } from "../files/this-process.ts";
import { profile, storeOf, using } from "../profiles/stored.ts";
import { atEnd, ownFolder } from "../support/held.ts";
import { needs } from "../support/needs.ts";
import { screenOf } from "../support/screen.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer, inTurn } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { lineOnTerminal, type Typing } from "../support/terminal.ts";

const to = "--to +254712345678";
const one = `sms send ${to} --message Hi`;
const two = `sms send ${to} --to +254712345679 --message Hi --yes --run r`;

/** Accepts a message, or a key that is checked, after that time. */
function after(ms: number): Script {
  return (socket, request, index) => {
    const script = request.body === "{}" ? answer(400, { error: "to is missing" }) : accept();
    setTimeout(() => script(socket, request, index), ms);
  };
}

/** A person at a terminal who is logged in to a service that answers late. */
async function person(onRequest: Script = after(800)) {
  const server = await startScriptedServer({ onRequest });
  atEnd(server.close);
  const { env } = ownFolder();
  const config = env["SMS_CONFIG_DIR"] ?? "";
  mkdirSync(config, { mode: 0o700 });
  const store = storeOf({ ...profile, baseUrl: server.url, credentials: using("dev") });
  writeFileSync(storePath(config), JSON.stringify(store), { mode: 0o600 });
  const types = (
    line: string,
    typings: readonly Typing[] = [],
    more: Readonly<Record<string, string>> = {},
    columns = 80,
  ) => lineOnTerminal(`sms() { ${shellLine(program)} "$@"; }; ${line}`, { ...env, ...more }, typings, columns);
  return { server, config, types };
}

/** Waits of over half a second, by what is typed: what is shown meanwhile. */
const waits: Readonly<Record<string, RegExp>> = {
  [one]: /Sending to \+254712345678/,
  [two]: /░ 0 of 2/,
  [`(sleep 1.2; echo Hi) | sms send ${to}`]: /Reading the message from standard input/,
  "(echo +254712345678; sleep 1.2) | sms send -r - -m Hi --dry-run": /Reading standard input: 1 row/,
  "echo sk_test_new0 | sms login --base-url $SMS_BASE_URL --with-key": /Checking the key at http/,
  "echo sk_test_new0 | sms keys add new": /Checking the key at http/,
  "echo sk_test_new0 | sms keys rotate dev": /Checking the key at http/,
  "sms keys verify": /Checking the key at http/,
  "sms sandbox messages --url http://127.0.0.1:9 --wait-for 3 --timeout 1": /Waiting for messages: 0 of 3, 1 s left/,
  [`SMS_API_KEY_CMD="sh -c 'sleep 0.8; echo sk_test_dev0'" ${one}`]: /^Running the key command in SMS_API_KEY_CMD\.$/m,
};

describe.concurrent("on a terminal", needs("script", "POSIX shell"), () => {
  it.each(Object.entries(waits))("%s says what it waits for", async (line, sentence) => {
    const { server, types } = await person();
    const { shown } = await types(line, [], { SMS_BASE_URL: server.url });
    expect(shown).toMatch(sentence);
    expect(shown).not.toContain("\u001b[?25");
    const screen = screenOf(shown).join("\n");
    expect(screen).not.toMatch(/Sending|Reading|Checking|Waiting|░/);
  });

  it("a change of the credentials says that it waits for its turn", async () => {
    const { config, types } = await person();
    const lock = await acquireLock(`${storePath(config)}.lock`, processes);
    if (lock.kind !== "lock") throw new Error("the store is locked");
    const ended = types("sms profiles use default");
    await sleep(1_200);
    lock.release();
    const { shown } = await ended;
    expect(shown).toContain("Waiting to change the stored profiles");
    expect(screenOf(shown)).toEqual(["Profile default is in use."]);
  });

  it("a wait before a retry is counted down, and below the bar in a run", async () => {
    const late = inTurn(answer(429, { error: "Slow down" }, { "retry-after": "1" }), accept());
    const [message, run] = await Promise.all([person(late), person(late)]);
    const [single, several] = await Promise.all([message.types(one), run.types(two)]);
    expect(single.shown).toContain("Trying again in 1 s");
    expect(screenOf(single.shown)[0]).toMatch(/^Not sent yet: Slow down; trying again in 1\.\d s$/);
    expect(several.shown).toMatch(/ 0 of 2\u001b\[K\r+\n Waiting 1 s: Slow down/);
    expect(screenOf(several.shown).join("\n")).not.toContain("Waiting");
  });

  it("nothing of it is in a pipe", async () => {
    const { types } = await person();
    const { shown } = await types(`${one} 2>&1 | cat`);
    expect(shown).toMatch(/^✓ Queued/);
  });

  it("the first Ctrl-C awaits the answer and says so, the second leaves at once", async () => {
    const { server, types } = await person(() => {});
    const { code, shown } = await types(one, [
      { sees: "Sending", types: "\u0003" },
      { sees: "Press Ctrl-C again", types: "\u0003" },
    ]);
    expect([code, server.requests.length]).toEqual([130, 1]);
    const screen = screenOf(shown);
    expect(screen[0]).toBe("Waiting for the answer: the request has begun. Press Ctrl-C again to leave.");
    expect(screen.join("\n")).toMatch(/\n(\^C)?Uncertain: /);
    expect(screen.join("\n")).not.toContain("Sending");
  });

  it("Ctrl-Z stops it with the cursor shown, and fg draws it again", async () => {
    const { types } = await person(after(1_800));
    const line = `set -m; ${shellLine(program)} send ${to} --message Hi; echo stopped; fg`;
    const { shown } = await types(line, [{ sees: "Sending", types: "\u001a" }]);
    const [before = "", again = ""] = shown.split("stopped");
    expect([before, again]).toEqual([expect.stringContaining("Sending"), expect.stringContaining("Sending")]);
    expect(shown).not.toContain("\u001b[?25l");
    expect(screenOf(again).join("\n")).toMatch(/✓ Queued for/);
  });

  it("a narrow terminal gets a short line, which is not wrapped", async () => {
    const { types } = await person(after(500));
    const { shown } = await types(`${two} --rate 60`, [], {}, 30);
    const drawn = [...shown.matchAll(/\u001b\[\?7l([^\u001b]*)/g)].map(([, text = ""]) => text);
    expect(drawn.length).toBeGreaterThan(3);
    expect(Math.max(...drawn.map(({ length }) => length))).toBeLessThan(30);
  });
});
