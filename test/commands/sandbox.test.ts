import { describe, expect, it, test } from "vitest";
import { hello, liveKey, post, testKey } from "../sandbox/running.ts";
import { sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { type RunningSms, startSms } from "../support/sms.ts";
import { onTerminal } from "../support/terminal.ts";

/** Starts a sandbox in a process of its own on a free port; `printed` is what it printed with `--json`. */
async function serve(...args: readonly string[]): Promise<{ running: RunningSms; url: string; printed: object }> {
  const running = startSms(["sandbox", "--port", "0", ...args], { env: { SMS_API_KEY: "sk_live_sandbox" } });
  const line = await running.firstLine();
  const printed = line.startsWith("{") ? (JSON.parse(line) as object) : {};
  return { running, printed, url: /http:\/\/[\d.:]+/.exec(line)?.[0] ?? line };
}

const postTo = (url: string, fields: object, authorization = liveKey) => post({ url }, fields, { authorization });

describe("sms sandbox", () => {
  test("prints one line with --json once it listens, with its keys although one is in the environment", async () => {
    const { running, url, printed } = await serve("--json");
    expect(printed).toEqual({ url, keys: ["sk_test_sandbox", "sk_live_sandbox"] });
    expect((await postTo(url, hello)).status).toBe(200);
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0, stdout: `${JSON.stringify(printed)}\n`, stderr: "" });
  });

  test("prints only its address with --quiet", async () => {
    const { running, url } = await serve("--quiet");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 0, stdout: `${url}\n`, stderr: "" });
  });

  test("says how to use it, and at the end what it received", async () => {
    const { running, url } = await serve();
    await postTo(url, { ...hello, message: "a".repeat(161) });
    await postTo(url, hello, testKey);
    await fetch(`${url}/_sandbox/messages`, { method: "DELETE" });
    running.child.kill("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "Received 2 messages in 3 segments; 2 credits would be charged.\n",
    });
    expect(stdout).toBe(`The sandbox listens at ${url}; Ctrl-C stops it.

  Inbox    ${url}/
  Keys     sk_test_sandbox (test: free), sk_live_sandbox (live: charged)
  Numbers  +254700000400 401 402 403 429 500 502 503 get that answer
           +254700000598 is cut off, …599 never answered, …200 not JSON

In another shell:

  export SMS_BASE_URL=${url} SMS_API_KEY=sk_test_sandbox
  sms send --to +254712345678 --message "Hello"

`);
  });
});

describe("sms sandbox refuses", () => {
  it.each<[string, string, string, string?]>([
    ["--fault 404:1%", "INVALID_FAULT", '--fault: "404:1%" is not a fault'],
    ["--sender :a", "INVALID_OPTION", '--sender ":a" needs a name without control characters'],
    // `sms sandbox messages` has no --port either.
    ["--port 0 messages", "INVALID_OPTION", "--port before messages is an option of sandbox", "leave it out"],
  ])("%s", async (words, errorCode, error, hint = "") => {
    const { code, stdout, stderr } = await sms(["sandbox", "--json", ...words.split(" ")]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ errorCode, error });
    expect(stderr).toContain(hint);
  });
});

test(
  "sms sandbox says at a terminal what there is to try, and prints a line for each send",
  needs("script"),
  async () => {
    const send = (shown: string) => {
      const url = /http:[\d/.:]+\d/.exec(shown)?.[0] ?? "";
      void postTo(url, hello, testKey)
        .then(() => postTo(url, { to: "+254700000402", message: "secret" }))
        .then(() => postTo(url, { to: "\u001b[2J0712", message: "secret" }))
        .then(() => postTo(url, {}))
        .then(() => postTo(url, { ...hello, to: "+254700000598" }))
        .catch(() => {});
    };
    const { shown } = await onTerminal(["sandbox", "--port", "0"], { NO_COLOR: "1" }, [
      { sees: '--message "Hello"', types: "", meanwhile: send },
      { sees: "cut off", types: "\u0003" },
    ]);
    expect(shown).toMatch(/Inbox {4}http:\/\/127\.0\.0\.1:\d+\/\r\n/);
    expect(shown).toContain("Keys     sk_test_sandbox (test: free), sk_live_sandbox (live: charged)");
    expect(shown).toContain("000598 is cut off");
    const lines = [...shown.matchAll(/^\d\d:\d\d:\d\d {2}(?<line>.*)\r$/gm)].map(({ groups }) => groups?.["line"]);
    expect(lines).toEqual([
      "test     +254712345678, 1 segment  200",
      "live     +254700000402  402 INSUFFICIENT_CREDITS (000402)",
      "live     \\u001b[2J0712  400 INVALID_REQUEST",
      "live     check of credentials  taken",
      "live     +254700000598, 1 segment  cut off (000598)",
    ]);
    expect(shown).toContain("Received 2 messages in 2 segments; 1 credit would be charged.");
  },
);
