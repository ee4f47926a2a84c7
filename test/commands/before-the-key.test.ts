import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { expect, describe, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { needs } from "../support/needs.ts";
import { withSandbox } from "../support/with-sandbox.ts";
import { fast } from "./with-runs.ts";

const { sandbox, file, path, run } = withSandbox({ isOwn: true });
const to = "+254712345678";
const other = "+254733000000";

interface Message {
  readonly to?: string;
  readonly text?: string;
}

type CommandLine = (message: Message) => readonly string[];

const listOf = (number = to) => file("list.csv", `to,name\n${other},Jane\n${number},Asha\n`);

const one =
  (...more: readonly string[]): CommandLine =>
  ({ to: number = to, text = "Hi" }) => ["send", "--to", number, "-m", text, ...more];
const ofList =
  (...more: readonly string[]): CommandLine =>
  ({ to: number, text = "Hi" }) => ["send", "-r", listOf(number), "-m", text, ...more];

/** Every way of sending, with one message that cannot be sent. */
const ways: Readonly<Record<string, CommandLine>> = {
  "one message": one(),
  "one message under a key": one("--once", "a"),
  "a dry run": one("-n"),
  notify: ({ to: number = to, text = "Hi" }) => ["notify", "--to", number, "-m", text, "--", "true"],
  watch: ({ to: number = to, text = "Hi" }) => ["watch", "--to", number, "-m", text],
  "a run of typed numbers": ({ to: number = to, text = "Hi" }) => ["send", "--to", other, "--to", number, "-m", text],
  "a run of a list": ofList("--yes"),
  "a run with a name": ofList("--yes", "--run", "a"),
  "a run that looks for repeats": ofList("--yes", "--repeated", "skip"),
  "a dry run of a list": ofList("-n"),
  "a rehearsal": ofList("--redirect-to", other),
  "a rehearsal on a wrong number": ({ to: number = other, text }) => ofList("--redirect-to", number)({ text }),
};

interface Fault extends Message {
  readonly environment?: Readonly<Record<string, string>>;
  readonly before?: readonly string[];
  readonly says: string;
  /** In these ways something else is said, or the row is left out. */
  readonly notIn?: RegExp;
}

const faults: Readonly<Record<string, Fault>> = {
  "a number that lacks a digit": { to: "+25471234567", says: "lacks a digit" },
  "a number outside --only-to": {
    environment: { SMS_ONLY_TO: other },
    says: `${to} is not in SMS_ONLY_TO`,
    notIn: /under a key|rehearsal/,
  },
  "a list that cannot be read": { environment: { SMS_ONLY_TO: "/nonexistent/list" }, says: "/nonexistent/list" },
  "an opted-out number": { before: ["optout", "add", to], says: "has opted out", notIn: /under a key|run|rehearsal/ },
  "a text that is too long": { text: "a".repeat(1601), says: "", notIn: /rehearsal on/ },
  "a text that the mark of a rehearsal makes too long": {
    text: "a".repeat(1595),
    says: "the limit is 1,600",
    notIn: /^(?!a rehearsal$)/,
  },
  "a field that nobody has": { text: "Hi {{nmae}}", says: "nmae" },
};

const wrongOptions = {
  "hours that are none": { args: ["--between", "25:00-26:00"], says: "25:00-26:00" },
  "a list that is not there": { args: ["--only-to", "/nonexistent/list"], says: "/nonexistent/list" },
  "a limit of a day that is none": { environment: { SMS_DAILY_CREDITS: "2.5" }, says: "SMS_DAILY_CREDITS" },
  "an empty limit of a day": { environment: { SMS_DAILY_CREDITS: "" }, says: "SMS_DAILY_CREDITS" },
  "a kind of key that is none": { environment: { SMS_EXPECT: "a" }, says: "SMS_EXPECT" },
  "a setting of the history that is none": { environment: { SMS_HISTORY: "a" }, says: "SMS_HISTORY" },
  "a record that is none": { environment: { SMS_RECORD: "a" }, says: "the address of the record" },
  "a sender that is none": { environment: { SMS_SENDER: "sk_live_abcdefgh12345678" }, says: "sender" },
  "a country that is none": { environment: { SMS_COUNTRY: "a" }, says: "SMS_COUNTRY" },
} as const;

const cases = Object.entries(ways).flatMap(([way, line]) =>
  Object.entries(faults).flatMap(([name, fault]) => (fault.notIn?.test(way) ? [] : [{ way, line, name, ...fault }])),
);

const marker = () => path("asked");
const withKeyCommand = () => ({ SMS_BASE_URL: sandbox().url, SMS_API_KEY_CMD: `echo >'${marker()}' asked; exit 1` });
const systemPath = { PATH: process.env["PATH"] ?? "" };

/** The exit code, and what was said. */
async function said(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await run(args, { environment: { ...systemPath, ...environment } });
  return { code, said: stdout + stderr, isAsked: existsSync(marker()) };
}

describe("what cannot be sent is said before anybody is asked for a key", needs("POSIX shell"), () => {
  it.each(cases)("by $way: $name", async ({ line, before, environment, says, ...message }) => {
    if (before !== undefined) await run(before);
    const refused = { code: 2, said: expect.stringContaining(says) as unknown, isAsked: false };
    expect(await said(line(message), { ...environment, ...withKeyCommand() })).toMatchObject(refused);
    const isTemplate = message.text === undefined;
    expect(
      await said(line(message), { ...environment, ...(isTemplate ? {} : { SMS_BASE_URL: sandbox().url }) }),
    ).toMatchObject(refused);
  });

  it.each(
    Object.entries(ways).flatMap(([way, line]) =>
      Object.entries(wrongOptions).map(([name, wrong]) => ({ way, line, name, ...wrong })),
    ),
  )("by $way: $name", async ({ line, says, ...wrong }) => {
    const [command = "", ...words] = line({});
    const args = "args" in wrong ? wrong.args : [];
    const environment = "environment" in wrong ? wrong.environment : {};
    const refused = { code: 2, said: expect.stringContaining(says) as unknown, isAsked: false };
    expect(await said([command, ...args, ...words], { ...withKeyCommand(), ...environment })).toMatchObject(refused);
  });

  it.each(Object.entries(ways).filter(([way]) => !way.includes("dry run")))("and then %s asks", async (_, line) => {
    expect(await said(line({}), withKeyCommand())).toMatchObject({ code: 4, isAsked: true });
    expect(await said(line({}), {})).toMatchObject({ code: 4 });
  });

  it("by a resume: a number outside --only-to, and a name that no run has", async () => {
    const live = { SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_live_sandbox", SMS_DAILY_CREDITS: "1" };
    const begun = await said(["send", "--run", "a", "--to", other, "--to", to, "-m", "Hi", "--yes", ...fast], live);
    expect(begun).toMatchObject({ code: 12 });
    const outside = { ...withKeyCommand(), SMS_ONLY_TO: other };
    const notListed = {
      code: 2,
      said: expect.stringContaining(`${to} is not in SMS_ONLY_TO`) as unknown,
      isAsked: false,
    };
    expect(await said(["runs", "resume", "a"], outside)).toMatchObject(notListed);
    expect(await said(["runs", "resume", "a"], { SMS_ONLY_TO: other })).toMatchObject(notListed);
    const unknown = { code: 2, said: expect.stringContaining("there is no run") as unknown, isAsked: false };
    expect(await said(["runs", "resume", "b"], withKeyCommand())).toMatchObject(unknown);
  });
});

it("a dry run of a watch needs no login, and says so", async () => {
  const { code, stdout, stderr } = await run(["watch", "-n", "--to", to, "--json"], { stdin: "disk full\n" });
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, to, text: "disk full", mode: null });
  expect(stderr).toBe("");
  const { stderr: shown } = await run(["watch", "-n", "--to", to], { stdin: "disk full\n" });
  expect(shown).toContain("mode and key are not known (not logged in)");
});

describe("no database is reached for a number or a text that cannot be sent", () => {
  // The opt-outs decide which messages are rehearsed.
  const ofText = cases.filter(({ name, before }) => before === undefined && !/list|rehearsal/.test(name));

  /** What was said beside a database that breaks off each connection, and how many there were. */
  async function besideDatabase(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    let connections = 0;
    const port = await freePort();
    const database = createServer((socket) => void (connections++, socket.destroy())).listen(port, "127.0.0.1");
    const record = { SMS_RECORD: `postgres://sms@127.0.0.1:${port}/sms?sslmode=disable` };
    const { code, said: text } = await said(args, { ...environment, ...record });
    database.close();
    return { code, text, connections };
  }

  it.each(ofText)("by $way: $name", async ({ line, environment, says, ...message }) => {
    const unreached = { code: 2, text: expect.stringContaining(says) as unknown, connections: 0 };
    expect(await besideDatabase(line(message), environment)).toEqual(unreached);
  });

  it.each(Object.entries(ways).filter(([way]) => !way.includes("under a key")))("and then %s does", async (_, line) => {
    const { text, connections } = await besideDatabase(line({}));
    expect(text).toContain("the connection broke");
    expect(connections).toBeGreaterThan(0);
  });
});
