import { describe, expect, it } from "vitest";
import { requestText } from "../../src/commands/sandbox/open.ts";
import type { HttpRequest } from "../../src/sandbox/http-request.ts";
import { refusal } from "../../src/sandbox/reply.ts";

const line = (path: string, to: string) =>
  requestText(0, { method: "POST", path } as HttpRequest, { reply: refusal(400, "", ""), send: { to } });

describe("the log line of a request", () => {
  it("has each detail as one word", () => {
    expect(line("/api/v1/sms/send?a=%20b", "+254712345678")).toBe(
      "1970-01-01T00:00:00.000Z POST /api/v1/sms/send?a=%20b 400 to=+254712345678",
    );
  });

  it.each([
    ["+254 mode=live", '"+254 mode=live"'],
    ["+254\n1970-01-01", '"+254\\n1970-01-01"'],
    ["a\u001b[31m\u202eb", '"a\\u001b[31m\\u202eb"'],
    ['"', '"\\""'],
    ["", '""'],
    ["1".repeat(65), `"${"1".repeat(64)}…"`],
  ])("lets no value look like another field, line or direction: %j", (to, shown) => {
    expect(line("/", to)).toBe(`1970-01-01T00:00:00.000Z POST / 400 to=${shown}`);
  });
});
