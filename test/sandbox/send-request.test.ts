import { describe, expect, it } from "vitest";
import { hello, post, read, runSandbox, testKey } from "./running.ts";

const badNumber = "to must be a phone number in E.164 format, such as +254712345678";
const badMessage = "message must be a string of 1 to 1600 characters";
const halfPair = "message has half of a surrogate pair, which is no character";
const notAnObject = "The body must be a JSON object in UTF-8";

const acmeId = "5e4de00000000000000000a2";

describe("validation of a send", () => {
  it.each<[string, object | string | Uint8Array, string]>([
    ["no recipient", { message: "Hello" }, badNumber],
    ["a number", { ...hello, to: 254712345678 }, badNumber],
    ["a national number", { ...hello, to: "0712345678" }, badNumber],
    ["a leading zero", { ...hello, to: "+0712345678" }, badNumber],
    ["16 digits", { ...hello, to: "+2547123456789012" }, badNumber],
    ["a line end", { ...hello, to: "+254712345678\n" }, badNumber],
    ["other digits", { ...hello, to: "+254٧١٢٣٤٥٦٧٨" }, badNumber],
    ["no message", { to: hello.to }, badMessage],
    ["an empty message", { ...hello, message: "" }, badMessage],
    ["a message that is not a string", { ...hello, message: ["Hello"] }, badMessage],
    ["1601 characters", { ...hello, message: "a".repeat(1601) }, badMessage],
    ["1602 UTF-16 units", { ...hello, message: "😀".repeat(801) }, badMessage],
    ["half of a surrogate pair", String.raw`{"to":"+254712345678","message":"\ud83d"}`, halfPair],
    ["a misspelt field", { to: hello.to, mesage: "Hello" }, "mesage is not a field of this request"],
    ["two senders", { ...hello, senderIdName: "ACME", senderId: acmeId }, "Give senderIdName or senderId, not both"],
    ["a sender name that is not a string", { ...hello, senderIdName: null }, "senderIdName must be a string"],
    ["a sender ID of 23", { ...hello, senderId: "a".repeat(23) }, "senderId must be 24 hexadecimal characters"],
    ["an inherited name", '{"__proto__":{"to":"+254712345678"}}', "__proto__ is not a field of this request"],
    ["malformed JSON", '{"to":', notAnObject],
    ["an array", "[]", notAnObject],
    ["deeply nested JSON", "[".repeat(60_000), notAnObject],
    ["bytes that are not UTF-8", Buffer.from('{"to":"\xff"}', "latin1"), notAnObject],
  ])("refuses %s with 400", async (_, body, error) => {
    const sandbox = await runSandbox();
    expect(await read(post(sandbox, body))).toEqual([400, { error, errorCode: "INVALID_REQUEST" }]);
    expect(sandbox.messages()).toEqual([]);
  });

  it.each([
    ["Application/JSON; charset=utf-8", 0, 200],
    ["text/plain", 0, 400],
    ["application/jsonp", 0, 400],
    ["application/json", 64 * 1024, 200],
    ["application/json", 64 * 1024 + 1, 413],
    ["application/json", 8 * 1024 * 1024, 413],
  ])("answers a body of type %s, of at least %i bytes, with %i", async (type, bytes, status) => {
    const answer = await post(await runSandbox(), JSON.stringify(hello).padEnd(bytes), { "content-type": type });
    expect(answer.status).toBe(status);
  });

  it("refuses a body without a type", async () => {
    const { url } = await runSandbox();
    const request = { method: "POST", headers: { authorization: testKey }, body: Buffer.from(JSON.stringify(hello)) };
    const refusal = { error: "Content-Type must be application/json", errorCode: "INVALID_REQUEST" };
    expect(await read(fetch(`${url}/api/v1/sms/send`, request))).toEqual([400, refusal]);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["the default", {}, "SANDBOX"],
    ["a name", { senderIdName: "ACME" }, "ACME"],
    ["an identifier", { senderId: acmeId }, "ACME"],
    ["an identifier in capitals", { senderId: "5E4DE00000000000000000A1" }, "SANDBOX"],
    ["the shortest message", { message: "a" }, "SANDBOX"],
    ["the longest message", { message: "a".repeat(1600) }, "SANDBOX"],
    ["the longest message in UCS-2", { message: "😀".repeat(800) }, "SANDBOX"],
    ["a number of 15 digits", { to: "+254712345678901" }, "SANDBOX"],
  ])("accepts a send with %s, under its sender", async (_, { senderIdName, senderId, ...fields }, sender) => {
    const sandbox = await runSandbox();
    expect((await post(sandbox, { ...hello, ...fields, senderIdName, senderId })).status).toBe(200);
    expect(sandbox.messages()).toMatchObject([{ ...hello, ...fields, senderId: sender }]);
  });

  it.each([{ senderIdName: "OTHER" }, { senderIdName: "acme" }, { senderIdName: "" }, { senderId: "f".repeat(24) }])(
    "refuses the sender of %j with 403",
    async (fields) => {
      const sandbox = await runSandbox();
      const body = { error: "Sender ID not authorized", errorCode: "SENDER_NOT_AUTHORIZED" };
      expect(await read(post(sandbox, { ...hello, ...fields }))).toEqual([403, body]);
      expect(sandbox.messages()).toEqual([]);
    },
  );
});
