import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { selfSigned } from "../support/certificates.ts";
import { sms } from "../support/machine.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { temporaryFolder } from "../support/folders.ts";

/** The files that the command lines name. */
const files: Readonly<Record<string, string>> = {
  "list.xlsx": "PK\u0003\u0004\u0014\0",
  "headerless.csv": "+254712345678,Amina\n+254712345679,Baraka\n",
  "phones.csv": "name,Phone 1,Phone 2\nAmina,+254712345678,+254712345679\n",
  "good.csv": "to,name\n+254712345678,Amina\n+254712345679,Baraka\n",
  "many.txt": "12\n".repeat(10_000),
  "hostile.csv": "to,name\n\u001B[2J\u202E1,Amina\n",
  "numbers.txt": "+254712345678\n+254712345679\n",
  "y.txt": "+254712345678\n",
  "canary.env": "SMS_API_KEY=sk_live_canary\n",
};

const to = "sms send -m Hi --to";
const list = "sms send -m Hi --recipients";
const send = "sms send -m Hi --to +254712345678";

/**
 * Mistakes as they are typed, in the folder of the files and with an empty standard input. `mistakes.snapshot` has the
 * answers. REFUSED is a base URL where nobody listens, and SELF_SIGNED one with a self-signed certificate.
 */
const shownMistakes: readonly string[] = [
  `${to} 254712345678`,
  `${to} 0712345678`,
  `${to} +254712345`,
  `${to} +254712345678,+254712345679`,
  `${to} +254712345678 --to 254712345678 --to Amina`,
  `${list} list.xlsx`,
  `${list} headerless.csv`,
  `${list} phones.csv`,
  `${list} many.txt`,
  `${list} hostile.csv`,
  `${list} numbers.txt --only-to nobody.txt`,
  'sms send -m "Hi {{nmae}}" --recipients good.csv',
  'sms send -m "Hi {{name}}" --to +254712345678',
  "sms send --to +254712345678 --message @note.txt",
  `SMS_BASE_URL=https://me:canary@sms.example.com ${send}`,
  `SMS_BASE_URL=http://sms.example.com SMS_API_KEY=sk_live_canary ${send}`,
  `SMS_API_KEY='Bearer sk_test_canary' ${send}`,
  `SMS_API_KEY= SMS_API_KEY_FILE=canary.env ${send}`,
  `SMS_BASE_URL=REFUSED ${send} --retries 0`,
  `SMS_BASE_URL=SELF_SIGNED ${list} numbers.txt --run tls --retries 0`,
  `CI=true SMS_API_KEY=sk_live_canary ${list} numbers.txt --quiet`,
];

/** Further mistakes, and what the answer says. */
const mistakes: readonly (readonly [line: string, said: string])[] = [
  [`${to} @customers.csv`, "a file with --recipients"],
  [`SMS_COUNTRY=Kenia ${to} 0712345678`, '"Kenia" is not the code of a country (from SMS_COUNTRY)'],
  [`${list} nunbers.txt`, "Next: did you mean numbers.txt? It is in the same folder"],
  [`${list} numbers.txt --exclude .`, "is a folder, not a file (--exclude)"],
  ["sms sandbox --port 80000", '--port takes a port, not "80000"'],
  [`${send} --sandbox=true`, "--sandbox takes no value"],
  [`${to} “+254712345678”`, "it has curly quotes\n  Nothing was sent.\n  Next: write +254712345678\n"],
  [`${send} --max-credits KES500`, '--max-credits takes a whole number of credits, not "KES500"'],
  ["sms history --since 2026-02-30", '--since takes a date or a time span, not "2026-02-30"'],
];

const folder = temporaryFolder();
let service: ScriptedServer;
let selfSignedService: ScriptedServer;

beforeAll(async () => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const tls = selfSigned({ names: ["127.0.0.1"] });
  service = await startScriptedServer({ onRequest: accept() });
  selfSignedService = await startScriptedServer({ tls, onRequest: accept() });
});

/** Returns the words of a line as a shell has them, with the paths of the files. */
function wordsOf(line: string): readonly string[] {
  return Array.from(line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g), ([word]) => {
    const [, variable = "", quoted = ""] = /^([A-Z_]+=)?(.*)$/s.exec(word) ?? [];
    const text = quoted.replace(/"([^"]*)"|'([^']*)'/g, "$1$2");
    const isFile = text === "." || text in files || /^(nobody|nunbers)\./.test(text);
    const urls: Readonly<Record<string, string>> = {
      REFUSED: "http://127.0.0.1:1",
      SELF_SIGNED: selfSignedService.url,
    };
    return variable + (isFile ? join(folder, text) : (urls[text] ?? text));
  });
}

/** Returns how a mistake is answered, as a person sees it. */
async function answerTo(line: string): Promise<string> {
  const words = wordsOf(line);
  const start = words.indexOf("sms");
  const variables = Object.fromEntries(words.slice(0, start).map((word) => word.split(/=(.*)/s)));
  const environment = {
    SMS_BASE_URL: service.url,
    SMS_API_KEY: "sk_test_sandbox",
    SMS_STATE_DIR: join(folder, "state"),
    ...variables,
  };
  const { code, stdout, stderr } = await sms(words.slice(start + 1), { environment });
  const answer = `${stdout}${stderr}`
    .replaceAll(`${folder}/`, "")
    .replaceAll(folder, ".")
    .replaceAll(new URL(selfSignedService.url).host, "SELF_SIGNED");
  return `$ ${line}\n${answer}  exit code ${code}\n`;
}

/** Neither a secret nor a character that drives the terminal is in an answer, and nothing was sent. */
function expectHarmless(answers: readonly string[]) {
  expect([...service.requests, ...selfSignedService.requests]).toEqual([]);
  expect(answers.join("\n").replace(/^\$ .*$/gm, "")).not.toMatch(
    /canary|[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/,
  );
}

it("the mistakes that matter most are answered as in mistakes.snapshot", async () => {
  const answers: string[] = [];
  for (const line of shownMistakes) answers.push(await answerTo(line));
  expectHarmless(answers);
  await expect(answers.join("\n")).toMatchFileSnapshot("mistakes.snapshot");
});

it("others are named, with what to do instead", async () => {
  const answers: string[] = [];
  for (const [line, said] of mistakes) {
    const answer = await answerTo(line);
    expect(answer).toContain(said);
    expect(answer).toMatch(/^ {2}Next: (.*\n)* {2}exit code [1-9]\d?\n$/m);
    answers.push(answer);
  }
  expectHarmless(answers);
});
