import { execFileSync } from "node:child_process";
import type { GuardName, RowGuardName } from "../../src/guards/guard.ts";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { onceFiles } from "../support/once-files.ts";
import { to, withHistory } from "../record/with-history.ts";
import { foldersIn } from "../support/folders.ts";
import { sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer, inTurn } from "../support/scripts.ts";
import { until } from "../support/until.ts";

const { path, run } = withHistory();

const firstOptOut = "the number is the first to opt out";

/** Commands in the state folder change the opt-outs of one message. */
const changes: readonly (readonly [what: string, commands: string, errorCode: string])[] = [
  ["the list is gone", "rm optout/numbers", "UNUSABLE_OPT_OUTS"],
  ["the folder of the list is gone", "rm -r optout", "UNUSABLE_OPT_OUTS"],
  ["the list is damaged", "echo '{}' > optout/numbers", "UNUSABLE_OPT_OUTS"],
  ["the list is replaced by a link", "mv optout/numbers n; ln -s ../n optout/numbers", "INSECURE_STATE"],
  ["the number opts out", "mv ../with/optout/numbers optout/numbers", "OPTED_OUT"],
  [firstOptOut, "mv ../with/optout optout", "OPTED_OUT"],
];

describe("one message whose opt-outs change", needs("POSIX shell", "user ids"), () => {
  async function sendTo(onRequest: Script, args: readonly string[], key: object, command = "send") {
    const server = await startScriptedServer({ onRequest });
    const environment = { ...foldersIn(path()), SMS_BASE_URL: server.url, ...key };
    const { code, stderr } = await sms([command, "--to", to, "--json", ...args], { environment });
    return [code, JSON.parse(stderr).errorCode, server.requests.length];
  }
  const testKey = { SMS_API_KEY: "sk_test_abc" };

  /** Sends one message; the script runs at that moment. Returns how the command ended, and how many requests there were. */
  type Sending = (script: string, ...more: readonly string[]) => Promise<readonly unknown[]>;
  const moments: Readonly<Record<string, Sending>> = {
    "between check and request": (script, ...more) =>
      sendTo(accept(), ["-m", "Hi", ...more], { SMS_API_KEY_CMD: `/bin/sh "${script}"`, PATH: "/bin:/usr/bin" }),
    "in the pause after a 429": (script, ...more) => {
      const first: Script = (...request) => {
        execFileSync("sh", [script]);
        answer(429, {}, { "retry-after": "0" })(...request);
      };
      return sendTo(inTurn(first, accept()), ["-m", "Hi", ...more], testKey);
    },
    "while the command of notify runs": (script, ...more) =>
      sendTo(accept(), [...more, "--", "sh", script], testKey, "notify"),
  };

  const cases = Object.keys(moments).flatMap((moment) => changes.map((change) => [moment, ...change] as const));

  it.each(cases)("is not sent if %s %s", async (moment, what, change, errorCode) => {
    for (const name of ["with", "state"]) {
      mkdirSync(path(name), { mode: 0o700 });
      await run(["optout", "add", name === "with" ? to : "+254733000000"], {
        environment: { SMS_STATE_DIR: path(name) },
      });
    }
    if (what === firstOptOut) rmSync(path("state", "optout"), { recursive: true });
    const script = path("change.sh");
    writeFileSync(script, `cd "${path("state")}"\n${change}\necho sk_test_abc\n`);
    const expected = [moment.includes("command") ? 0 : 2, errorCode, moment.includes("429") ? 1 : 0];
    const once = what === "the list is gone" ? ["--once", "a"] : [];
    expect(await moments[moment]?.(script, ...once)).toEqual(expected);
    // No key is used up.
    expect(onceFiles(path("state"))).toEqual([]);
  });
});

describe("a watch that opens its credentials anew, as its key was refused", needs("POSIX shell"), () => {
  type OfProfile = Exclude<GuardName, RowGuardName | "maxCredits">;
  /** The guards of sends that a profile has; those of lists are opened once. */
  const settings: Readonly<Record<OfProfile, { value: string; says: string; sent: number }>> = {
    hours: { value: "01:00-02:00", says: "the hours are 01:00-02:00 in Africa/Nairobi", sent: 1 },
    lowBalance: { value: "100", says: "the balance is low", sent: 2 },
    dailyCredits: { value: "0", says: "the daily limit is 0 credits", sent: 1 },
  };

  it.each(Object.entries(settings))("has %s as the profile has it then", async (guard, { value, says, sent }) => {
    const server = await startScriptedServer({ onRequest: inTurn(answer(401, {}), accept()) });
    const environment = foldersIn(path());
    const clock = Date.parse("2026-11-23T09:00:00Z");
    const login = ["login", "--base-url", server.url, "--with-key", "--no-verify"];
    await sms(login, { environment, stdin: "sk_live_abc\n" });
    async function* input() {
      yield Buffer.from("ERROR disk\n");
      await until(() => server.requests.length === 1);
      const name = guard.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
      expect(await sms(["profiles", "set", name, value], { environment })).toMatchObject({ code: 0 });
    }

    const { stdout, stderr } = await sms(["watch", "--to", to], { environment, clock, stdin: input() });

    expect({ said: stdout + stderr, sent: server.requests.length }).toEqual({
      said: expect.stringContaining(says),
      sent,
    });
  });
});
