import { beforeAll, describe, expect, it } from "vitest";
import { foldersIn, temporaryFolder, writeGroup } from "../support/folders.ts";
import { sms } from "../support/machine.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";

const to = "+254712345678";
const folder = temporaryFolder();
let environment: Readonly<Record<string, string>>;

/** What the scripts receive: candidates without their summaries. */
async function candidates(words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await sms(["completion", "candidates", "--", ...words], { environment });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.replace(/(?<=.)\t.*/, ""));
}

/** Runs a command that is to succeed. */
async function done(args: readonly string[], stdin = "", more: typeof environment = {}): Promise<string> {
  const { code, stdout, stderr } = await sms(args, { environment: { ...environment, ...more }, stdin });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

/** What a page of help lists under a heading. */
function under(heading: string, help: string, pattern: RegExp): readonly string[] {
  const [section = ""] = help.split(`\n${heading}:\n`)[1]?.split("\n\n") ?? [];
  return [...section.matchAll(pattern)].map(([, word = ""]) => word);
}

beforeAll(async () => {
  environment = foldersIn(folder);
  const login = ["login", "--base-url", "http://127.0.0.1:9", "--no-verify", "--with-key"];
  await done(login, "sk_live_abc");
  await done(["keys", "rename", "live", "prod"]);
  await done([...login, "--profile", "shop"], "sk_test_abc");
  await done(["keys", "rename", "test", "second hand", "--profile", "shop"]);
  const config = String(environment["SMS_CONFIG_DIR"]);
  for (const name of ["staff.csv", "oncall.txt", "notes.pdf"]) writeGroup(config, name, "");
  const server = await startScriptedServer({ onRequest: accept() });
  const service = { SMS_BASE_URL: server.url, SMS_API_KEY: "sk_test_abc" };
  for (const run of ["topup", "rent"]) await done(["send", "--run", run, "--to", to, "--message", "Hi"], "", service);
});

const settings = "sender country rate only-to hours zone daily-credits low-balance history notify-to record".split(" ");

describe("completion", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["a command", ["s"], ["send", "spend", "status", "sandbox"]],
    ["a command after options", ["--json", "-p", "shop", "pre"], ["preview"]],
    ["a command of a command", ["keys", "r"], ["rename", "rotate", "remove"]],
    ["what there is help for", ["help", "e"], ["exit-codes", "environment"]],
    ["a name for the short name of a verb", ["runs", "rm", ""], ["rent", "topup"]],
    ["a country", ["send", "--country", "K"], ["KE", "KG", "KH", "KI", "KM", "KN", "KP", "KR", "KW", "KY", "KZ"]],
    ["an option", ["send", "--f"], ["--format", "--for"]],
    ["an option after one that has its value", ["send", "--to", to, "--fo"], ["--for", "--format"]],
    ["no option after the end of options", ["status", "--", "--"], []],
    ["one of a few words", ["send", "--format", ""], ["plain", "csv", "ndjson"]],
    ["the words that a number may be", ["send", "--rate", ""], ["free", "starter", "professional"]],
    ["one of a few words behind =", ["send", "--expect=l"], ["--expect=live"]],
    ["the same, split as bash does", ["send", "--expect", "=", "l"], ["live"]],
    ["nothing in place of free text", ["send", "--message", ""], []],
    ["nothing for a command that is not known", ["sned", "--"], []],
    ["a file", ["send", "--recipients", "cust"], ["\tfile"]],
    ["a file behind =", ["send", "--message-file=no"], ["\tfile"]],
    ["a file of a command that is run", ["notify", "--to", to, "--", "./not"], ["\tfile"]],
    ["a list of recipients", ["send", "--to", ""], ["@oncall", "@staff"]],
    ["no list where numbers are looked for", ["history", "--to", ""], []],
    ["a profile", ["profiles", "use", ""], ["default", "shop"]],
    ["a profile behind =", ["status", "--profile=s"], ["--profile=shop"]],
    ["a key of the profile in use", ["keys", "use", ""], ["prod"]],
    ["a default of a profile", ["profiles", "set", ""], settings],
    ["a key of the profile that is named", ["--profile", "shop", "keys", "remove", ""], ["second hand"]],
    ["no key where a new name is wanted", ["keys", "add", ""], []],
    ["no key for the new name of one", ["keys", "rename", "prod", ""], []],
    ["a run", ["runs", "resume", ""], ["rent", "topup"]],
  ])("offers %s", async (_, words, expected) => {
    expect((await candidates(words)).toSorted()).toEqual(expected.toSorted());
  });

  it("offers the options and commands that each help lists, and no others", async () => {
    const paths: (readonly string[])[] = [[]];
    for (const path of paths) {
      const help = await done([...path, "--help"]);
      const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = ""]) => option);
      const commands = ["Commands", "More commands"].flatMap((heading) => under(heading, help, /^ {2}([a-z]+)/gm));
      const offered = commands.length > 0 ? await candidates([...path, ""]) : [];
      const offeredOptions = (await candidates([...path, "-"])).toSorted();
      expect({ path, options: offeredOptions }).toEqual({ path, options: options.toSorted() });
      expect({ path, commands: offered.toSorted() }).toEqual({ path, commands: commands.toSorted() });
      paths.push(...commands.filter((name) => name !== "help").map((name) => [...path, name]));
    }
    expect(paths).toEqual(expect.arrayContaining([["send"], ["runs", "resume"], ["completion", "fish"]]));
  });

  it.each([
    [["runs", "sh"], "show\tshow the results of a run\n"],
    [["keys", "use", ""], "prod\tlive\n"],
  ])("says what each candidate is: %j", async (words, shown) => {
    expect(await done(["completion", "candidates", "--", ...words])).toBe(shown);
  });
});
