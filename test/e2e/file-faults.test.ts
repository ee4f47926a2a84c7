import { appendFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endings } from "../../src/errors.ts";
import { failing, type FileCall, fileCalls } from "../support/file-calls.ts";
import { copyPrivate, foldersIn, temporaryFolder } from "../support/folders.ts";
import { sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { seed } from "../support/seed.ts";
import type { Ended } from "../support/sms.ts";
import { trials } from "../support/trials.ts";

/** How many calls of each command fail; FAULTS=1000 lets each of them fail, which takes a quarter of an hour. */
const faultCount = trials("FAULTS", 1, 2);
/** FAULT=ENOSPC fills the disk instead; EACCES and EMFILE are worth it too. */
const fault = process.env["FAULT"];

const root = temporaryFolder();
type Words = readonly string[];

/** A command whose calls on files fail, one in each trial. */
interface Trial {
  readonly name: string;
  readonly before?: readonly Words[];
  readonly credits?: number;
  readonly args: Words;
  /** Who gets a message of the command, or of the same command given again. */
  readonly to?: Words;
  /** What is the same whatever failed, once the command was given again. */
  readonly keeps?: Words;
}

const number = (digit: number) => `+25471234567${digit}`;
const four = [1, 2, 3, 4].map(number);
const text = ["--message", "Hi", "--json"];
const single = ["send", "--to", number(1), ...text];
const toFour = ["send", ...four.flatMap((to) => ["--to", to]), "--run", "four", ...text];
const rehearsal = [...toFour, "--redirect-to", number(7)];
const spend = ["spend", "--json"];

const commands: readonly Trial[] = [
  { name: "send", args: single, to: [number(1)] },
  { name: "send --once", args: [...single, "--once", "a"], to: [number(1)] },
  { name: "a run", args: toFour, to: four },
  { name: "runs resume", before: [toFour], credits: 2, args: ["runs", "resume", "four", "--json"], to: four.slice(2) },
  { name: "optout add", args: ["optout", "add", number(1), "--json"], keeps: ["optout", "list", "--quiet"] },
  { name: "history --prune", before: [single], args: ["history", "--prune", "30d", "--json"], keeps: spend },
  { name: "runs remove", before: [single, toFour], args: ["runs", "remove", "four", "--yes", "--json"], keeps: spend },
  { name: "a rehearsal again", before: [rehearsal], args: rehearsal },
  ...[["history", "--json"], spend, ["runs", "show", "four"], ["runs", "export", "four"], ["status", "--check"]].map(
    (args) => ({ name: args.join(" "), before: [single, toFour], args }),
  ),
  ...[
    ["logout", "--yes"],
    ["keys", "rename", "default", "other"],
    ["profiles", "set", "country", "KE"],
  ].map((args) => ({ name: args.join(" "), args })),
];

describe("a call on a file that fails", needs("strace", "CI to be set"), () => {
  it.concurrent.each(commands)(
    "in $name neither texts anybody twice, nor misses anybody, nor is a fault of sms",
    { timeout: 60_000 * faultCount },
    async (trial) => {
      expect(await problemsOf(trial)).toEqual([]);
    },
  );
});

/** A service that has so many credits, and counts who was texted. */
async function startService(creditsBefore: number) {
  const posts = new Map<string, number>();
  let credits = creditsBefore;
  const { url } = await startScriptedServer({
    onRequest: (...request) => {
      if (credits-- <= 0)
        return answer(402, { error: "Insufficient SMS credits", errorCode: "INSUFFICIENT_CREDITS" })(...request);
      const { to } = JSON.parse(request[1].body) as { to?: string };
      posts.set(String(to), (posts.get(String(to)) ?? 0) + 1);
      accept()(...request);
    },
  });
  return { url, posts, topUp: () => (credits = Infinity) };
}

async function problemsOf(trial: Trial): Promise<readonly string[]> {
  const { name, before = [], credits = Infinity, args, to = [], keeps = [] } = trial;
  const { url, posts, topUp } = await startService(credits);
  const place = name.replaceAll(/\W/g, "-");
  const [folder, template] = [join(root, `at-${place}`), join(root, `${place}-before`)];
  // The folder of the state is made with its parent.
  const environment = { HOME: folder, ...foldersIn(folder), SMS_STATE_DIR: join(folder, "made", "state") };
  const run = (words: Words, stdin = "") => sms(words, { environment, stdin });
  const look = async () => (keeps.length === 0 ? "" : (await run(keeps)).stdout);
  mkdirSync(folder, { mode: 0o700 });
  await run(["login", "--with-key", "--no-verify", "--base-url", url], "sk_test_faults");
  for (const words of before) await run(words);
  topUp();
  if (name.includes("prune")) addOldLine(environment.SMS_STATE_DIR);
  copyPrivate(folder, template);
  const command = { args, env: environment, log: join(root, `${place}.log`) };
  const calls = await fileCalls(command, folder);
  const view = await look();

  const problems: string[] = [];
  for (const call of drawn(calls)) {
    rmSync(folder, { recursive: true });
    copyPrivate(template, folder);
    posts.clear();
    const first = await failing(command, call, fault);
    // A number that is counted for each thread may meet another file as well.
    if (first.failed.length === 0 || !first.failed.every((line) => line.includes(`/at-${place}`))) continue;
    const texted = new Map(posts);
    const isDone = to.length > 0 && first.code === 0 && !args.some((word) => ["--once", "--run"].includes(word));
    const again = isDone ? first : await run(args);
    const words = [
      ...wordsOf(first),
      ...to.flatMap((person) => reachedOf(person, first, again, texted, posts)),
      ...((await look()) === view ? [] : [`${keeps.join(" ")} differs`]),
    ];
    const where = `${call.name} ${call.path.replace(folder, "")} (${call.number})`;
    if (words.length > 0)
      problems.push(`${where}: ${words.join(", ")}: ${first.code} ${first.stderr} ${again.code} ${again.stderr}`);
  }
  return problems;
}

/** Adds a line of another month, which is pruned, to the file of this month. */
function addOldLine(state: string): void {
  const folder = join(state, "history");
  for (const name of readdirSync(folder)) appendFileSync(join(folder, name), '{"at":"2025-01-02T00:00:00.000Z"}\n');
}

function drawn(calls: readonly FileCall[]): readonly FileCall[] {
  if (faultCount >= calls.length) return calls;
  const step = Math.floor(calls.length / faultCount);
  return Array.from({ length: faultCount }, (_, index) => calls[(seed + index * step) % calls.length]).filter(
    (call) => call !== undefined,
  );
}

/** What is wrong with how a command ended, whatever failed. */
function wordsOf({ code, stdout, stderr }: Pick<Ended, "code" | "stdout" | "stderr">): readonly string[] {
  const codes: readonly unknown[] = Object.values(endings).map(({ exitCode }) => exitCode);
  return [
    ...(codes.includes(code) && code !== endings.fault.exitCode ? [] : ["no ending"]),
    ...(/itself failed|^ +at /m.test(stderr) ? ["a fault of sms"] : []),
    ...(code === 0 || `${stdout}${stderr}`.trim() !== "" ? [] : ["silent"]),
  ];
}

/** What is wrong with what reached one person: `texted` by the first command, `posts` by both. */
function reachedOf(
  to: string,
  first: Pick<Ended, "code" | "stdout">,
  again: Pick<Ended, "stdout" | "stderr">,
  texted: ReadonlyMap<string, number>,
  posts: ReadonlyMap<string, number>,
): readonly string[] {
  const times = posts.get(to) ?? 0;
  // An intent that could not be taken back is said to be uncertain.
  const isSaid = /"uncertain":[1-9]|"outcome":"uncertain"/.test(again.stdout + again.stderr);
  const isShown = first.stdout.split("\n").some((line) => line.includes(to) && line.includes('"messageId"'));
  return [
    ...(times > 1 ? [`${to} twice`] : []),
    ...(times === 0 && !isSaid ? [`${to} missed`] : []),
    ...(isShown === texted.has(to) ? [] : [`${to} was sent ${texted.get(to) ?? 0} times and shown ${isShown}`]),
    ...(first.code === 0 && !texted.has(to) ? [`${to} not sent, but 0`] : []),
    ...(first.code !== 0 && isShown && texted.size === 4 ? ["all sent, but not 0"] : []),
  ];
}
