import { expect, test } from "vitest";
import { hello, liveKey, post } from "../sandbox/running.ts";
import { needs } from "../support/needs.ts";
import { onTerminal } from "../support/terminal.ts";

const live = { authorization: liveKey };

test(
  "sms sandbox says at a terminal what there is to try, and prints a line for each send",
  needs("script"),
  async () => {
    const send = (shown: string) => {
      const url = /http:[\d/.:]+\d/.exec(shown)?.[0] ?? "";
      void post({ url }, hello)
        .then(() => post({ url }, { to: "+254700000402", message: "secret" }, live))
        .then(() => post({ url }, { to: "\u001b[2J0712", message: "secret" }, live))
        .then(() => post({ url }, { ...hello, to: "+254700000598" }, live))
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
      "live     +254700000598, 1 segment  cut off (000598)",
    ]);
    expect(shown).toContain("Received 2 messages in 2 segments; 1 credit would be charged.");
  },
);
