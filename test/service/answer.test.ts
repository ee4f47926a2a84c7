import { describe, expect, it } from "vitest";
import { judge } from "../../src/service/answer.ts";
import type { Exchange } from "../../src/service/exchange.ts";
import { receiptFor } from "../support/scripts.ts";

const to = "+254712345678";
const url = "https://sms.example.com/api/v1/sms/send";
const now = Date.UTC(2026, 0, 1);

const receipt = receiptFor(to);

function answered(status: number, body: unknown, headers: Record<string, string> = {}): Exchange {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "answered", answer: { url, status, headers }, body: new TextEncoder().encode(text) };
}

describe("judge", () => {
  it("removes secrets from the text of the service before it cuts that text, since half of one is not recognised", () => {
    const secret = "sk_live_0123456789abcdef";
    const exchange = answered(400, { error: `${"x".repeat(490)}${secret}`, errorCode: "NO" });
    const outcome = judge(exchange, { to, now, redact: (text) => text.replaceAll(secret, "…") });
    expect(outcome).toMatchObject({ failure: { error: `${"x".repeat(490)}…` } });
  });

  const least = { success: true, messageId: "msg_1", to };
  const charges = (amount: number) => ({ segments: amount, totalCredits: amount, totalCostKes: amount });

  it.each<[string, object, object]>([
    ["a whole receipt", receipt, receipt],
    ["the least that counts", least, least],
    ["values of another type, which it leaves out", { ...least, segments: "2", newBalance: null, extra: 1 }, least],
    ["a charge of nothing", { ...least, ...charges(0) }, { ...least, ...charges(0) }],
    ["a balance below nothing", { ...least, newBalance: -3 }, { ...least, newBalance: -3 }],
    ["a charge below nothing, which it leaves out", { ...least, ...charges(-1) }, least],
    ["a charge over a thousand million", { ...least, ...charges(1e9 + 1) }, least],
    ["a charge that no number holds", { ...least, ...charges(1e308) }, least],
  ])("accepts %s", (_, body, known) => {
    expect(judge(answered(200, body), { to, now })).toEqual({ kind: "accepted", receipt: known });
  });

  it.each([
    ["", "the answer is not the documented JSON"],
    ["<html>", "the answer is not the documented JSON"],
    ["[]", "the answer is not the documented JSON"],
    [JSON.stringify(receipt).slice(0, -1), "the answer is not the documented JSON"],
    [{ ...receipt, success: false }, "the answer does not report success"],
    [{ ...receipt, success: "true" }, "the answer does not report success"],
    [{ ...receipt, messageId: "" }, "the answer has no message id"],
    [{ ...receipt, messageId: 7 }, "the answer has no message id"],
    [{ ...receipt, to: "+254712345679" }, "the answer is for another recipient"],
    [{ ...receipt, to: undefined }, "the answer names no recipient"],
    [{ ...receipt, to: null }, "the answer names no recipient"],
    [{ success: false, error: "No such route", errorCode: "NO_ROUTE" }, "No such route", "NO_ROUTE"],
    [{ ...receipt, to: undefined, error: "", errorCode: "NO_ROUTE" }, "the answer names no recipient", "NO_ROUTE"],
  ])("is uncertain of a 200 with %j: %s", (body, error, errorCode = "NO_ANSWER") => {
    const failure = { kind: "no-answer", error, errorCode, httpStatus: 200 };
    expect(judge(answered(200, body), { to, now })).toEqual({ kind: "uncertain", failure });
  });

  it.each(
    [
      { statuses: [400, 409, 499], kind: "rejected", ending: "refused", errorCode: "REFUSED" },
      { statuses: [401], kind: "rejected", ending: "unauthorized", errorCode: "UNAUTHORIZED" },
      { statuses: [402], kind: "rejected", ending: "no-credits", errorCode: "INSUFFICIENT_CREDITS" },
      { statuses: [403], kind: "rejected", ending: "forbidden", errorCode: "FORBIDDEN" },
      { statuses: [301, 307, 308, 404, 405], kind: "unsent", ending: "not-the-service", errorCode: "NOT_THE_SERVICE" },
      { statuses: [429], kind: "unsent", ending: "rate-limited", errorCode: "RATE_LIMITED" },
      { statuses: [201, 202, 204, 206], kind: "uncertain", ending: "no-answer", errorCode: "NO_ANSWER" },
      { statuses: [300, 302, 303, 304, 399], kind: "uncertain", ending: "no-answer", errorCode: "NO_ANSWER" },
      { statuses: [408, 600, 999], kind: "uncertain", ending: "no-answer", errorCode: "NO_ANSWER" },
      { statuses: [500, 503, 599], kind: "uncertain", ending: "server-error", errorCode: "SERVER_ERROR" },
    ].flatMap(({ statuses, ...meaning }) => statuses.map((status) => ({ status, ...meaning }))),
  )("takes a bare $status for $kind: $ending", ({ status, kind, ending, errorCode }) => {
    const failure = { kind: ending, errorCode, httpStatus: status };
    expect(judge(answered(status, ""), { to, now })).toMatchObject({ kind, failure });
  });

  it("keeps at most 500 characters of an error, and no half of one", () => {
    const body = { error: `${"a".repeat(498)}😀${"b".repeat(70_000)}`, errorCode: "C".repeat(1_000) };
    const failure = { error: `${"a".repeat(498)}…`, errorCode: "C".repeat(64) };
    expect(judge(answered(400, body), { to, now })).toMatchObject({ failure });
    const whole = { error: "a".repeat(500) };
    expect(judge(answered(400, whole), { to, now })).toMatchObject({ failure: whole });
  });

  it.each([
    [" NO_CREDITS ", "NO_CREDITS"],
    ["E-42.b", "E42b"],
    ["Your code is 4711", "REFUSED"],
    ["…", "REFUSED"],
    [400, "REFUSED"],
  ])("keeps of the error code %j no more than a code has: %s", (errorCode, code) => {
    const outcome = judge(answered(400, { error: "no", errorCode }), { to, now });
    expect(outcome).toMatchObject({ failure: { errorCode: code } });
  });

  it.each(["<html>Forbidden</html>", '{"message":"Forbidden"}'])(
    "takes the 403 of a gateway, %s, for no word of the service about key and sender",
    (body) => {
      expect(judge(answered(403, body), { to, now })).toMatchObject({
        kind: "rejected",
        failure: { kind: "forbidden", error: expect.stringContaining("a gateway") as unknown },
        hint: expect.stringContaining("--verbose") as unknown,
      });
    },
  );

  it("takes the service's own words for a refusal", () => {
    const body = { error: "Insufficient SMS credits", errorCode: "INSUFFICIENT_CREDITS" };
    const failure = { kind: "no-credits", httpStatus: 402, ...body };
    expect(judge(answered(402, body), { to, now })).toEqual({ kind: "rejected", failure });
  });

  it.each([
    ["400", "rejected"],
    ["500", "uncertain"],
    ["429", "unsent"],
    ["200", "uncertain"],
  ])("goes by the status %s where the body never came: %s", (status, kind) => {
    const answer = { url, status: Number(status), headers: {} };
    const outcome = judge({ kind: "broken", why: { kind: "deadline" }, answer }, { to, now });
    expect(outcome).toMatchObject({ kind, failure: { httpStatus: answer.status } });
  });

  it.each([
    [{ kind: "deadline" }, "no answer came in time"],
    [{ kind: "stopped" }, "sms stopped waiting for the answer"],
    [{ kind: "too-large" }, "the answer is too large to be from the service"],
    [
      { kind: "network", code: "ECONNRESET", message: "read ECONNRESET" },
      "the connection broke before the answer was complete: read ECONNRESET",
    ],
  ] as const)("is uncertain where the request had begun and no status came: %j", (why, error) => {
    const failure = { kind: "no-answer", error, errorCode: "NO_ANSWER" };
    expect(judge({ kind: "broken", why, answer: undefined }, { to, now })).toEqual({ kind: "uncertain", failure });
  });

  it.each([
    ["ECONNREFUSED", "back-off"],
    ["PROXY_REFUSED", "never"],
  ])("knows that nothing was sent where the request had not begun: %s, retried %s", (code, retry) => {
    const why = { kind: "network", code, message: "…" } as const;
    expect(judge({ kind: "unreached", why }, { to, now })).toMatchObject({
      kind: "unsent",
      failure: { kind: "unreachable", errorCode: "UNREACHABLE" },
      retry: { kind: retry },
    });
  });

  it.each([
    ["7", { kind: "after", ms: 7000 }, undefined],
    ["99999", { kind: "after", ms: 99_999_000 }, "the service asks to wait 27 h 47 min: send again then"],
    ["90", { kind: "after", ms: 90_000 }, "the service asks to wait 2 min: send again then"],
    ["Thu, 01 Jan 2026 00:00:05 GMT", { kind: "after", ms: 5000 }, undefined],
    ["Wed, 31 Dec 2025 23:59:59 GMT", { kind: "after", ms: 0 }, undefined],
    ["soon", { kind: "back-off" }, undefined],
  ])("reads Retry-After %j", (header, retry, hint) => {
    const outcome = judge(answered(429, "", { "retry-after": header }), { to, now });
    expect(outcome).toEqual({ kind: "unsent", failure: expect.any(Object), retry, hint });
  });
});
