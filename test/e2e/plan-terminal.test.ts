import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { widest } from "../terminal/page.ts";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { lineOnTerminal } from "../support/terminal.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const text = "Hi {{name}}, you owe KES {{due}}. Please pay by Friday at the latest, or call us back before noon.";

/** What was shown before the question, as lines. */
function planIn(shown: string): readonly string[] {
  return stripVTControlCharacters(shown).split("\r\n? ")[0]?.split("\r\n") ?? [];
}

describe("a plan on a terminal, and the answer no", needs("script"), () => {
  const { sandbox, environment, file, run } = withSandbox({ rate: 2000, credits: 1, key: "sk_live_sandbox" });

  const on = (columns: number, words: readonly string[], sees: string, types: string) =>
    lineOnTerminal(
      shellLine([...program, ...words]),
      { ...environment(), SMS_SENDER: "ACME" },
      [{ sees, types }],
      columns,
    );

  it("of a new run fits 80 columns, and one that was begun 50", async () => {
    const list = file("list.csv", "to,name,due\n+254712345001,Ann,300\n+254712345002,Ben,400\n");
    const send = ["send", "-r", list, "-m", text, "--run", "march"];
    const declined = await on(80, send, "Send 2 live messages to a sandbox?", "n\r");
    expect({ code: declined.code, sent: sandbox().messages().length }).toEqual({ code: 2, sent: 0 });
    expect(declined.shown).toMatch(/Cancelled; nothing was sent\.\r\n$/);
    const plan = planIn(declined.shown);
    expect(widest(plan.join("\n"))).toBeLessThanOrEqual(80);
    const words = plan.join("\n").replaceAll(/\s+/g, " ");
    expect(words).toContain(
      `SANDBOX 2 messages; no phone receives them 2 segments; a real send would be charged 2 credits under a minute, at 100 a minute From ACME First line 2, +254712345001 Text Hi Ann, you owe KES 300. Please pay by Friday at the latest, or call us back before noon. File ${list} Run march Key sk_live_…dbox (from SMS_API_KEY) Base URL ${sandbox().url}`,
    );

    expect((await run([...send, "--sender", "ACME", "--yes"])).code).toBe(5);
    const resumed = await on(50, ["runs", "resume", "march"], "Send 1 live message to a sandbox?", "n\r");
    expect({ code: resumed.code, sent: sandbox().messages().length }).toEqual({ code: 2, sent: 1 });
    expect(resumed.shown).toMatch(/Cancelled; nothing was sent\.\r\n$/);
    const rest = planIn(resumed.shown);
    expect(widest(rest.join("\n"))).toBeLessThanOrEqual(50);
    expect(rest).toContain("  SANDBOX   1 of 2 messages left; no phone");
    expect(rest).toContain("  First     line 3, +254712345002");
  });
});
