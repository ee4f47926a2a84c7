import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { onTerminal } from "../support/terminal.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const hi = ["send", "--to", "+254712345678", "-m", "Hi"];
const { sandbox, environment } = withSandbox();

const given = (command: string) => ({
  SMS_BASE_URL: sandbox().url,
  SMS_API_KEY_CMD: command,
  ...environment(),
});

describe("a key command on a terminal", needs("script", "POSIX shell"), () => {
  const asking = `printf "PIN? " >&2; read -r pin; echo "sk_test_$pin"`;

  it("may ask there", async () => {
    const { code, shown } = await onTerminal(hi, given(asking), [{ sees: "PIN? ", types: "sandbox\r" }]);
    expect(shown).toContain("Queued for +254712345678");
    expect(code).toBe(0);
  });

  it("ends with Ctrl-C, and nothing is sent", async () => {
    const before = sandbox().messages().length;
    const { code, shown } = await onTerminal(hi, given(asking), [{ sees: "PIN? ", types: "\u0003" }]);

    expect(code).toBe(130);
    expect(shown).toContain("interrupted");
    expect(sandbox().messages()).toHaveLength(before);
  });
});
