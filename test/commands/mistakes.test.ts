import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { selfSigned } from "../support/certificates.ts";
import { sms } from "../support/machine.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { files, mistakes, shownMistakes } from "./mistakes.ts";
import { temporaryFolder } from "../support/folders.ts";

const folder = temporaryFolder();
let service: ScriptedServer;
let selfSignedService: ScriptedServer;

beforeAll(async () => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const tls = selfSigned({ names: ["127.0.0.1"] });
  service = await startScriptedServer({ onRequest: accept() });
  selfSignedService = await startScriptedServer({ tls, onRequest: accept() });
});

afterAll(() => Promise.all([service.close(), selfSignedService.close()]));

/** Returns the words of a line as a shell has them, with the paths of the files. */
function wordsOf(line: string): readonly string[] {
  return Array.from(line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g), ([word]) => {
    const [, variable = "", quoted = ""] = /^([A-Z_]+=)?(.*)$/s.exec(word) ?? [];
    const text = quoted.replace(/"([^"]*)"|'([^']*)'/g, "$1$2");
    const isFile = text === "." || text in files || text.startsWith("nobody.");
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

it("every other mistake is named, with what to do instead", async () => {
  const answers: string[] = [];
  for (const [line, said] of mistakes) {
    const answer = await answerTo(line);
    expect(answer).toContain(said);
    expect(answer).toMatch(/^ {2}Next: (.*\n)* {2}exit code [1-9]\d?\n$/m);
    answers.push(answer);
  }
  expectHarmless(answers);
});
