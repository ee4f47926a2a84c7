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

/** SWEEP=EIO,ENOSPC,EACCES,EMFILE lets each call of each command fail in each of these ways, which takes an hour. */
const sweep = process.env["SWEEP"]?.split(",");
/** How many calls of each command fail in the suite. */
const few = trials("FAULTS", 1, 2);

const root = temporaryFolder();
type Words = readonly string[];

/** A command whose calls on files fail, one in each trial. */
interface Trial {
  readonly name: string;
  readonly before?: readonly Words[];
  /** How many messages the service takes before. */
  readonly creditsBefore?: number;
  readonly args: Words;
  /** Who gets a message of the command, or of the same command given again. */
  readonly to?: Words;
  /** What is the same whatever failed, once the command was given again. */
  readonly keeps?: Words;
  /** Whether the suite leaves it to the sweep. */
  readonly isRare?: true;
}

const number = (digit: number) => `+25471234567${digit}`;
const four = [1, 2, 3, 4].map(number);
const text = ["--message", "Hi", "--json"];
const single = ["send", "--to", number(1), ...text];
const toFour = ["send", ...four.flatMap((to) => ["--to", to]), "--run", "four", ...text];
const spend = ["spend", "--json"];

const commands: readonly Trial[] = [
  { name: "send", args: single, to: [number(1)] },
  { name: "send --once", args: [...single, "--once", "a"], to: [number(1)] },
  { name: "a run", args: toFour, to: four },
  {
    name: "runs resume",
    before: [toFour],
    creditsBefore: 2,
    args: ["runs", "resume", "four", "--json"],
    to: four.slice(2),
  },
  { name: "optout add", args: ["optout", "add", number(1), "--json"], keeps: ["optout", "list", "--quiet"] },
  { name: "history --prune", before: [single], args: ["history", "--prune", "30d", "--json"], keeps: spend },
  { name: "runs remove", before: [single, toFour], args: ["runs", "remove", "four", "--yes", "--json"], keeps: spend },
  {
    name: "a rehearsal again",
    before: [[...toFour, "--redirect-to", number(7)]],
    args: [...toFour, "--redirect-to", number(7)],
    isRare: true,
  },
  ...[
    ["history", "--json"],
    spend,
    ["runs", "show", "four"],
    ["runs", "export", "four"],
    ["runs", "list"],
    ["status"],
    ["status", "--check"],
  ].map((args) => ({ name: args.join(" "), before: [single, toFour], args, isRare: true }) as const),
  ...[
    ["logout", "--yes"],
    ["keys", "rename", "default", "other"],
    ["profiles", "set", "country", "KE"],
  ].map((args) => ({ name: args.join(" "), args, isRare: true }) as const),
];

describe("a call on a file that fails", needs("strace", "CI to be set"), () => {
  it.concurrent.each(commands.filter(({ isRare }) => sweep !== undefined || isRare === undefined))(
    "in $name neither texts anybody twice, nor misses anybody, nor is a fault of sms",
    { timeout: sweep === undefined ? 60_000 : 3_600_000 },
    async (trial) => {
      expect(await problemsOf(trial)).toEqual([]);
    },
  );
});

async function problemsOf({
  name,
  before = [],
  creditsBefore = Infinity,
  args,
  to = [],
  keeps,
}: Trial): Promise<readonly string[]> {
  const posts = new Map<string, number>();
  let credits = creditsBefore;
  const server = await startScriptedServer({
    onRequest: (...request) => {
      if (credits-- <= 0)
        return answer(402, { error: "Insufficient SMS credits", errorCode: "INSUFFICIENT_CREDITS" })(...request);
      const { to: reached } = JSON.parse(request[1].body) as { to?: string };
      posts.set(String(reached), (posts.get(String(reached)) ?? 0) + 1);
      accept()(...request);
    },
  });
  const own = name.replaceAll(/\W/g, "-");
  const [folder, template] = [join(root, `at-${own}`), join(root, `${own}-before`)];
  // The folder of the state is made with its parent.
  const environment = { HOME: folder, ...foldersIn(folder), SMS_STATE_DIR: join(folder, "made", "state") };
  const run = (words: Words, stdin = "") => sms(words, { environment, stdin });
  mkdirSync(folder, { mode: 0o700 });
  await run(["login", "--with-key", "--no-verify", "--base-url", server.url], "sk_test_faults");
  for (const words of before) await run(words);
  credits = Infinity;
  if (name.includes("prune")) addOldLine(environment.SMS_STATE_DIR);
  copyPrivate(folder, template);
  const restore = () => {
    rmSync(folder, { recursive: true });
    copyPrivate(template, folder);
    posts.clear();
  };
  const command = { args, env: environment, log: join(root, `${own}.log`) };
  const { calls } = await fileCalls(command, folder);
  const kept = keeps && (await run(keeps)).stdout;
  const problems: string[] = [];
  for (const { call, error } of chosen(calls)) {
    restore();
    const first = await failing(command, call, error);
    // A number that is counted for each thread may meet another file as well.
    if (first.failed.length === 0 || !first.failed.every((line) => line.includes(`/at-${own}`))) continue;
    const sent = new Map(posts);
    const again =
      to.length > 0 && first.code === 0 && !args.some((word) => ["--once", "--run"].includes(word))
        ? first
        : await run(args);
    const found = [
      ...wordsOf(first),
      ...to.flatMap((each) => reachedOf(each, first, again, sent, posts)),
      ...(kept === undefined || (await run(keeps ?? [])).stdout === kept ? [] : [`${keeps?.join(" ")} differs`]),
    ];
    const place = `${call.name} ${call.path.replace(folder, "")} (${call.number}, ${error})`;
    if (found.length > 0)
      problems.push(`${place}: ${found.join(", ")}: ${first.code} ${first.stderr} ${again.code} ${again.stderr}`);
  }
  return problems;
}

/** Adds a line of another month, which is pruned, to the file of this month. */
function addOldLine(state: string): void {
  const folder = join(state, "history");
  for (const name of readdirSync(folder)) appendFileSync(join(folder, name), '{"at":"2025-01-02T00:00:00.000Z"}\n');
}

function chosen(calls: readonly FileCall[]): readonly { readonly call: FileCall; readonly error: string }[] {
  if (sweep !== undefined)
    return calls.flatMap((call) => sweep.filter((error) => fits(call, error)).map((error) => ({ call, error })));
  return Array.from(
    { length: few },
    (_, index) => calls[(seed + index * Math.floor(calls.length / few)) % calls.length],
  ).flatMap((call) => (call === undefined ? [] : [{ call, error: "EIO" }]));
}

function fits({ name }: FileCall, error: string): boolean {
  switch (error) {
    case "ENOSPC":
      return /write|mkdir|open|link|rename|sync/.test(name);
    case "EMFILE":
      return name.startsWith("open");
    case "EACCES":
      return /open|mkdir|rename|link|stat|access/.test(name);
    default:
      return true;
  }
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

/** What is wrong with what reached one person: `sent` by the first command, `posts` by both. */
function reachedOf(
  to: string,
  first: Pick<Ended, "code" | "stdout">,
  again: Pick<Ended, "stdout" | "stderr">,
  sent: ReadonlyMap<string, number>,
  posts: ReadonlyMap<string, number>,
): readonly string[] {
  const times = posts.get(to) ?? 0;
  // An intent that could not be taken back is said to be uncertain.
  const isSaid = /"uncertain":[1-9]|"outcome":"uncertain"/.test(again.stdout + ("stderr" in again ? again.stderr : ""));
  const isShown = first.stdout.split("\n").some((line) => line.includes(to) && line.includes('"messageId"'));
  return [
    ...(times > 1 ? [`${to} twice`] : []),
    ...(times === 0 && !isSaid ? [`${to} missed`] : []),
    ...(isShown === sent.has(to) ? [] : [`${to} was sent ${sent.get(to) ?? 0} times and shown ${isShown}`]),
    ...(first.code === 0 && !sent.has(to) ? [`${to} not sent, but 0`] : []),
    ...(first.code !== 0 && [...sent.keys()].length > 0 && isShown && sent.size === 4 ? ["all sent, but not 0"] : []),
  ];
}
