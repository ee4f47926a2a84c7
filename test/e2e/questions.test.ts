import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { ownFolder, temporaryFolder } from "../support/folders.ts";
import { program } from "../support/sms.ts";
import { lineOnTerminal, type Typing } from "../support/terminal.ts";
import { trials } from "../support/trials.ts";

const list = join(temporaryFolder(), "list.txt");
writeFileSync(list, "+254712345671\n+254712345672\n");
const two = ["send", "-r", list, "-m", "Hi", "--rate", "60000"];
const question = "Send 2 live messages for 2 credits?";

/** A person at a terminal with a live key, and the service that it goes to. */
async function person() {
  const server = await startScriptedServer({ onRequest: accept() });
  const { folder, env: own } = ownFolder();
  const env = { ...own, SMS_BASE_URL: server.url, SMS_API_KEY: "sk_live_questions" };
  return {
    folder,
    texts: () => server.requests.map(({ body }) => (JSON.parse(body) as { readonly message: string }).message),
    run: async (args: readonly string[], typings: readonly Typing[], line = (sms: string) => sms) => {
      const { code, shown } = await lineOnTerminal(line(shellLine([...program, ...args])), env, typings);
      return { ended: [code, server.requests.length], shown };
    },
  };
}

describe.concurrent("a question on a terminal", needs("script"), () => {
  it("is not answered by what was typed before it was there", async () => {
    const { folder, run } = await person();
    const go = join(folder, "go");
    const typed = [
      { sees: "type:", types: "y\ryes\r\ry" },
      // The terminal shows what it keeps for the next reader.
      { sees: "yes\r\n\r\ny", types: "", meanwhile: () => writeFileSync(go, "") },
      { sees: question, types: "\r" },
    ];
    const waits = `printf type:; while [ ! -e ${shellLine([go])} ]; do sleep 0.02; done`;
    const { ended, shown } = await run(two, typed, (sms) => `${waits}; ${sms}`);

    expect({ ended, shown }).toEqual({ ended: [2, 0], shown: expect.stringContaining("Cancelled; nothing was sent.") });
  });

  it.each([
    [
      "after the recipients were typed to their end",
      ["send", "-r", "-", "-m", "Hi", "--rate", "60000"],
      2,
      [
        { sees: "End with Ctrl-D", types: "+254712345671\r+254712345672\r\u0004" },
        { sees: question, types: "y\r" },
      ],
    ],
    [
      "after the text was typed, for a number that may not exist",
      ["send", "--to", "+254999999999", "-m", "-"],
      1,
      [
        { sees: "Reading the message from the terminal. End with Ctrl-D", types: "Hi\r\u0004" },
        { sees: "+254999999999 may not exist. Send to it?", types: "y\r" },
      ],
    ],
  ])("is answered with yes %s", async (_, args, requests, typed) => {
    const { run } = await person();

    expect((await run(args, typed)).ended).toEqual([0, requests]);
  });

  it("asks for the number and the text of a message, and before it costs anything", async () => {
    const { run } = await person();
    const typed = [
      { sees: "Number", types: "0712\r" },
      { sees: "or write it with", types: "\u0015+254712345678\r" },
      { sees: "Text", types: "Hi {{name}}\r" },
      { sees: "write the value in its place", types: "\u0015Deploy finished\r" },
      { sees: "1 segment, 1 credit; live key: real phones, charged.", types: "" },
      { sees: "Send it with SMS_API_KEY?", types: "y\r" },
    ];
    const { ended, shown } = await run(["send"], typed);

    expect({ ended, shown }).toEqual({ ended: [0, 1], shown: expect.stringContaining("Queued for +254712345678") });
  });

  it("asks for the text of a list, unless its rows have their own", async () => {
    const { folder, run } = await person();
    const named = join(folder, "named.csv");
    writeFileSync(named, "to,name\n+254712345671,Ann\n+254712345672,Bob\n");
    const typed = [
      { sees: "Text", types: "Hi {{name}\r" },
      { sees: "an unclosed {{", types: "\u0015Hi {{name}}\r" },
      { sees: question, types: "y\r" },
    ];
    const { ended, shown } = await run(["send", "-r", named, "--rate", "60000"], typed);
    expect({ ended, shown }).toEqual({ ended: [0, 2], shown: expect.stringContaining("Hi Ann") });
    const own = join(folder, "own.csv");
    writeFileSync(own, "to,message\n+254712345673,Hi Cy\n+254712345674,Hi Di\n");
    const answered = await run(["send", "-r", own, "--rate", "60000"], [{ sees: "(y/N)", types: "y\r" }]);

    expect(answered).toMatchObject({ ended: [0, 4], shown: expect.not.stringContaining("? Text") });
  });

  it.each([
    ["send", "--to", "+254712345678", "--yes"],
    ["send", "-r", list, "--yes", "--rate", "60000"],
  ])("takes a text as every other door does: %s", async (...args) => {
    const { run, texts } = await person();
    const { shown } = await run(args, [
      { sees: "Text", types: "use sk_live_abcdefgh12345678\r" },
      { sees: "the message has an API key in it", types: "\u0015@note.txt\r" },
      { sees: "would be sent as written", types: "\u0015“Cafe\u0301”  \r" },
    ]);

    expect(shown).toContain("“ and ” around the text are sent as written");
    expect(new Set(texts())).toEqual(new Set(["“Caf\u00e9”"]));
  });

  it("asks only for what the command lacks, and not for a yes that --yes gives", async () => {
    const { run } = await person();
    const text = [{ sees: "Text", types: "Hi\r" }];
    expect((await run(["send", "--to", "+254712345678", "--yes"], text)).ended).toEqual([0, 1]);
    const number = [
      { sees: "Number", types: "+254712345678\r" },
      { sees: "Send it with SMS_API_KEY?", types: "\r" },
    ];

    expect((await run(["send", "-m", "Hi"], number)).ended).toEqual([2, 1]);
  });

  const denied: readonly (readonly [string, readonly string[], string, string])[] = [
    ["a run", two, question, "nothing was sent"],
    ["a secret", ["keys", "add", "prod"], "API key", "nothing was stored"],
    ["a number that may not exist", ["send", "--to", "+254999999999", "-m", "Hi"], "Send to it?", "nothing was sent"],
    ["a message", ["send"], "Number", "nothing was sent"],
    ["a base URL", ["login"], "Base URL", "nothing was stored"],
  ];
  it.each(denied.slice(0, trials("QUESTIONS", 2, denied.length)))(
    "about %s is answered with no by Ctrl-D",
    async (_, args, sees, words) => {
      const { folder, run } = await person();
      const { ended, shown } = await run(args, [{ sees, types: "\u0004" }]);

      expect({ ended, shown }).toEqual({ ended: [2, 0], shown: expect.stringContaining(`Cancelled; ${words}.`) });
      expect(existsSync(join(folder, "config")) ? readdirSync(join(folder, "config")) : []).toEqual([]);
    },
  );

  it("does not hang after Ctrl-Z and fg", needs("bash"), async () => {
    const { run } = await person();
    const { ended } = await run(two, [{ sees: question, types: "\u001a" }], (sms) => `set -m; ${sms}; fg`);

    expect(ended).toEqual([2, 0]);
  });
});
