import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import * as inProcess from "../support/machine.ts";
import { runAgainst, testKey } from "../support/scripted-run.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { runSms } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";

const list = ["send", "--to", "+254712345678", "--to", "+254712345679", "-m", "A private matter", "--run", "topup"];
const yes = ["--yes", "--rate", "60000"];
const one = ["send", "--to", "+254712345678", "-m", "A private matter"];
const secret = "what only root may change\n";

let shared: string;
let state: string;
let own: string;

beforeEach(() => {
  // Not below the folder of this suite, which is ours alone.
  shared = mkdtempSync("/tmp/sms-shared-");
  chmodSync(shared, 0o1777);
  state = join(shared, "sms");
  own = join(temporaryFolder(), "own.txt");
  writeFileSync(own, secret, { mode: 0o600 });
});

afterEach(() => rmSync(shared, { recursive: true }));

/** Runs `sms` in this process as ourselves, with the state folder in a folder that everybody may write to. */
async function sms(args: readonly string[]) {
  const server = await startScriptedServer({ onRequest: accept() });
  const environment = { ...testKey, SMS_BASE_URL: server.url, SMS_STATE_DIR: state };
  return { ended: await inProcess.sms(args, { environment }), requests: server.requests };
}

/** The same as a program, whose files get the modes of a process of its own. */
function program(args: readonly string[]) {
  return runAgainst({ onRequest: accept() }, args, { env: { ...testKey, SMS_STATE_DIR: state }, run: runSms });
}

function asAnother(line: string): string {
  const other = ["--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", line];
  const env = { PATH: process.env["PATH"], S: state, OWN: own, OURS: join(own, "..") };
  return execFileSync("setpriv", other, { encoding: "utf8", env });
}

/** What the other user finds below the shared folder. */
const seen = () => asAnother(`grep -r . "$S" 2>/dev/null || true`);

describe("on a shared machine, another user who", needs("root", "setpriv"), () => {
  test.each([
    ["makes the state folder first", 'mkdir -m 777 "$S"'],
    ["makes the folder of runs first", 'mkdir -m 777 "$S" "$S"/runs'],
    ["makes the folder of the run first", 'mkdir -m 777 "$S" "$S"/runs "$S"/runs/topup'],
    ["links the state folder to ours", 'ln -s "$OURS" "$S"'],
    [
      "plants links to our files",
      'mkdir -m 777 -p "$S"/runs/topup; ln -s "$OWN" "$S"/runs/topup/journal.ndjson; ln -s "$OWN" "$S"/runs/topup/plan.ndjson',
    ],
    ["plants a pipe", 'mkdir -m 777 -p "$S"/runs/topup; mkfifo -m 666 "$S"/runs/topup/run.json'],
  ])("%s reads and changes nothing: exit 2, and no advice to take it over", async (_, line) => {
    asAnother(line);
    const looks = ["show", "export"].map((verb) => ["runs", verb, "topup"]);
    for (const args of [[...list, ...yes], ["runs", "list"], ...looks]) {
      const { ended, requests } = await sms(args);
      expect({ code: ended.code, requests: requests.length }).toEqual({ code: 2, requests: 0 });
      expect(ended.stderr).toMatch(/refused to use the state folder: .*SMS_STATE_DIR/s);
      expect(ended.stderr).not.toMatch(/chown|chmod/);
    }

    expect(seen()).not.toMatch(/2547|private/);
    expect(readFileSync(own, "utf8")).toBe(secret);
    expect(readdirSync(join(own, ".."))).toEqual(["own.txt"]);
  });

  test.each([
    ["makes the state folder first", 'mkdir -m 777 "$S" "$S"/payers'],
    ["plants a link for the balance", 'mkdir -m 777 "$S"; ln -s "$OURS" "$S"/payers'],
  ])("%s does not stop a message, and gets no balance and no history", async (_, line) => {
    asAnother(line);
    const { ended, requests } = await sms(one);
    const warning = `Warning: this message is not in the history: refused to use the state folder: ${state} belongs to another user\n`;

    expect(ended).toMatchObject({ code: 0, stderr: warning });
    expect(requests).toHaveLength(1);
    expect(readdirSync(state)).toEqual(["payers"]);
    expect(readdirSync(join(state, "payers"))).toHaveLength(line.includes("ln") ? 1 : 0);
    expect(readdirSync(join(own, ".."))).toEqual(["own.txt"]);
  });

  test("finds nothing to read beside a run of ours", async () => {
    expect((await program([...list, ...yes])).ended.code).toBe(0);
    expect((await program(one)).ended.code).toBe(0);
    expect(seen()).toBe("");
  });
});

describe("a state folder of our own", needs("user ids"), () => {
  test.each(["", "runs", "runs/topup"])("that is too open at %j gets the command that closes it", async (within) => {
    await sms([...list, ...yes]);
    chmodSync(join(state, within), 0o755);
    const { ended } = await sms(["runs", "show", "topup"]);

    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(new RegExp(`chmod 700 ${join(state, within)}\`$`, "m"));
  });

  test.each(["run.json", "plan.ndjson", "journal.ndjson"])("with a link or a pipe as %s is refused", async (name) => {
    await sms([...list, ...yes]);
    const path = join(state, "runs", "topup", name);
    const pipe = (_: string, to: string) => execFileSync("mkfifo", [to]);
    for (const plant of [symlinkSync, linkSync, pipe, (_: string, to: string) => mkdirSync(to)]) {
      rmSync(path, { recursive: true });
      plant(own, path);
      for (const words of ["runs show topup", "runs resume topup --yes"]) {
        const { ended, requests } = await sms(words.split(" "));
        expect({ code: ended.code, requests: requests.length }).toEqual({ code: 2, requests: 0 });
        expect(ended.stderr).toContain(`refused to use the state folder: ${path} `);
      }
    }

    expect(readFileSync(own, "utf8")).toBe(secret);
  });
});
