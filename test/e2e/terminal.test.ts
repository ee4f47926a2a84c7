import { describe, expect, it } from "vitest";
import { runBuilt } from "../support/built.ts";
import { foldersIn, ownFolder, temporaryFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { onTerminal } from "../support/terminal.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const hi = ["send", "--to", "+254712345678", "-m", "Hi"];

it.each([
  ["colours", {}, "\u001b[32m✓\u001b[39m Queued for +254712345678"],
  ["no colours with NO_COLOR", { NO_COLOR: "1" }, "✓ Queued for +254712345678"],
])("on a terminal a person sees %s", needs("script"), async (_, environment, queued) => {
  const { code, shown } = await onTerminal([...hi, "--sandbox"], environment);

  expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining(queued) });
  expect(shown.includes("\u001b")).toBe(queued.includes("\u001b"));
});

describe("what a person types", needs("script"), () => {
  const { sandbox } = withSandbox();
  const folders = foldersIn(temporaryFolder());

  it("sms login stops at Ctrl-C with 130, stores nothing, and restores the terminal", async () => {
    const { code, shown } = await onTerminal(["login"], folders, [{ sees: "Base URL", types: "\u0003" }]);
    expect(code).toBe(130);
    // The cursor is visible again.
    expect(shown.lastIndexOf("\u001b[?25h")).toBeGreaterThanOrEqual(shown.lastIndexOf("\u001b[?25l"));
    expect((await runBuilt(["status"], { env: folders })).code).toBe(4);
  });

  it("sms login asks for the base URL and the key, and never echoes the key", async () => {
    const { code, shown } = await onTerminal(["login"], folders, [
      { sees: "Base URL", types: ` ${sandbox().url} \r` },
      { sees: "API key", types: "wrong\u0015sk_test_sandboxes\u007f\u007f\r" },
      { sees: "Country", types: "uk\r" },
      { sees: "the United Kingdom is GB", types: "\u0015ke\r" },
    ]);
    expect(code).toBe(0);
    expect(shown).toContain("Logged in");
    expect(shown).toMatch(/Country.{0,20} KE\r\n/);
    expect(shown).toMatch(/Next:.* sms send --to NUMBER --message "Hello"\r\n$/);
    expect(shown).not.toContain("sk_test_sandbox");
    expect(shown.match(/\*+/g)?.at(-1)).toBe("*".repeat("sk_test_sandbox".length));
  });

  it("sms login takes a bare host, and clears a pasted key that it refuses", async () => {
    const { code, shown } = await onTerminal(["login", "--profile", "shop"], folders, [
      { sees: "Base URL", types: `${sandbox().url.replace("http://", "")}\r` },
      { sees: "API key", types: '"sk_live_sandbox"\r' },
      // Until the next prompt is there, the terminal itself echoes what is typed.
      { sees: "leave the quotes out", types: "" },
      { sees: "API key", types: " sk_live_sandbox \r" },
      { sees: "Country", types: "\r" },
    ]);
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining("sms send --profile shop --to NUMBER") });
    expect(shown).not.toContain("sk_live_sandbox");
    expect(shown).not.toMatch(/✔[^\r\n]*API key/);
  });

  it("asks for a key to store, without echo, and before it removes keys", async () => {
    const added = await onTerminal(["keys", "add", "prod"], folders, [{ sees: "API key", types: "sk_live_sandbox\r" }]);
    const removed = await onTerminal(["logout"], folders, [{ sees: "Remove 2 keys", types: "y\r" }]);

    expect(added).toMatchObject({ code: 0, shown: expect.stringContaining("Added live key prod.") });
    expect(added.shown).not.toContain("sk_live_sandbox");
    expect(removed).toMatchObject({ code: 0, shown: expect.stringContaining("Removed the credentials of profile") });
    expect((await runBuilt(["status"], { env: folders })).code).toBe(4);
  });

  it("does not ask if CI is set", async () => {
    const { code, shown } = await onTerminal(["login", "--base-url", sandbox().url], { ...folders, CI: "true" });
    expect(code).toBe(2);
    expect(shown).toContain("cannot prompt for the secret: not a terminal");
  });

  it.each([
    ["may ask there", "sandbox\r", 0, "Queued for +254712345678"],
    ["ends with Ctrl-C, and nothing is sent", "\u0003", 130, "interrupted"],
  ])("a key command %s", needs("POSIX shell"), async (_, types, code, sees) => {
    const asking = `printf "PIN? " >&2; read -r pin; echo "sk_test_$pin"`;
    const env = { ...ownFolder().env, SMS_BASE_URL: sandbox().url, SMS_API_KEY_CMD: asking };
    const before = sandbox().messages().length;

    const ended = await onTerminal(hi, env, [{ sees: "PIN? ", types }]);

    expect(ended).toEqual({ code, shown: expect.stringContaining(sees) });
    expect(sandbox().messages().length - before).toBe(code === 0 ? 1 : 0);
  });
});
