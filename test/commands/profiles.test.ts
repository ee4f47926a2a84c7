import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import type { Defaults } from "../../src/profiles/stored.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const { sandbox, path, storePath, run, json, login } = withSandbox();

describe("sms profiles and sms logout", () => {
  it("list, use and remove profiles", async () => {
    await login();
    await login("sk_live_sandbox", ["--profile", "shop"]);
    await run(["profiles", "use", "shop"]);
    await run(["profiles", "remove", "default", "--yes"]);
    expect((await json(["profiles", "list"])).value).toEqual([
      { name: "shop", baseUrl: sandbox().url, mode: "live", keys: 1, sender: null, country: null, active: true },
    ]);
  });

  it("remove the credentials and keep the base URL", async () => {
    await login();
    expect((await json(["logout", "--yes"])).value).toEqual({ profile: "default", keysForgotten: 1 });
    expect((await run(["status"])).code).toBe(4);
    expect(readFileSync(storePath(), "utf8")).not.toContain("sk_test");
  });
});

const send = "send --to +254712345678 -m Hi";

/** A value for each default, and what the last of these lines says only with it: without one, this file does not compile. */
const values: Readonly<Record<keyof Defaults, readonly [value: string, says: string, ...lines: string[]]>> = {
  sender: ["ACME", "from ACME", send],
  country: ["KE", "Queued for +254712345678", "send --to 0712345678 -m Hi"],
  rate: ["7", "at 7 a minute", `${send} --run news -n`],
  onlyTo: ["+254712345679", "is not in the only-to of the profile", send],
  hours: ["08:00-20:00", "the hours are 08:00-20:00", send],
  zone: ["Africa/Cairo", "in Africa/Cairo", "profiles set hours 08:00-20:00", send],
  history: ["off", "Nothing is recorded", send, "history"],
  notifyTo: ["+254712345678", "Queued for +254712345678", "notify -m Hi -- true"],
  dailyCredits: ["0", "the daily limit is 0 credits", send],
  lowBalance: ["1000", "the balance is low", send],
  record: ["postgres://a@127.0.0.1:1/b", "127.0.0.1:1", send],
};

describe("sms profiles set", () => {
  const set = (...args: readonly string[]) => json(["profiles", "set", ...args]);

  it.each(Object.entries(values))(
    "has a default that its help names, status shows and a send obeys: %s",
    async (field, [value, says, ...lines]) => {
      const name = field.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
      const machine = { environment: { SMS_HISTORY: undefined }, clock: Date.parse("2026-11-23T00:00:00Z") };
      const lastSaid = async () => {
        let said = "";
        for (const line of lines) {
          const { stdout, stderr } = await run(line.split(" "), machine);
          said = stdout + stderr;
        }
        rmSync(path("state"), { recursive: true, force: true });
        return said;
      };
      const status = async (form: string) => (await run(["status", form], machine)).stdout;
      await login("sk_live_sandbox");
      expect(await lastSaid()).not.toContain(says);
      const [text, facts] = [await status("--no-color"), await status("--json")];
      expect(await run(["profiles", "set", name, value])).toMatchObject({ code: 0 });
      expect(await status("--no-color")).not.toBe(text);
      expect(await status("--json")).not.toBe(facts);
      expect(await lastSaid()).toContain(says);
      expect((await run(["profiles", "set", "--help"])).stdout.split("\n\n")[1]).toMatch(new RegExp(`\\b${name}\\b`));
    },
  );

  it("changes and clears defaults without a new login", async () => {
    await login("sk_test_sandbox", ["--sender", "ACME", "--rate", "300"]);
    const defaults = { sender: "ACME", country: "KE", rate: 300 };
    expect((await set("country", "ke")).value).toEqual({ profile: "default", defaults });
    expect((await set("rate", "starter")).value.defaults.rate).toBe(500);
    expect((await set("rate", "7/min")).value.defaults.rate).toBe(7);
    expect((await set("rate", "--unset")).value.defaults).toEqual({ sender: "ACME", country: "KE" });
    expect((await set("sender", "--unset")).value.defaults).toEqual({ country: "KE" });
    expect((await run(["send", "--to", "0712345678", "-m", "Hi"])).code).toBe(0);
  });

  it.each([
    [["sender", "ACME", "--unset"], "INVALID_OPTION"],
    [["colour", "red"], "INVALID_OPTION"],
    [["country", "Kenya"], "INVALID_COUNTRY"],
    [["rate", "gold"], "INVALID_OPTION"],
    [["sender", "ACME", "--profile", "none"], "UNKNOWN_PROFILE"],
  ])("refuses %j: %s", async (args, errorCode) => {
    await login();
    const before = readFileSync(storePath(), "utf8");
    const { code, value } = await set(...args);
    expect({ code, errorCode: value.errorCode }).toEqual({ code: 2, errorCode });
    expect(readFileSync(storePath(), "utf8")).toBe(before);
  });

  it("is named where another kind of key is expected, by the command that adds one to it", async () => {
    await login("sk_test_sandbox", ["--profile", "shop"]);
    const { code, value } = await json(["send", "--to", "+254712345678", "-m", "Hi", "--expect", "live", "-p", "shop"]);
    expect({ code, hint: value.hint }).toEqual({
      code: 2,
      hint: "`sms keys list --profile shop` shows your keys, and `sms keys add NAME --profile shop` adds one",
    });
  });

  it("says to revoke a key that is given as a setting", async () => {
    await login();

    const { value } = await set("rate", "sk_live_canary");

    expect(value.hint).toContain("revoke this key");
  });
});

describe("the only-to of a profile", () => {
  it("is checked when it is set, and shown as an absolute path until it is cleared", async () => {
    await login("sk_test_sandbox", ["--country", "KE"]);
    const list = join(storePath(), "..", "staff.txt");
    writeFileSync(list, "0712345678\n");
    const set = (value: string) => run(["profiles", "set", "only-to", value]);

    const stderr = expect.stringContaining(`there is no file "${list}.gone" (profiles set only-to)\n`);
    expect(await set(`${list}.gone`)).toMatchObject({ code: 2, stderr });
    expect((await set("+2547, 12")).code).toBe(2);
    expect((await set(relative(".", list))).stdout).toContain(`Set only-to to ${list} `);
    expect((await run(["profiles", "list"])).stdout).toContain(`in use, only to ${list}`);
    expect((await json(["status"])).value.onlyTo).toEqual([{ source: "profile", list }]);
    expect((await run(["status"])).stdout).toContain(`Only to   ${list} (from profile)`);

    rmSync(list);
    await set("--unset");
    expect((await run(["send", "--to", "+254712345679", "-m", "Hi"])).code).toBe(0);
  });
});
