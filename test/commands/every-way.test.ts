import type { GuardName } from "../../src/guards/guard.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { optionsHoldingBack } from "../../src/sending/options.ts";
import { sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { fast } from "./with-runs.ts";

const to = "+254712345678";
const other = "+254733000000";
const noon = Date.parse("2026-11-23T09:00:00Z");
const night = noon + 12 * 3_600_000;

const ways = ["send", "run", "once", "notify", "watch", "resume", "resume as begun"] as const;
type Way = (typeof ways)[number];

/** What holds a message back, or warns of it, in every way of sending. */
interface Rule {
  /** Options of `send`, of `watch` and of `runs resume` if it is a guard; a run keeps them if `isKept`. */
  readonly args?: readonly string[];
  readonly isKept?: true;
  readonly environment?: Readonly<Record<string, string>>;
  readonly to?: string;
  readonly text?: string;
  /** The machine's clock; noon by default. */
  readonly clock?: number;
  /** What is given before. A live key is stored then, with the server as base URL. */
  readonly before?: readonly (readonly string[])[];
  readonly says: string | RegExp;
  /** Whether the message is sent all the same. */
  readonly isWarning?: true;
  /** What is said in a way that is otherwise; `sent` if the rule is not for it. */
  readonly except?: Partial<Readonly<Record<Way, string | RegExp>>>;
}

const noExclude = "unknown option '--exclude'";

interface GuardRule extends Rule {
  /** What a plan says of the guard. */
  readonly plan: string;
}

/** A guard that is missing here is an error of the compiler. */
const guards: Readonly<Record<GuardName, GuardRule>> = {
  onlyTo: { environment: { SMS_ONLY_TO: other }, says: "+254712345678 is not in SMS_ONLY_TO", plan: "only to" },
  optedOut: { before: [["optout", "add", to]], says: "opted out", plan: "without the 1 number" },
  excluded: {
    plan: "without the numbers",
    args: ["--exclude", "list"],
    says: "--exclude is for runs",
    except: { run: "excluded: in list", resume: "--exclude", watch: noExclude, notify: noExclude },
  },
  maxCredits: {
    plan: "nothing",
    args: ["--max-credits", "0"],
    says: "over --max-credits 0",
    except: { watch: "unknown option" },
  },
  hours: {
    plan: "08:00-20:00",
    clock: night,
    before: [["profiles", "set", "hours", "08:00-20:00"]],
    says: "the hours",
  },
  lowBalance: {
    plan: "nothing",
    before: [["profiles", "set", "low-balance", "100"]],
    says: "Warning: the balance is low",
    isWarning: true,
  },
  dailyCredits: {
    plan: "1 credit a day",
    environment: { SMS_DAILY_CREDITS: "1" },
    before: [["send", "--to", other, "-m", "Hi"]],
    says: "SMS_DAILY_CREDITS",
  },
};

const notTemplate = { watch: "sent" };
const elsewhere = { SMS_BASE_URL: "https://sms.example.com" };

const rules: Record<string, Rule> = {
  ...guards,
  "only-to of the profile": {
    before: [["profiles", "set", "only-to", other]],
    says: "is not in the only-to of the profile",
  },
  "only-to by a flag": { args: ["--only-to", other], says: "is not in --only-to" },
  "a list that is gone": { environment: { SMS_ONLY_TO: "/nonexistent/list" }, says: "/nonexistent/list" },
  "hours by a flag": { args: ["--between", "08:00-20:00"], isKept: true, clock: night, says: "the hours" },
  "an expected kind of key": { environment: { SMS_EXPECT: "test" }, says: "SMS_EXPECT" },
  "an expected kind of key that a flag would widen": {
    args: ["--expect", "live"],
    environment: { SMS_EXPECT: "test" },
    says: "SMS_EXPECT",
    except: { resume: "unknown option '--expect'" },
  },
  "a key of another base URL": { environment: elsewhere, says: "https://sms.example.com" },
  "a live key over http": {
    environment: { SMS_BASE_URL: "http://192.0.2.1", SMS_API_KEY: "sk_live_abc" },
    says: "https",
  },
  "unchecked certificates": {
    environment: { ...elsewhere, SMS_API_KEY: "sk_live_abc", NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    says: "NODE_TLS_REJECT_UNAUTHORIZED",
  },
  "a password with unchecked certificates": {
    environment: { ...elsewhere, SMS_EMAIL: "a@b.example", SMS_PASSWORD: "x", NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    says: "NODE_TLS_REJECT_UNAUTHORIZED",
  },
  "an empty key": { environment: { SMS_API_KEY: "" }, says: "SMS_API_KEY is set but empty" },
  "a number that lacks a digit": { to: "+25471234567", says: "lacks a digit" },
  "a date": { to: "2026-11-22", says: "2026-11-22" },
  "a spreadsheet's fraction": { to: "6641234567.0", says: "6641234567.0" },
  "a placeholder": { text: "Hi {{name}}", says: "{{name}}", except: notTemplate },
  "a statement of Jinja": { text: "{% if a %}Hi", says: "another template language", except: notTemplate },
  "a text that is too long": { text: "a".repeat(1601), says: "1,601 characters", except: { watch: "sent" } },
  "a text cut to one segment": {
    args: ["--segments", "1"],
    text: `${"word ".repeat(400)}end`,
    says: "--segments left 1,849 characters out of the text",
    isWarning: true,
    except: { watch: "1 line (1 segment" },
  },
  "a landline": { to: "+254202345678", says: "1 landline may not take texts", isWarning: true },
  "a line break as two characters": { text: "a\\nb", says: "sent as written", isWarning: true, except: notTemplate },
};

for (const option of [...optionsHoldingBack, "--test"].filter((each) => each !== "--only-to")) {
  const name = option.replace("--", "SMS_").replaceAll("-", "_").toUpperCase();
  rules[name] = { args: ["-q"], environment: { [name]: "1" }, says: `${name} is set` };
}

let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer({ onRequest: accept() });
});

function commandLine(way: Way, { args = [], to: number = to, text = "Hi" }: Rule): readonly string[] {
  const resume = ["runs", "resume", "list", "--yes", "--rate", "60000"];
  if (way === "resume") return [...resume, ...args];
  if (way === "resume as begun") return resume;
  if (way === "watch") return ["watch", "--to", number, ...args];
  if (way === "notify") return ["notify", "--to", number, ...args, "-m", text, "--", "true"];
  const line = ["send", "--to", number, ...args, "-m", text];
  if (way === "run") return [...line, "--run", "list", "--yes", ...fast];
  return way === "once" ? [...line, "--once", "key"] : line;
}

/** Sends in that way under a rule. Returns what was said, and how many messages were sent. */
async function sendUnder(rule: Rule, way: Way) {
  const folder = temporaryFolder();
  const run = (args: readonly string[], stdin: string, environment: Rule["environment"], clock = noon) =>
    sms(args, { stdin, clock, environment: { ...foldersIn(folder), ...environment } });
  const list = join(folder, "list");
  writeFileSync(list, `${to}\n`);
  await run(["login", "--base-url", server.url, "--with-key", "--no-verify"], "sk_live_abc\n", {});
  const begin = ["send", "--run", "list", "--to", other, "--to", to, "-m", "Hi", "--yes", ...fast];
  const kept = way === "resume as begun" ? (rule.args ?? []) : [];
  if (way.startsWith("resume")) await run([...begin, ...kept], "", { SMS_DAILY_CREDITS: "1" });
  // A run that has begun has spent what the day has.
  const before = way.startsWith("resume") && rule === guards.dailyCredits ? [] : (rule.before ?? []);
  for (const args of before) expect(await run(args, "", rule.environment)).toMatchObject({ code: 0 });
  const sentBefore = server.requests.length;
  const words = commandLine(way, rule).map((word, index, all) =>
    word === "list" && !["--run", "resume"].includes(all[index - 1] ?? "") ? list : word,
  );
  const { stdout, stderr } = await run(words, `${rule.text ?? "Hi"}\n`, rule.environment, rule.clock);
  return { said: stdout + stderr, sent: server.requests.length - sentBefore };
}

it.each(Object.entries(guards))("a plan says what %s allows", needs("POSIX shell"), async (_, rule) => {
  const { said } = await sendUnder({ ...rule, to: other, args: [...(rule.args ?? []), "--dry-run"] }, "run");
  expect(/^ +Guard +(.*)/m.exec(said)?.[1] ?? "nothing").toContain(rule.plan);
});

describe.each(ways)("%s", needs("POSIX shell"), (way) => {
  it("sends without a rule", async () => {
    expect(await sendUnder({ says: "" }, way)).toMatchObject({ sent: 1 });
  });

  const asked = Object.entries(rules).filter(([, { to: number, text, isKept }]) => {
    if (way === "resume as begun") return isKept;
    return way !== "resume" || (number ?? text) === undefined;
  });
  it.each(asked)("asks %s", async (_, rule) => {
    const { said, sent } = await sendUnder(rule, way);
    const says = rule.except?.[way] ?? rule.says;
    const isAsked = says !== "sent";
    expect(said).toMatch(isAsked ? says : "");
    expect(sent).toBe(isAsked && !rule.isWarning ? 0 : 1);
  });
});
