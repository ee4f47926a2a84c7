import { describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../support/needs.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { onTerminal } from "../support/terminal.ts";
import { temporaryFolder } from "../support/folders.ts";

/** Starts a service that charges `totalCredits` for a message, and returns it with an environment that sends to it. */
async function service(totalCredits: number) {
  const server = await startScriptedServer({ onRequest: accept({ totalCredits }) });
  onTestFinished(server.close);
  const folder = temporaryFolder();
  const env = { SMS_CONFIG_DIR: folder, SMS_STATE_DIR: folder, SMS_BASE_URL: server.url, SMS_API_KEY: "sk_live_first" };
  return { server, env };
}

const recipients = ["671", "672", "673"].flatMap((end) => ["--to", `+254712345${end}`]);
const args = ["send", ...recipients, "-m", "Hi", "--run", "first", "--first", "1", "--rate", "60000"];
const question = { sees: "Send 3 live messages for 3 credits?", types: "y\r" };

describe("a run with --first on a terminal", needs("script"), () => {
  it.each([
    ["goes on after yes", "y\r", 0, 3],
    ["ends after Ctrl-C, recorded", "\u0003", 130, 1],
  ])("asks once their charge is compared, and %s", async (_, types, code, sent) => {
    const { server, env } = await service(1);
    const ended = await onTerminal(args, env, [question, { sees: "Send the other 2?", types }]);
    expect([ended.code, server.requests.length]).toEqual([code, sent]);
    expect(ended.shown).toContain("First 1: 1 sent, 1 credit as estimated");
    expect(ended.shown).toContain(`Run first: ${sent} of 3 accepted`);
  });

  it.each([[["--yes"]], [["--yes", "--json"]]])("names a difference and asks, although %j is given", async (flags) => {
    const { server, env } = await service(2);
    const ended = await onTerminal([...args, ...flags], env, [{ sees: "Send the other 2?", types: "n\r" }]);
    expect([ended.code, server.requests.length]).toEqual([12, 1]);
    expect(ended.shown).toContain("1 sent, charged 2 credits, 1 segment, KES 0.80 instead of 1 credit");
    expect(ended.shown).toContain("sms runs resume first --accept-price");
  });
});
