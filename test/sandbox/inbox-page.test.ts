import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { hello, liveKey, post, read, runSandbox } from "./running.ts";

async function page(sandbox: Sandbox): Promise<string> {
  return (await fetch(sandbox.url)).text();
}

describe("the inbox", () => {
  it("lists as JSON what was taken", async () => {
    const sandbox = await runSandbox();
    const messagesUrl = `${sandbox.url}/_sandbox/messages`;
    expect(await read(fetch(messagesUrl))).toEqual([200, []]);
    await post(sandbox, hello);
    await post(sandbox, { ...hello, senderIdName: "ACME" }, { authorization: liveKey });
    const cut = { encoding: "GSM-7", parts: ["Hello"], segments: 1 };
    const sent = { ...hello, ...cut, totalCredits: 1, totalCostKes: 0.8, at: "2030-01-01T00:00:00.000Z" };
    expect(await read(fetch(messagesUrl))).toEqual([
      200,
      [
        { ...sent, messageId: "message-1", senderId: "SANDBOX", mode: "test" },
        { ...sent, messageId: "message-2", senderId: "ACME", mode: "live" },
      ],
    ]);
  });

  it("says on the page how to send the first message", async () => {
    const sandbox = await runSandbox();
    expect(await page(sandbox)).toContain(`export SMS_BASE_URL=${sandbox.url}\n`);
  });

  it("shows on the page each message, its sender and its cost, newest first", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, message: "a".repeat(161) });
    await post(sandbox, { ...hello, senderIdName: "ACME" }, { authorization: liveKey });
    const shown = (await page(sandbox))
      .replace(/<style>.*<\/style>/s, "")
      .replace(/<[^>]*>/g, "")
      .split("\n")
      .filter((line) => line !== "");
    expect(shown).toEqual([
      "sms sandbox",
      "sms sandbox",
      "2 messages · 99 credits left · free tier, 100 requests a minute",
      "+254712345678",
      "from ACME · 2030-01-01 00:00:00 UTC",
      "Hello",
      "live 1 segment · 1 credit · KES 0.80",
      "+254712345678",
      "from SANDBOX · 2030-01-01 00:00:00 UTC",
      "a".repeat(161),
      "test 2 segments · 2 credits · KES 1.60, not charged",
      "All as JSON",
    ]);
  });

  it("shows the latest 200 and says so", async () => {
    const sandbox = await runSandbox({ tier: "starter" });
    for (let n = 1; n <= 201; n++) await post(sandbox, { ...hello, message: `number ${n}.` });
    const shown = await page(sandbox);
    expect(shown.match(/number \d+\./g)).toEqual(Array.from({ length: 200 }, (_, n) => `number ${201 - n}.`));
    expect(shown).toContain("The latest 200 are shown.");
  });

  it.each([
    ["<script>alert(1)</script>", "&#60;script&#62;alert(1)&#60;/script&#62;"],
    ["</p><img src=x onerror=alert(1)>", "&#60;/p&#62;&#60;img src=x onerror=alert(1)&#62;"],
    [`&amp; "double" 'single'`, "&#38;amp; &#34;double&#34; &#39;single&#39;"],
    ["$& $1 $`", "$&#38; $1 $`"],
  ])("never lets %j become markup", async (message, escaped) => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, message });
    expect(await page(sandbox)).toContain(`<p class="text" dir="auto">${escaped}</p>`);
  });

  it("allows nothing but its own style", async () => {
    const sandbox = await runSandbox();
    const answer = await fetch(sandbox.url);
    const style = /<style>(.*)<\/style>/s.exec(await answer.text())?.[1] ?? "";
    const digest = await crypto.subtle.digest("SHA-256", Buffer.from(style));
    const hash = Buffer.from(digest).toString("base64");
    expect(answer.headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });
});
