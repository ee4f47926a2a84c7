import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { account, forms, key, token } from "../support/canary.ts";
import { sms } from "../support/machine.ts";
import { runAgainst } from "../support/scripted-run.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";

/** What must appear nowhere, whatever form it has: each form, and the ends of the secret. */
const traces = [account.SMS_PASSWORD, key, token].flatMap((secret) =>
  Object.values(forms).map((form) => form(secret).slice(4, -4)),
);

/** Everything that is in the files of a folder. */
function contents(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return files.map((path) => (statSync(path).isFile() ? readFileSync(path, "latin1") : "")).join("\n");
}

describe.concurrent("what a service echoes", () => {
  const secrets: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ["a key", key, { SMS_API_KEY: key }],
    ["a password", account.SMS_PASSWORD, account],
    ["a Basic token", token, account],
  ];
  test.each(secrets)("of %s, written in any form, is in no output, file or export", async (_name, secret, env) => {
    const state = mkdtempSync(join(tmpdir(), "sms-echo-"));
    const echoes = Object.values(forms).map((form) => form(secret));
    // Each form comes in an error, and then in a receipt.
    const script: Script = (socket, request, index) => {
      const echo = echoes[Math.floor(index / 2)];
      const text = `wrong: ${echo}, twice: ${echo}`;
      const reply =
        index % 2 === 0
          ? answer(400, { error: text, errorCode: echo })
          : accept({ messageId: text, senderId: echo, status: echo });
      reply(socket, request, index);
    };
    const to = echoes.flatMap((_, index) => ["--to", `+25471234${500 + index}0`, "--to", `+25471234${500 + index}1`]);
    const send = ["send", ...to, "-m", "Hi", "--run", "topup", "--yes", "--rate", "60000"];
    try {
      const shown: string[] = [];
      const { ended, requests } = await runAgainst({ onRequest: script }, [...send, "--json", "--verbose"], {
        env: { ...env, SMS_STATE_DIR: state },
      });
      expect([ended.code, requests.length]).toEqual([11, 2 * echoes.length]);
      shown.push(ended.stdout, ended.stderr, contents(state));
      for (const args of [
        ["show", "topup"],
        ["show", "topup", "--json"],
        ["export", "topup"],
        ["export", "topup", "--format", "ndjson"],
        ["list"],
      ]) {
        // Without credentials, so that nothing is left to be redacted by them.
        const later = await sms(["runs", ...args], { environment: { SMS_STATE_DIR: state } });
        expect(later.code).toBe(0);
        shown.push(later.stdout, later.stderr);
      }
      const all = shown.join("\n");
      const lines = ended.stdout.trim().split("\n").slice(0, -1);
      expect(lines.filter((line) => !line.includes("[redacted]"))).toEqual([]);
      expect(lines).toHaveLength(2 * echoes.length);
      expect(all).not.toContain("canary");
      expect(traces.filter((trace) => all.includes(trace))).toEqual([]);
    } finally {
      rmSync(state, { recursive: true });
    }
  });
});
