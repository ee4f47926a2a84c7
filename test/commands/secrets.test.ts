import { describe, expect, it } from "vitest";
import { withSandbox } from "./with-sandbox.ts";

const to = "+254712345678";
const { run } = withSandbox();

describe("a secret", () => {
  it.each([
    ["as an option", ["send", "--api-key=sk_live_canary99!x", "--to", to, "-m", "Hi"], {}],
    ["as an argument", ["keys", "use", "sk_live_canary99!x"], {}],
    ["as a base URL", ["login", "--base-url", "https://sk_live_canary99!x@sms.example.com"], {}],
    ["in the environment", ["send", "--to", "sk_live_canary99!x", "-m", "Hi"], { SMS_API_KEY: "sk_live_canary99!x" }],
    ["as a profile", ["status", "--profile", "sk_live_canary99!x"], {}],
    ["on standard input, malformed", ["login", "--base-url", "https://sms.example.com", "--with-key"], {}],
  ])("given %s is never printed", async (_, args, more) => {
    for (const style of [[], ["--json"], ["--verbose"]]) {
      const { code, stdout, stderr } = await run([...args, ...style], {
        environment: more,
        stdin: "sk_live_canary99 x",
      });
      expect(code).not.toBe(0);
      expect(stdout + stderr).not.toContain("canary99");
    }
  });
});
