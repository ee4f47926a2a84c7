import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer, inTurn } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { foldersIn, temporaryFolder, writeGroup } from "../support/folders.ts";

const folder = resolve(".github/actions/send");
const key = "sk_live_of_the_action";
let home: string;

beforeEach(() => {
  home = temporaryFolder();
  writeFileSync(join(home, "output"), "");
});

interface Message {
  readonly to: string;
  readonly message: string;
}

/** Runs the script of the action as a runner does; `sms` is a shell script in place of the program. */
async function act(
  onRequest: Script,
  inputs: Readonly<Record<string, string>> = {},
  sms = `exec ${shellLine(program)} "$@"`,
) {
  writeFileSync(join(home, "sms"), `#!/bin/sh\n${sms}\n`, { mode: 0o755 });
  const server = await startScriptedServer({ onRequest });
  const unset = { SENDER: "", ONCE_KEY: "", FOR: "", COUNTRY: "", EXPECT: "", MAX_CREDITS: "", LITERAL: "false" };
  const message = { TO: "+254712345678", MESSAGE: "Hi", SMS_BASE_URL: server.url, SMS_API_KEY: key };
  const runner = { PATH: `${home}${delimiter}${process.env["PATH"]}`, HOME: home, GITHUB_OUTPUT: join(home, "output") };
  const env = { ...runner, ...foldersIn(home), ...unset, ...message, ...inputs };
  const child = spawn("bash", [join(folder, "send.sh")], { env });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += String(chunk)));
  const code = await new Promise((done) => child.on("close", done));
  const requests = server.requests.map(({ body }) => JSON.parse(body) as Message);
  return { code, printed, output: readFileSync(join(home, "output"), "utf8"), requests };
}

describe("the action", needs("bash", "CI to be set"), () => {
  it("tells the identifier of an accepted message, and masks each line of the key", async () => {
    const SMS_API_KEY = ` ${key}\r\n\nsecond 100% \n`;
    const first = await act(accept({ messageId: "msg-1" }));
    const masked = await act(accept(), { SMS_API_KEY });

    expect(first).toMatchObject({ code: 0, output: "message-id=msg-1\noutcome=accepted\nexit-code=0\n" });
    expect(masked.printed).toMatch(new RegExp(`^::add-mask::${key}\n::add-mask::second 100%25\n`));
    for (const { printed } of [first, masked])
      expect(printed.replaceAll(/^::add-mask::.*$/gm, "")).not.toMatch(new RegExp(`${key}|second`));
  });

  it("sends to several numbers as a run, whose name is the key", async () => {
    const inputs = { TO: " +254 712 345678, +254733000000\n\n@oncall\n", ONCE_KEY: "deploy-1" };
    writeGroup(join(home, "config"), "oncall.txt", "+254712000009\n");
    const refused = inTurn(accept(), answer(400, { error: "no", errorCode: "NO" }), answer(500, {}));

    const [first, again] = [await act(accept(), inputs), await act(accept(), inputs)];
    const other = await act(refused, { ...inputs, ONCE_KEY: "deploy-2" });

    const output = "message-id=msg_0001 msg_0001 msg_0001\noutcome=accepted\nexit-code=0\n";
    expect(first).toMatchObject({ code: 0, output, requests: [{}, {}, {}] });
    expect(again.requests).toEqual([]);
    expect(other).toMatchObject({ code: 11, output: expect.stringContaining("\noutcome=uncertain\nexit-code=11\n") });
  });

  it("tells a refusal, annotates it, and ends with its exit code", async () => {
    const refusal = { error: "100% of\n::stop-commands::x", errorCode: "INSUFFICIENT_CREDITS" };
    const { code, output, printed } = await act(answer(402, refusal));
    const commands = printed.split("\n").filter((line) => line.startsWith("::"));

    expect({ code, output }).toEqual({ code: 5, output: "message-id=\noutcome=rejected\nexit-code=5\n" });
    expect(commands).toEqual([`::add-mask::${key}`, expect.stringMatching(/^::error::rejected: 100%25 of.*%0ANext: /)]);
  });

  it("passes its other inputs on", async () => {
    const inputs = { TO: "0712 345678", COUNTRY: "KE", MESSAGE: "{{name}}", LITERAL: "true" };
    expect((await act(accept(), inputs)).requests).toEqual([{ to: "+254712345678", message: "{{name}}" }]);

    for (const [input, problem] of [
      [{ EXPECT: "test" }, "--expect test asks for a test key"],
      [{ FOR: "1h" }, "--for"],
      [{ MAX_CREDITS: "0" }, "credit"],
      [{ LITERAL: "yes" }, "--literal"],
      [{ TO: "nobody" }, "nobody"],
    ] as const) {
      const refused = await act(accept(), input);
      expect(refused).toMatchObject({ printed: expect.stringContaining(problem), requests: [] });
      expect(refused.output).toMatch(/\noutcome=unsent\nexit-code=\d+\n$/);
    }
  });

  it.each([
    ["one that is accepted", "+254 712 345678", accept()],
    ["several, of which one is refused", "+254712345678,+254733000000", inTurn(accept(), answer(400, {}))],
    ["one that cannot be read", "0712 345678", accept()],
  ])("prints no whole number into a public log: %s", async (_, TO, script) => {
    const { printed } = await act(script, { TO });
    expect(printed).toMatch(/…\d{3}/);
    expect(printed).not.toMatch(/\d(?:[ -]?\d){6}(?=678|000)/);
  });

  it.each([
    ["there is no sms", "exit 127", 127, "none"],
    ["sms ends before there is a message", `echo '{"error":"E","exitCode":12}' >&2; exit 12`, 12, "none"],
    ["sms itself fails", `echo '{"error":"E","exitCode":1}' >&2; exit 1`, 1, "uncertain"],
    ["sms is killed without a word", "kill -9 $$", 137, "uncertain"],
    ["what it says is no object", "echo null >&2; exit 2", 2, "uncertain"],
  ])("tells an outcome and prints no stack if %s", async (_, sms, code, outcome) => {
    const output = `message-id=\noutcome=${outcome}\nexit-code=${code}\n`;
    const ended = await act(accept(), {}, sms);
    expect(ended).toMatchObject({ code, output, printed: expect.not.stringMatching(/^\s+at |node:/m) });
  });

  it.each(["\"; touch hacked; '\n$(touch hacked) `touch hacked`\nb=c", "--sandbox"])(
    "sends the text %j as it is written, and takes no output from the service",
    async (MESSAGE) => {
      const ended = await act(accept({ messageId: "a\noutcome=forged" }), { MESSAGE });

      expect(ended).toMatchObject({ code: 0, requests: [{ message: MESSAGE }] });
      expect(ended.output).toBe("message-id=\noutcome=accepted\nexit-code=0\n");
    },
  );
});
