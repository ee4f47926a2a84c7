import { describe, expect, it } from "vitest";
import { hello, post, read, runSandbox, testKey } from "./running.ts";

const badNumber = "to must be a phone number in E.164 format, such as +254712345678";
const badMessage = "message must be a string of 1 to 1600 characters";
const halfPair = "message has half of a surrogate pair, which is no character";
const notAnObject = "The body must be a JSON object in UTF-8";
const notJson = "Content-Type must be application/json";

const acmeId = "5e4de00000000000000000a2";

describe("validation of a send", () => {
  it.each<[string, object | string | Uint8Array, string]>([
    ["an empty object", {}, badNumber],
    ["no recipient", { message: "Hello" }, badNumber],
    ["a number", { ...hello, to: 254712345678 }, badNumber],
    ["a national number", { ...hello, to: "0712345678" }, badNumber],
    ["no plus sign", { ...hello, to: "254712345678" }, badNumber],
    ["spaces", { ...hello, to: "+254 712 345678" }, badNumber],
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
    ["an unknown field", { ...hello, sender: "ACME" }, "sender is not a field of this request"],
    ["a misspelt field", { to: hello.to, mesage: "Hello" }, "mesage is not a field of this request"],
    ["two senders", { ...hello, senderIdName: "ACME", senderId: acmeId }, "Give senderIdName or senderId, not both"],
    ["a sender name that is not a string", { ...hello, senderIdName: null }, "senderIdName must be a string"],
    ["a sender ID of 23", { ...hello, senderId: "a".repeat(23) }, "senderId must be 24 hexadecimal characters"],
    ["an object as sender ID", { ...hello, senderId: {} }, "senderId must be 24 hexadecimal characters"],
    ["an inherited name", '{"__proto__":{"to":"+254712345678"}}', "__proto__ is not a field of this request"],
    ["an empty body", "", notAnObject],
    ["malformed JSON", '{"to":', notAnObject],
    ["an array", "[]", notAnObject],
    ["null", "null", notAnObject],
    ["deeply nested JSON", "[".repeat(60_000), notAnObject],
    ["bytes that are not UTF-8", Buffer.from('{"to":"\xff"}', "latin1"), notAnObject],
  ])("refuses %s with 400", async (_, body, error) => {
    const sandbox = await runSandbox();
    expect(await read(post(sandbox, body))).toEqual([400, { error, errorCode: "INVALID_REQUEST" }]);
    expect(sandbox.messages()).toEqual([]);
  });

  it.each([
    ["application/json", 200],
    ["Application/JSON; charset=utf-8", 200],
    ["text/plain", 400],
    ["application/jsonp", 400],
    ["application/x-www-form-urlencoded", 400],
  ])("answers a body of type %s with %i", async (type, status) => {
    const sandbox = await runSandbox();
    expect((await post(sandbox, hello, { "content-type": type })).status).toBe(status);
  });

  it("refuses a body without a type", async () => {
    const { url } = await runSandbox();
    const request = { method: "POST", headers: { authorization: testKey }, body: Buffer.from(JSON.stringify(hello)) };
    expect(await read(fetch(`${url}/api/v1/sms/send`, request))).toEqual([
      400,
      { error: notJson, errorCode: "INVALID_REQUEST" },
    ]);
  });

  it.each([
    ["the default", {}, "SANDBOX"],
    ["a name", { senderIdName: "ACME" }, "ACME"],
    ["the name of the default", { senderIdName: "SANDBOX" }, "SANDBOX"],
    ["an identifier", { senderId: acmeId }, "ACME"],
    ["an identifier in capitals", { senderId: "5E4DE00000000000000000A1" }, "SANDBOX"],
  ])("sends under the sender chosen by %s", async (_, fields, sender) => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, ...fields });
    expect(sandbox.messages()).toMatchObject([{ senderId: sender }]);
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

  it.each([
    ["the shortest message", { ...hello, message: "a" }],
    ["the longest message", { ...hello, message: "a".repeat(1600) }],
    ["the longest message in UCS-2", { ...hello, message: "😀".repeat(800) }],
    ["a number of 15 digits", { ...hello, to: "+254712345678901" }],
  ])("accepts %s", async (_, fields) => {
    const sandbox = await runSandbox();
    expect((await post(sandbox, fields)).status).toBe(200);
    expect(sandbox.messages()).toMatchObject([fields]);
  });

  it.each([
    [64 * 1024, 200],
    [64 * 1024 + 1, 413],
    [8 * 1024 * 1024, 413],
  ])("answers a body of %i bytes with %i", async (bytes, status) => {
    const sandbox = await runSandbox();
    expect((await post(sandbox, JSON.stringify(hello).padEnd(bytes))).status).toBe(status);
  });
});
