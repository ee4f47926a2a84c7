import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.ts";
import { sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { startSms } from "../support/sms.ts";
import { onTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const faults = "400 401 402 403 429 500 503 unreachable reset silent garbled half".split(" ");
const taken = ["500", "reset", "silent", "garbled", "half"];
const everyFault = ["sandbox", "exec", "--every-fault"];

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** A client that asks to check its key first, then tries so many times, and ends so if no answer reports success. */
function client(tries: number, exitCode: number, to = ["+254712345678"]): readonly string[] {
  const path = join(folder, "client.mjs");
  writeFileSync(
    path,
    `const { SMS_BASE_URL, SMS_API_KEY } = process.env;
const headers = { authorization: "Bearer " + SMS_API_KEY, "content-type": "application/json" };
async function post(fields) {
  const signal = AbortSignal.timeout(400);
  const request = { method: "POST", headers, body: JSON.stringify(fields), signal };
  return (await fetch(SMS_BASE_URL + "/api/v1/sms/send", request)).json().catch(() => ({}));
}
const send = (to) => post({ to, message: "Hello" }).then(({ success }) => success === true, () => false);
await post({}).then(({ error }) => error ?? process.exit(99), () => {});
let isSent = false;
for (const to of ${JSON.stringify(to)}) {
  isSent = false;
  for (let n = 0; n < ${tries} && !isSent; n++) isSent = await send(to);
}
process.exit(isSent ? 0 : ${exitCode});
`,
  );
  return ["--", process.execPath, path];
}

async function trialsOf(command: readonly string[], options: readonly string[] = []) {
  const { code, stdout, stderr } = await sms([...everyFault, "--json", ...options, ...command], {
    environment: { PATH: process.env["PATH"] ?? "", FOLDER: folder },
  });
  const trials: readonly Trial[] = JSON.parse(stdout || "[]");
  return { code, stderr, trials };
}

interface Trial {
  readonly fault: string;
  readonly exitCode: number;
  readonly texts: number;
  readonly twice: boolean;
  readonly lost: boolean;
  readonly timedOut?: true;
}

describe("sms sandbox exec --every-fault", needs("POSIX shell", "CI to be set"), () => {
  it("shows where a client that tries again texts somebody twice: 11", async () => {
    const { code, trials } = await trialsOf(client(3, 9));
    const expected = faults.map((fault) => {
      const texts = fault === "unreachable" ? 0 : taken.includes(fault) ? 2 : 1;
      return { fault, exitCode: texts === 0 ? 9 : 0, texts, twice: texts === 2, lost: false };
    });
    expect({ code, trials }).toEqual({ code: 11, trials: expected });
  });

  it("shows where a client that always ends with 0 loses a text: 11", async () => {
    const { code, trials } = await trialsOf(client(1, 0));
    const expected = faults.map((fault) => {
      const texts = taken.includes(fault) ? 1 : 0;
      return { fault, exitCode: 0, texts, twice: false, lost: texts === 0 };
    });
    expect({ code, trials }).toEqual({ code: 11, trials: expected });
  });

  it("shows that the first of two people got nothing, though the second got a text", async () => {
    const { trials } = await trialsOf(client(1, 0, ["+254712345678", "+254712345679"]));
    expect(trials.filter(({ lost }) => lost).map(({ fault }) => fault)).toEqual(
      faults.filter((fault) => !taken.includes(fault)),
    );
  });

  it("says in a line for each fault that a client stands it, on stdout alone: 0", async () => {
    const { code, stdout, stderr } = await sms([...everyFault, ...client(1, 3)]);
    expect(stderr).toBe("Nobody got a text twice, and no text was lost.\n");
    const lines = stdout.trimEnd().split("\n");
    expect({ code, first: lines[0], count: lines.length }).toEqual({
      code: 0,
      first: "✓ 400          exit 3    0 texts",
      count: 12,
    });
    expect(lines.map((line) => line.split(/ +/)[1])).toEqual(faults);
    expect(lines[9]).toBe("✓ silent       exit 3    1 text");
  });

  it("gives each run all of standard input, and nothing of another run", async () => {
    const script = `test -z "$(ls "$SMS_STATE_DIR" 2>/dev/null)" && mkdir "$SMS_STATE_DIR" || exit 9
if test -e "$FOLDER/out"; then cat >> "$FOLDER/out"; else head -c 1 > "$FOLDER/out"; fi; echo noise; exit 1`;
    const { ended } = startSms([...everyFault, "--quiet", "--", "sh", "-c", script], {
      stdin: "line\n",
      env: { FOLDER: folder, TMPDIR: temporaryFolder() },
    });
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "noise\n".repeat(12) });
    expect(readFileSync(join(folder, "out"), "utf8")).toBe(`l${"line\n".repeat(11)}`);
  });

  it("ends a command that does not end, with all that it started, and says so: 11", async () => {
    const script = `echo $$ >> "$FOLDER/pids"
test -e "$FOLDER/first" || { : > "$FOLDER/first"; trap "" TERM; }
sleep 98 & echo $! >> "$FOLDER/pids"; setsid sleep 97 & echo $! >> "$FOLDER/pids"; wait; sleep 99`;
    const { code, trials } = await trialsOf(["--", "sh", "-c", script], ["--timeout", "0.3"]);
    expect(code).toBe(11);
    expect(trials.map(({ exitCode, timedOut }) => ({ exitCode, timedOut }))).toEqual(
      faults.map((_, index) => ({ exitCode: index === 0 ? 137 : 143, timedOut: true })),
    );
    const pids = readFileSync(join(folder, "pids"), "utf8").trim().split("\n");
    expect(pids).toHaveLength(36);
    expect(pids.filter((pid) => runs(pid))).toEqual([]);
  });

  it("ends what a command leaves behind", async () => {
    const script = 'sleep 98 & echo $! >> "$FOLDER/pids"; setsid sleep 97 & echo $! >> "$FOLDER/pids"; exit 1';
    expect((await trialsOf(["--", "sh", "-c", script])).code).toBe(0);
    const pids = readFileSync(join(folder, "pids"), "utf8").trim().split("\n");
    expect(pids.filter((pid) => runs(pid))).toEqual([]);
  });

  it("leaves nothing after Ctrl-C, and tries no other fault: 130", async () => {
    const temporary = temporaryFolder();
    const words = ["sh", "-c", 'echo $$ > "$FOLDER/pids"; sleep 98'];
    const running = startSms([...everyFault, "--", ...words], { env: { FOLDER: folder, TMPDIR: temporary } });
    await until(() => existsSync(join(folder, "pids")) && readFileSync(join(folder, "pids"), "utf8") !== "");
    expect(await running.signal("SIGINT")).toBe(130);
    expect(runs(readFileSync(join(folder, "pids"), "utf8").trim())).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("says at a terminal which fault is being tried", needs("script"), async () => {
    const { shown } = await onTerminal([...everyFault, "--", "false"], { NO_COLOR: "1" });
    expect([...shown.matchAll(/^Trying (\S+) \(\d+ of 12\)\r$/gm)].map(([, fault]) => fault)).toEqual(faults);
    expect(shown).toContain("so this proves nothing");
  });

  it.each([
    [["--expect-messages", "1", "--", "true"], 2, "--expect-messages is not for --every-fault"],
    [["--fault", "500:1%", "--", "true"], 2, "--fault is not for --every-fault"],
    [["--", "nosuch"], 127, "COMMAND_NOT_STARTED"],
  ])("refuses %j: %i", async (words, code, error) => {
    expect(await trialsOf(words)).toMatchObject({ code, trials: [], stderr: expect.stringContaining(error) });
  });

  it.each([
    [["--json"], "--json needs --every-fault"],
    [["--timeout", "5"], "--timeout needs --every-fault"],
  ])("is what %j needs", async (options, error) => {
    const { code, stderr } = await sms(["sandbox", "exec", ...options, "--", "true"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(error) });
  });
});

/** A zombie has ended. */
function runs(pid: string): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/\) Z /.test(readFileSync(stat, "utf8"));
}
