import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { ask, hello, post, runSandbox } from "./running.ts";

describe("/_sandbox/messages", () => {
  async function taken(): Promise<Sandbox> {
    let now = Date.UTC(2030, 0, 1);
    const sandbox = await runSandbox({ now: () => now });
    for (const [to, senderIdName] of [
      ["+254712345678", "ACME"],
      ["+254712345679", "ACME"],
      ["+254712345678", "SANDBOX"],
    ]) {
      await post(sandbox, { ...hello, to, senderIdName });
      now += 60_000;
    }
    return sandbox;
  }

  it.each([
    ["", [1, 2, 3]],
    ["to=%2B254712345678", [1, 3]],
    ["to=+254712345678", [1, 3]],
    ["since=message-1", [2, 3]],
    ["since=message-3", []],
    ["since=message-1&to=%2B254712345678", [3]],
  ])("?%s", async (query, expected) => {
    const [status, messages] = await ask(await taken(), `messages?${query}`);
    expect([status, (messages as { messageId: string }[]).map(({ messageId }) => messageId)]).toEqual([
      200,
      expected.map((n) => `message-${n}`),
    ]);
  });

  it.each([
    ["from=ACME", "from is unknown; use to or since"],
    ["to=0712", "to must be a number in E.164 format"],
    ["to=%2B254712345678&to=%2B254712345679", "to is given twice"],
    ["since=message-9", "since must be the id of a message in the sandbox"],
  ])("?%s is refused with 400", async (query, error) => {
    expect(await ask(await runSandbox(), `messages?${query}`)).toEqual([400, { error, errorCode: "INVALID_REQUEST" }]);
  });
});
