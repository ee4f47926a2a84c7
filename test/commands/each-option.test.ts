import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { describe, expect, it, test } from "vitest";
import { everyCommand } from "../../src/commands/help/pages.ts";
import { defineProgram } from "../../src/commands/program.ts";
import { nameOf } from "../../src/commands/shared/options.ts";
import { optionTable } from "../../src/sending/options.ts";
import { typedOptions } from "../../src/sending/run/kept-options.ts";
import { readFaults } from "../../src/sandbox/faults.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { type Machine, sms } from "../support/machine.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { rowOf, xlsxOf } from "../recipients/workbooks.ts";
import { accept } from "../support/scripts.ts";

/** A line that an option of it changes. `file:NAME` is the path of a file, `URL` the sandbox's. */
interface Line extends Omit<Machine, "stdin"> {
  /** The line without the option, which stands last. */
  readonly words: string;
  /** The option as it is typed, and what stands in its place without it. */
  readonly option: string;
  readonly without?: string;
  /** Lines that ran before. */
  readonly before?: readonly string[];
  readonly stdin?: string | (() => AsyncIterable<Uint8Array>);
  /** The line talks to a service that is no sandbox. */
  readonly isToBeSent?: boolean;
  /** The service is gone before the line runs. */
  readonly isGone?: boolean;
  /** The service answers late. */
  readonly isLate?: boolean;
}

const files: Readonly<Record<string, string | Buffer>> = {
  "one.txt": "+254712345000\n",
  "list.csv": "to,name,phone\n+254712345000,Ann,+254712345009\n+254712345001,Ben,+254712345008\n",
  "bad.csv": "to,name\n+254712345000,Ann\nnobody,Ben\n",
  "twice.csv": "to,message\n+254712345000,One\n+254712345000,Two\n",
  "two.csv": "a,b\n+254712345000,+254712345001\n",
  "hiding.xlsx": xlsxOf([{ rows: rowOf(1, "to") + rowOf(2, "+254712345000").replace("<row", '<row hidden="1"') }]),
  "text.txt": "From a file\n",
  // Sends twice to the sandbox that runs it, and prints the answers.
  "send.mjs": `for (const to of ["+254712345000", "+254712345001"]) {
    const headers = { authorization: "Bearer sk_live_sandbox", "content-type": "application/json" };
    const body = JSON.stringify({ to, message: "Hi" });
    const answer = await fetch(process.env.SMS_BASE_URL + "/api/v1/sms/send", { method: "POST", headers, body });
    const { errorCode, newBalance, senderId } = await answer.json();
    process.exitCode = answer.status + (newBalance ?? 0) + (senderId ?? errorCode ?? "").length;
  }`,
};

const to = "--to +254712345000";
const hi = `${to} -m Hi`;
const named = "--run news --yes --rate 60000";
const list = `-r file:list.csv -m Hi ${named}`;
const noon = Date.parse("2026-11-23T09:00:00Z");
const login = "login --base-url URL --no-verify";
const begin = "send --to +254700000400 --to +254700000500 --to +254712345000 -m Hi --run news --rate 60000";
const resume = "runs resume news --yes --retry rejected,uncertain";
const watched = { stdin: "ERROR one\nERROR two\n" };
const unknownKey = { stdin: "sk_test_unknown" };
const idle = "-- true";
const served = `-- ${process.execPath} file:send.mjs`;

/** Lines between which so much time passes that a group of a second ends. */
async function* slowly() {
  for (const ms of [0, 100, 1_400]) {
    await passed(ms);
    yield Buffer.from(`ERROR ${"abc"[ms % 3]}\n`);
  }
}

function notifyLine(option: string, more: Partial<Line> = {}): Line {
  return { words: `notify ${to}`, option: `${option} -- true`, without: "-- true", ...more };
}

/** A line for each of these options. */
function eachOf(words: string, options: string, more: Partial<Line> = {}): readonly Line[] {
  return options.split(" | ").map((option) => ({ words, option, ...more }));
}

const lines: readonly Line[] = [
  { words: "send -m Hi", option: to },
  { words: "send -m Hi --yes", option: "-r file:list.csv" },
  ...eachOf(`send ${to}`, "-m Hi | --message-file file:text.txt"),
  ...eachOf(
    `send ${hi}`,
    "-s ACME | -n | --sandbox | --max-credits 0 | --run news | --expect live | --only-to +254712345001",
  ),
  { words: "send --to 0712345000 -m Hi", option: "--country KE" },
  { words: `send ${to} -m It’s`, option: "--gsm7" },
  { words: `send ${to} -m ${"long".repeat(100)}`, option: "--segments 1" },
  { words: `send ${to} -m {{name}}`, option: "--literal" },
  { words: `send ${hi}`, option: "--once key", before: [`send ${hi} --once key`] },
  { words: `send ${to} -m Two --once key`, option: "--for 1h", before: [`send ${hi} --once key`] },
  { words: `send ${hi}`, option: "--between 01:00-02:00", clock: noon },
  { words: `send ${hi} --between 01:00-02:00`, option: "--wait", clock: noon, isStopped: true },
  { words: `send -r file:list.csv ${named} -m Hi`, option: "--to +254712345009" },
  ...eachOf(`send -r file:list.csv ${named}`, "-m Hi | --message-file file:text.txt"),
  ...eachOf(
    `send ${list}`,
    "-s ACME | -n | --sandbox | --max-credits 0 | --expect live | --only-to +254712345001 | --exclude file:one.txt | --format plain | --to-column phone",
  ),
  { words: `send --to 0712345000 -m Hi ${named}`, option: "--country KE" },
  { words: `send ${to} -m It’s ${named}`, option: "--gsm7" },
  { words: `send ${to} -m ${"long".repeat(100)} ${named}`, option: "--segments 1" },
  { words: `send ${list}`, option: "--between 01:00-02:00", clock: noon },
  { words: `send ${hi} ${named} --between 01:00-02:00`, option: "--wait", clock: noon, isStopped: true },
  { words: `send ${hi} ${named} --verbose`, option: "--retries 0", without: "--retries 1", isGone: true },
  { words: `send ${hi} --verbose`, option: "--retries 0", without: "--retries 1", isGone: true },
  ...[`send ${hi}`, `send ${list}`].map((words) => ({ words, option: "--timeout 0.1", isLate: true })),
  { words: resume, option: "--timeout 0.1", before: [begin], isLate: true },
  { words: "send -r file:bad.csv -m Hi --yes", option: "--skip-invalid" },
  { words: "send -r file:twice.csv --yes", option: "--allow-duplicates" },
  {
    words: `send ${list}`.replace("news", "other"),
    option: "--repeated skip",
    isToBeSent: true,
    before: [`send ${list}`],
  },
  { words: "notify", option: `${to} -- true`, without: "-- true" },
  ..."-m Hi | --message-file file:text.txt | --only failure | --longer-than 1h | -s ACME | -n | --sandbox | --max-credits 0 | --expect live | --only-to +254712345001"
    .split(" | ")
    .map((option) => notifyLine(option)),
  notifyLine("--segments 1", { words: `notify ${to} -m ${"long".repeat(100)}` }),
  notifyLine("--country KE", { words: "notify --to 0712345000" }),
  notifyLine("--once key", { before: [`notify ${to} --once key -- true`] }),
  notifyLine("--for 1h", { words: `notify ${to} -m Two --once key`, before: [`notify ${to} --once key -- true`] }),
  notifyLine("--between 01:00-02:00", { clock: noon }),
  notifyLine("--wait", { words: `notify ${to} -n --between 01:00-02:00`, clock: noon }),
  ...eachOf(`send ${list} -n`, "--redirect-to +254712345002 | --rate 7/min"),
  ...eachOf("preview", "-m Hi | --message-file file:text.txt"),
  { words: "preview -m It’s", option: "--gsm7" },
  { words: "runs list", option: "--limit 1", before: [begin, begin.replace("news", "other").replace("Hi", "Yo")] },
  { words: "runs show news --json", option: "--failed", before: [begin] },
  { words: "runs show news --json", option: "--left-out", before: [begin] },
  { words: "runs resume news --yes", option: "--retry rejected", before: [begin] },
  ...eachOf(resume, "--max-credits 0 | --only-to +254712345001", { before: [begin] }),
  { words: resume, option: "--between 01:00-02:00", before: [begin], clock: noon },
  { words: `${resume} --between 01:00-02:00`, option: "--wait", before: [begin], clock: noon, isStopped: true },
  { words: resume, option: "--exclude run:other", before: [begin, "send --to +254700000400 -m Yo --run other"] },
  { words: resume, option: "--rate 1200/min", without: "--rate 60000", before: [begin] },
  { words: `${resume} --verbose`, option: "--retries 0", without: "--retries 1", before: [begin], isGone: true },
  { words: "runs export news", option: "--format csv", without: "--format ndjson", before: [begin] },
  { words: "runs export news", option: "--failed", before: [begin] },
  { words: "runs export news", option: "--with-columns", before: [`send ${list}`] },
  ...eachOf("history", "--to +254712345009 | --since 2126-01-01 | --outcome uncertain | --format csv | --prune 90d", {
    before: [`send ${hi}`],
  }),
  { words: "history", option: "--limit 1", before: [`send ${hi}`, `send ${hi}`] },
  { words: "login --with-key --no-verify", option: "--base-url URL", stdin: "sk_test_sandbox" },
  { words: login, option: "--with-key", stdin: "sk_test_sandbox" },
  { words: login, option: "--key-command true" },
  { words: `${login} --with-password`, option: "--email sandbox@example.com", stdin: "sandbox-pass-4010" },
  { words: `${login} --email sandbox@example.com`, option: "--with-password", stdin: "sandbox-pass-4010" },
  ...eachOf(`${login} --with-key`, "-s ACME | --country KE | --rate 7/min", { stdin: "sk_test_sandbox" }),
  { words: "login --base-url URL --with-key", option: "--no-verify", ...unknownKey },
  {
    words: `${login} --email sandbox@example.com --with-password`,
    option: "--body-fields a,b",
    stdin: "sandbox-pass-4010",
  },
  { words: "status", option: "--check" },
  { words: "keys add new", option: "--no-verify", before: [`${login} --key-command true`], ...unknownKey },
  { words: "profiles set country", option: "--unset", without: "KE" },
  ...["--credits 0", "--rate 1/min", "--sender SHOP", "--fault 500:100%"].map((option) => ({
    words: "sandbox exec",
    option: `${option} ${served}`,
    without: served,
  })),
  { words: "sandbox exec", option: `--expect-messages 3 ${idle}`, without: idle },
  { words: "sandbox exec", option: `--every-fault ${idle}`, without: idle },
  { words: "sandbox exec --every-fault", option: "--timeout 0.01 sleep 0.1", without: "--timeout 9 sleep 0.1" },
  { words: "sandbox", option: "--port 0", without: "--port 4019", isStopped: true },
  { words: "sandbox --port 0", option: "--host 0.0.0.0", isStopped: true },
  { words: "sandbox messages --url URL", option: "--to +254712345009", before: [`send ${hi}`] },
  { words: "sandbox messages", option: "--url URL", environment: { SMS_BASE_URL: "http://127.0.0.1:1" } },
  { words: "sandbox messages --url URL --timeout 0.1", option: "--wait-for 3" },
  { words: "sandbox messages --url URL --wait-for 3", option: "--timeout 0.2", without: "--timeout 0.1" },
  { words: "watch", option: to, ...watched },
  { words: `watch ${to}`, option: "--group 1s", stdin: slowly },
  ...eachOf(
    `watch ${to}`,
    "--at-most 1/h | -n | -m Watch | -s ACME | --expect live | --only-to +254712345001",
    watched,
  ),
  { words: `watch ${to}`, option: "--segments 1", stdin: "ERROR word ".repeat(40) },
  { words: "watch --to 0712345000", option: "--country KE", ...watched },
  { words: `watch ${to} -n`, option: "--between 01:00-02:00", clock: noon, ...watched },
  ...eachOf("clean file:list.csv", "-o file:out.csv | --sheet Two | --encoding utf-16le | --format plain"),
  { words: "clean -", option: "--mobile-only", stdin: "to\n+254712345000\n+254202345678\n" },
  { words: "clean -", option: "--keep-unassigned", stdin: "to\n+254712345000\n+254999999999\n" },
  { words: "clean file:hiding.xlsx", option: "--every-number" },
  { words: "clean -", option: "--country KE", stdin: "0712345000\n" },
  { words: "clean file:two.csv", option: "--to-column b", without: "--to-column a" },
  ...eachOf("spend", "--month 2026-01 | --by sender", { isToBeSent: true, before: [`send ${hi}`] }),
  { words: "spend", option: "--format csv" },
  { words: "optout add +254712345000", option: "--reason asked" },
  { words: "optout add 0712345000", option: "--country KE" },
  { words: "optout remove 0712345000 --yes", option: "--country KE", before: ["optout add +254712345000"] },
  {
    words: "optout remove +254712345009 --yes",
    option: "--list file:one.txt",
    before: ["optout add +254712345009", "optout import file:one.txt"],
  },
  ...eachOf("optout import file:one.txt", "--reason asked | --encoding utf-16le | --sheet Two | --format csv"),
  { words: "optout import -", option: "--country KE", stdin: "0712345000\n" },
  { words: "optout import file:two.csv", option: "--to-column b", without: "--to-column a" },
];

const late = { faults: readFaults("latency:300") };

/** Returns all that a line printed, sent and stored, without what differs from one time to the next. */
async function effectOf(line: Line, option: string) {
  const { words, before = [], stdin, isToBeSent, isStopped, clock } = line;
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const world = { now: Date.now, newId: () => "msg_id", random: Math.random };
  const sandbox = await startSandbox({ port: 0, rate: 1_000_000, credits: 100, ...world, ...(line.isLate && late) });
  const service = isToBeSent ? await startScriptedServer({ onRequest: accept() }) : undefined;
  const url = service?.url ?? sandbox.url;
  const stores = /^(login|keys|profiles)/.test(words);
  const environment = {
    ...foldersIn(folder),
    ...(!stores && { SMS_BASE_URL: url, SMS_API_KEY: isToBeSent ? "sk_live_sandbox" : "sk_test_sandbox" }),
    ...line.environment,
  };
  const split = (text: string) =>
    text
      .split(" ")
      .filter(Boolean)
      .map((word) => word.replace("URL", url).replace(/^file:/, `${folder}/`));
  for (const earlier of before) await sms(split(earlier), { environment });
  const count = sandbox.messages().length;
  if (line.isGone) await sandbox.close();
  const input = typeof stdin === "function" ? stdin() : stdin;
  const end = await sms(split(`${words} ${option}`), { isStopped, clock, stdin: input, environment });
  const stored = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /credentials.json|optout.numbers|out.csv/.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const messages = sandbox.messages().slice(count);
  const effect = JSON.stringify({ ...end, stored, messages });
  await Promise.all([line.isGone ? undefined : sandbox.close(), service?.close()]);
  rmSync(folder, { recursive: true });
  return effect
    .replaceAll(folder, "FOLDER")
    .replaceAll(
      /:[1-6]\d{4}\b|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\d\d:\d\d(-\d\d:\d\d)? UTC\S*|[\d.]+ m?s\b/g,
      "X",
    );
}

const plainEffects = new Map<string, Promise<string>>();

/** Returns what the line does without the option, once for all options of it. CI asks whether it is the same each time. */
function plainEffect(line: Line): Promise<string> {
  const without = line.without ?? "";
  const key = JSON.stringify({ ...line, option: without });
  const known = async () => {
    const effect = await effectOf(line, without);
    if (process.env["CI"]) expect(await effectOf(line, without)).toBe(effect);
    return effect;
  };
  const plain = plainEffects.get(key) ?? known();
  plainEffects.set(key, plain);
  return plain;
}

/** Expects the option to be read, and to change what the line does. */
async function expectEffect(line: Line): Promise<void> {
  const effect = await effectOf(line, line.option);
  expect(effect).not.toContain(`${line.option.split(" ")[0]} takes `);
  expect(effect).not.toBe(await plainEffect(line));
}

// Another server could get the port of one that is gone.
describe.each([
  ["where nobody listens", true],
  ["at a service", undefined],
])("%s", (_, isGone) => {
  it.each(lines.filter((line) => line.isGone === isGone))(
    "$words $option does what the line without it does not",
    { timeout: 60_000, concurrent: !isGone },
    expectEffect,
  );
});

function silentProgram() {
  return defineProgram({ write: () => {}, columns: () => 80 }, async () => {});
}

function isNamedIn({ option }: Line, names: readonly (string | undefined)[]): boolean {
  return names.includes(option.split(" ")[0]);
}

function isOfRun({ words, option }: Line): boolean {
  return /^send .*(?:-r|--run|--redirect-to) /.test(`${words} ${option}`);
}

const sendRows = Object.values(optionTable)
  .map(({ flags, readers: ways }) => ({ names: flags.split(/[ ,]+/), ways }))
  .filter(({ ways }) => ways.includes("message") || ways.includes("run"));

test("each option of each command has a line here, and each of `sms send` one for each of its ways", async () => {
  const program = await silentProgram();
  const shared = new Set(program.options.map(({ long }) => long));
  const declared = everyCommand(program).flatMap((command) =>
    command.options
      .filter(({ hidden, long }) => !hidden && !shared.has(long))
      .map(({ long, short }) => [nameOf(command), long, short] as const),
  );
  const isLacking = ([command, ...names]: (typeof declared)[number]) =>
    // Without it a key that is piped is read the same.
    !(["keys add", "keys rotate"].includes(command) && names.includes("--with-key")) &&
    !lines.some((line) => {
      const isOwn = line.words.startsWith(command) && isNamedIn(line, names);
      // What it serves is the same, opened by the same function.
      return isOwn || (command === "sandbox" && line.words.startsWith("sandbox exec") && isNamedIn(line, names));
    });
  const ofSend = lines.filter(({ words }) => words.startsWith("send "));
  const lackingWays = sendRows.flatMap(({ names, ways }) =>
    (["message", "run"] as const)
      .filter((way) => ways.includes(way))
      .filter((way) => !ofSend.some((line) => isOfRun(line) === (way === "run") && isNamedIn(line, names)))
      .map((way) => `send, as ${way} ${names.join(" ")}`),
  );
  expect([...declared.filter(isLacking).map(([command, long]) => `${command} ${long}`), ...lackingWays]).toEqual([]);
});

/** Any of these makes a send a run. */
const deciding = ["--recipients", "--run", "--redirect-to"];

const refusals = sendRows
  .filter(
    ({ names, ways }) =>
      ways.includes("message") !== ways.includes("run") && !deciding.some((each) => names.includes(each)),
  )
  .map(({ names, ways }) => {
    const [line] = lines.filter(
      ({ words, option }) => words.startsWith("send") && names.includes(option.split(" ")[0] ?? ""),
    );
    return [
      `send ${ways.includes("run") ? hi : `${hi} ${named}`} ${line?.option ?? ""}`,
      names.find((name) => name.startsWith("--")),
    ] as const;
  });

it.each(refusals)("%s is refused, since this way does not read %s", async (line, name) => {
  const { code, stderr } = await sms(line.split(" "));
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(`${name} (?:is for|needs) `) });
});

const partners = Object.values(optionTable).flatMap(({ flags, needs }) =>
  needs === undefined ? [] : [{ option: flags.split(/[ ,]+/).find((name) => name.startsWith("--")), needs }],
);

/** Each command that has an option and its partner. */
const partnerDoors = everyCommand(await silentProgram()).flatMap((command) =>
  partners
    .filter(({ option, needs }) =>
      [option, needs.option].every((name) => command.options.some(({ long }) => long === name)),
    )
    .map(({ option = "", needs }) => [nameOf(command), option, needs.option] as const),
);

test("a partner is asked for by several commands", () => {
  expect(new Set(partnerDoors.map(([command]) => command)).size).toBeGreaterThan(1);
  expect(new Set(partnerDoors.map(([, option]) => option))).toEqual(new Set(partners.map(({ option }) => option)));
});

it.each(partnerDoors)("%s refuses %s without %s", async (command, option, partner) => {
  const line = lines.find((each) => each.words.startsWith(command) && each.option.startsWith(`${option} `));
  const { code, stderr } = await sms(`${command} ${to} ${line?.option ?? ""}`.split(" "));
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${option} needs ${partner}`) });
});

const optionsOfRuns = Object.entries(optionTable)
  .filter(([, { readers: ways }]) => ["run", "runs resume"].every((way) => ways.some((each) => each === way)))
  .map(([name, { flags, parse }]) => ({ name, names: flags.split(/[ ,]+/), parse }));

it.each(optionsOfRuns)("a hint writes $name of a run as it was typed", ({ name, names, parse }) => {
  const line = lines.find((each) => isNamedIn(each, names));
  const value = line?.option.split(" ")[1];
  const stored: unknown = JSON.parse(JSON.stringify(value === undefined ? true : (parse?.(value, undefined) ?? value)));
  // A rate needs no unit.
  expect(typedOptions({ [name]: stored })).toBe(` ${line?.option.replace(/\/min$/, "")}`);
});
