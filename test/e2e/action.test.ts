import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { needs } from "../support/needs.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer, inTurn } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";

const folder = resolve(".github/actions/send");
const key = "sk_live_of_the_action";
let home: string;

beforeEach(() => {
  home = temporaryFolder();
  writeFileSync(join(home, "sms"), `#!/bin/sh\nexec ${shellLine(program)} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(home, "output"), "");
});

/** Runs the script of the action as a runner does; `sms` is a shell script in place of the program. */
async function act(onRequest: Script, inputs: Readonly<Record<string, string>> = {}, sms?: string) {
  if (sms !== undefined) writeFileSync(join(home, "sms"), sms);
  const server = await startScriptedServer({ onRequest });
  const env = {
    PATH: `${home}${delimiter}${process.env["PATH"]}`,
    HOME: home,
    GITHUB_OUTPUT: join(home, "output"),
    SMS_BASE_URL: server.url,
    SMS_API_KEY: key,
    TO: "+254712345678",
    MESSAGE: "Hi",
    SENDER: "",
    ONCE_KEY: "",
    FOR: "",
    COUNTRY: "",
    EXPECT: "",
    MAX_CREDITS: "",
    LITERAL: "false",
    ...inputs,
  };
  const child = spawn("bash", [join(folder, "send.sh")], { env });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += String(chunk)));
  const code = await new Promise((done) => child.on("close", done));
  return { code, printed, output: readFileSync(join(home, "output"), "utf8"), requests: server.requests };
}

describe("the action", needs("bash", "CI to be set"), () => {
  it("tells the identifier of an accepted message, and masks the key", async () => {
    const { code, output, printed } = await act(accept({ messageId: "msg-1" }));
    expect({ code, output }).toEqual({ code: 0, output: "message-id=msg-1\noutcome=accepted\nexit-code=0\n" });
    expect(printed.split("\n")[0]).toBe(`::add-mask::${key}`);
    expect(printed.split("\n").slice(1).join()).not.toContain(key);
  });

  it("sends to several numbers as a run, whose name is the key", async () => {
    const inputs = { TO: " +254 712 345678, +254733000000\n\n@oncall\n", ONCE_KEY: "deploy-1" };
    const groups = join(home, "config", "groups");
    mkdirSync(groups, { recursive: true, mode: 0o700 });
    writeFileSync(join(groups, "oncall.txt"), "+254712000009\n");
    const folders = foldersIn(home);
    const first = await act(accept(), { ...inputs, ...folders });
    expect(first).toMatchObject({
      code: 0,
      output: "message-id=msg_0001 msg_0001 msg_0001\noutcome=accepted\nexit-code=0\n",
    });
    expect((await act(accept(), { ...inputs, ...folders })).requests).toEqual([]);
    const refused = inTurn(accept(), answer(400, { error: "no", errorCode: "NO" }), answer(500, {}));

    expect(await act(refused, { ...inputs, ...folders, ONCE_KEY: "deploy-2" })).toMatchObject({
      code: 11,
      output: expect.stringContaining("\noutcome=uncertain\nexit-code=11\n"),
    });
  });

  it("tells a refusal, annotates it, and ends with its exit code", async () => {
    const refusal = { error: "100% of\n::stop-commands::x", errorCode: "INSUFFICIENT_CREDITS" };
    const { code, output, printed } = await act(answer(402, refusal));
    expect({ code, output }).toEqual({ code: 5, output: "message-id=\noutcome=rejected\nexit-code=5\n" });
    const commands = printed.split("\n").filter((line) => line.startsWith("::"));

    expect(commands).toEqual([`::add-mask::${key}`, expect.stringMatching(/^::error::rejected: 100%25 of.*%0ANext: /)]);
  });

  it("passes its other inputs on", async () => {
    const inputs = { TO: "0712 345678", COUNTRY: "KE", MESSAGE: "{{name}}", LITERAL: "true" };
    const { code, requests } = await act(accept(), inputs);
    expect({ code, requests: requests.map(({ body }) => JSON.parse(body) as object) }).toEqual({
      code: 0,
      requests: [{ to: "+254712345678", message: "{{name}}" }],
    });
    for (const [input, problem] of [
      [{ EXPECT: "test" }, "--expect test asks for a test key"],
      [{ FOR: "1h" }, "--for"],
      [{ MAX_CREDITS: "0" }, "credit"],
      [{ LITERAL: "yes" }, "--literal"],
    ] as const) {
      const refused = await act(accept(), input);
      expect({ printed: refused.printed, requests: refused.requests.length }).toEqual({
        printed: expect.stringContaining(problem),
        requests: 0,
      });
    }
  });

  it.each([
    ["one that is accepted", "+254 712 345678", accept()],
    ["several, of which one is refused", "+254712345678,+254733000000", inTurn(accept(), answer(400, {}))],
    ["one that cannot be read", "0712 345678", accept()],
  ])("prints no whole number into a public log: %s", async (_, TO, script) => {
    const { printed } = await act(script, { TO, ...foldersIn(home) });
    expect(printed).toMatch(/…\d{3}/);
    expect(printed).not.toMatch(/\d(?:[ -]?\d){6}(?=678|000)/);
  });

  it("tells that nothing was tried", async () => {
    const { output, requests } = await act(accept(), { TO: "nobody" });
    expect({ output, requests: requests.length }).toEqual({
      output: "message-id=\noutcome=unsent\nexit-code=2\n",
      requests: 0,
    });
  });

  it.each([
    ["there is no sms", "#!/no/such/shell\n", 127, "none"],
    ["sms ends before there is a message", `#!/bin/sh\necho '{"error":"E","exitCode":12}' >&2; exit 12\n`, 12, "none"],
    ["sms itself fails", `#!/bin/sh\necho '{"error":"E","exitCode":1}' >&2; exit 1\n`, 1, "uncertain"],
    ["sms is killed without a word", "#!/bin/sh\nkill -9 $$\n", 137, "uncertain"],
    ["what it says is no object", "#!/bin/sh\necho null >&2; exit 2\n", 2, "uncertain"],
  ])("tells an outcome and prints no stack if %s", async (_, sms, status, outcome) => {
    const { code, output, printed } = await act(accept(), {}, sms);
    expect({ code, output }).toEqual({
      code: status,
      output: `message-id=\noutcome=${outcome}\nexit-code=${status}\n`,
    });
    expect(printed).not.toMatch(/^\s+at |node:/m);
  });

  it("tells an identifier that the service counts", async () => {
    const sms = `#!/bin/sh\necho '{"messageId":7}'\n`;
    expect(await act(accept(), {}, sms)).toMatchObject({ code: 0, output: expect.stringMatching(/^message-id=7\n/) });
  });

  it("masks each line of a key", async () => {
    const { printed } = await act(accept(), { SMS_API_KEY: " sk_live_first\r\n\nsecond 100% \n" });
    expect(printed).toMatch(/^::add-mask::sk_live_first\n::add-mask::second 100%25\n/);
    expect(printed.replaceAll(/^::add-mask::.*$/gm, "")).not.toMatch(/sk_live_first|second/);
  });

  it.each(["\"; touch hacked; '\n$(touch hacked) `touch hacked`\nb=c", "--sandbox"])(
    "sends the text %j as it is written",
    async (text) => {
      const { code, requests, output } = await act(accept({ messageId: "a\noutcome=forged" }), { MESSAGE: text });
      expect({ code, requests: requests.map(({ body }) => (JSON.parse(body) as { message: string }).message) }).toEqual(
        { code: 0, requests: [text] },
      );
      expect(output).toBe("message-id=\noutcome=accepted\nexit-code=0\n");
    },
  );

  it("tells that nothing was tried if it could not install sms", () => {
    const { outputs } = parse(readFileSync(join(folder, "action.yml"), "utf8")) as {
      outputs: Readonly<Record<string, { readonly value: string }>>;
    };
    expect(outputs["outcome"]?.value).toContain("|| (steps.send.outcome == 'skipped' && 'none') || 'uncertain' }}");
  });

  it("installs the version of its own repository unless it is there, and none where there is no such version", async () => {
    writeFileSync(join(home, "npm"), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });
    const install = (place: string) =>
      promisify(execFile)("bash", [join(folder, "install.sh")], {
        env: { PATH: `${home}${delimiter}${process.env["PATH"]}`, GITHUB_ACTION_PATH: place },
      });
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect((await install(folder)).stdout).toBe("");
    writeFileSync(join(home, "sms"), "#!/bin/sh\necho 0.0.1\n");
    expect((await install(folder)).stdout).toMatch(new RegExp(`^npm install .* sms-cli@${version}\n$`));
    mkdirSync(join(home, "a/b/c"), { recursive: true });
    writeFileSync(join(home, "package.json"), '{"name":"another","version":"1.0.0"}');

    await expect(install(join(home, "a/b/c"))).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^::error::/),
    });
  });

  it("gives inputs to scripts by the environment alone", () => {
    const { runs } = parse(readFileSync(join(folder, "action.yml"), "utf8")) as { runs: { steps: { run: string }[] } };
    for (const { run } of runs.steps) expect(run).not.toContain("${{");
  });
});
