import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runBuilt } from "../support/built.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { lastJson, startSms } from "../support/sms.ts";
import { needs } from "../support/needs.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { onTerminal } from "../support/terminal.ts";
import { trials } from "../support/trials.ts";

let server: ScriptedServer;
let script: Script;
let folder: string;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  script = accept();
  server = await startScriptedServer({
    // Refuses the check of a key, which has no recipient.
    onRequest: (socket, request, index) =>
      (request.body === "{}" ? answer(400, { error: "no recipient" }) : script)(socket, request, index),
  });
  folder = temporaryFolder();
  env = { ...foldersIn(folder), SMS_BASE_URL: server.url, SMS_API_KEY: "sk_live_same" };
});

const sent = () => server.requests.filter(({ body }) => body !== "{}").map(({ body }) => JSON.parse(body).to as string);
const twice = () => sent().length - new Set(sent()).size;

function args(count = 40, rate = "600"): readonly string[] {
  const path = join(folder, "list.txt");
  writeFileSync(path, Array.from({ length: count }, (_, index) => `+2547123450${10 + index}`).join("\n"));
  return ["send", "-r", path, "-m", "Hi", "--rate", rate];
}

/** Begins the run and kills it as soon as that many messages are sent. */
async function begunAndKilled(count: number): Promise<string> {
  const { child, ended } = startSms([...args(40, "15000"), "--yes"], { env });
  while (child.exitCode === null && sent().length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  child.kill("SIGKILL");
  await ended;
  const runs = join(folder, "state", "runs");
  return existsSync(runs) ? (readdirSync(runs)[0] ?? "") : "";
}

describe("a run killed at any moment", () => {
  it.each([15, 40, 0, 35].slice(0, trials("MOMENTS", 2, 4)))(
    "and given again texts nobody twice, and misses nobody once it is resumed: after %d",
    async (count) => {
      const name = await begunAndKilled(count);
      const again = await runBuilt([...args(40, "60000"), "--yes", "--repeated", "skip", "--json"], { env });
      const resumed = name === "" ? again : await runBuilt(["runs", "resume", name, "--yes", "--json"], { env });
      expect([again.code, resumed.code].every((code) => code === 0 || code === 11)).toBe(true);
      // The program counts as uncertain whom the killed one may have reached.
      const { uncertain, pending } = lastJson(resumed.stdout);

      expect({ pending, twice: twice() }).toEqual({ pending: 0, twice: 0 });
      expect(new Set(sent()).size).toBeGreaterThanOrEqual(40 - uncertain);
    },
  );
});

describe("a list of which some had the text, at a terminal", () => {
  it("goes to the others after yes, to a question that is not answered by --yes", needs("script"), async () => {
    expect((await runBuilt([...args(2, "60000"), "--yes"], { env })).code).toBe(0);
    const [name] = readdirSync(join(folder, "state", "runs"));
    const asked = { sees: "Send to the other 1?", types: "n\r" };
    const no = await onTerminal(args(3, "60000"), env, [asked]);
    expect(no).toMatchObject({ code: 2, shown: expect.stringContaining("Cancelled; nothing was sent.") });
    expect(no.shown).toContain(`2 of 3 had this text from run ${name}, just now`);
    expect(no.shown).toContain("1 of 3 messages, to a real phone");
    expect((await onTerminal(args(3, "60000"), env, [{ ...asked, types: "y\r" }])).code).toBe(0);
    expect(sent()).toHaveLength(3);
    const told = await onTerminal([...args(3, "60000"), "--yes"], env);
    expect(told).toMatchObject({ code: 2, shown: expect.stringContaining("3 of 3 had this text from run") });
    const all = { sees: "Send to all of them again?", types: "y\r" };

    expect((await onTerminal(args(3, "60000"), env, [all])).code).toBe(0);
    expect(sent()).toHaveLength(6);
  });
});

describe("a text that somebody agrees to send again, at a terminal", () => {
  it("is not sent a third time if another command has sent it while they were asked", needs("script"), async () => {
    expect((await runBuilt([...args(2, "60000"), "--yes"], { env })).code).toBe(0);
    const meanwhile = () => runBuilt([...args(2, "60000"), "--yes", "--repeated", "send"], { env });
    const asked = { sees: "Send to all of them again?", types: "y\r", meanwhile };

    expect((await onTerminal(args(2, "60000"), env, [asked])).code).toBe(2);
    expect(sent()).toHaveLength(4);
  });

  it("is sent again to everybody, also by a resume after the credits ran out", needs("script"), async () => {
    await runBuilt([...args(2, "60000"), "--yes"], { env });
    script = answer(402, { error: "No credits", errorCode: "INSUFFICIENT_CREDITS" });
    const all = { sees: "Send to all of them again?", types: "y\r" };
    const begun = await onTerminal([...args(2, "60000"), "--run", "again"], env, [all]);
    script = accept();

    const { code, stdout } = await runBuilt(["runs", "resume", "again", "--yes", "--json"], { env });

    expect(begun.code).toBe(5);
    expect({ code, summary: lastJson(stdout) }).toMatchObject({ code: 0, summary: { accepted: 2 } });
  });
});
