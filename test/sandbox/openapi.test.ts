import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it, test } from "vitest";
import { memberNames } from "../../src/message/fields.ts";
import { deviationsOfAnswer, deviationsOfRequest, describedStatuses, examples, openapi } from "./openapi.ts";
import { accountLogin, ask, hello, liveKey, post, read, runSandbox, testKey } from "./running.ts";

test("openapi.yaml is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone({ ...openapi }))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("openapi.yaml describes each field of a message", () => {
  expect(Object.keys(openapi.components.schemas.SendFields.properties).toSorted()).toEqual(memberNames.toSorted());
});

/** A value of fields that do not take any text, and what a message has of it. */
const values: Readonly<Record<string, readonly [sent: string, kept?: string]>> = {
  to: ["+254712345679"],
  senderIdName: ["ACME"],
  senderId: ["5e4de00000000000000000a2", "ACME"],
};

test.each(memberNames)("the sandbox reads %s, keeps it, and shows it in the inbox", async (name) => {
  const sandbox = await runSandbox();
  const [status, answer] = await read(post(sandbox, { ...hello, [name]: 1 }));
  expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringContaining(`${name} must be`)]);
  const [sent = "a text", kept = sent] = values[name] ?? [];
  await post(sandbox, { ...hello, [name]: sent });
  expect(Object.values(sandbox.messages()[0] ?? {})).toContain(kept);
  await post(sandbox, { [name]: "requested" });
  const [, inbox] = await ask(sandbox, "inbox");
  expect(JSON.stringify(inbox)).toContain('"requested"');
});

const headers = { authorization: testKey, "content-type": "application/json" };
const ending = (digits: string) => ({ ...hello, to: `+254700${digits}` });

describe("the sandbox answers as openapi.yaml says", () => {
  const successes = [
    { what: "a live key", authorization: liveKey },
    { what: "the account", authorization: accountLogin },
    { what: "UCS-2", body: { ...hello, message: "Привет 😀" } },
    { what: "the longest text", body: { ...hello, message: "€".repeat(1600) } },
    { what: "a sender by name", body: { ...hello, senderIdName: "ACME" } },
    { what: "a sender by identifier", body: { ...hello, senderId: "5e4de00000000000000000a2" } },
  ].map((send) => ({ ...send, status: 200 }));
  const refusals = [
    { what: "invalid parameters", body: { to: hello.to }, status: 400 },
    { what: "an unknown key", authorization: "Bearer sk_test_other", status: 401 },
    { what: "no credentials", authorization: "", status: 401 },
    { what: "too few credits", body: { ...hello, message: "я".repeat(1600) }, authorization: liveKey, status: 402 },
    { what: "a sender that is not approved", body: { ...hello, senderIdName: "OTHER" }, status: 403 },
    ...[400, 401, 402, 403, 500].map((status) => ({ what: "a number", body: ending(`000${status}`), status })),
  ];
  const sends = [...successes, ...refusals].map((send) => ({ body: hello, authorization: testKey, ...send }));

  const rows = sends.map((send) => [send.what, send.status, send] as const);
  it.each(rows)("to %s: %i", async (_, status, { body, authorization }) => {
    const sandbox = await runSandbox({ credits: 23 });
    const response = await post(sandbox, body, { authorization });
    expect(response.status).toBe(status);
    expect(await deviationsOfAnswer(response)).toEqual([]);
  });

  it("with every described status", () => {
    const statuses = new Set(sends.map(({ status }) => status));
    expect([...statuses].toSorted((a, b) => a - b)).toEqual(describedStatuses);
  });

  it("and takes no body that is not described, and each that is", async () => {
    const sandbox = await runSandbox();
    const bodies = [
      hello,
      { ...hello, senderIdName: "ACME" },
      { ...hello, senderIdName: "ACME", senderId: "5e4de00000000000000000a2" },
      { ...hello, senderId: "5e4de0" },
      { ...hello, message: "" },
      { ...hello, message: "a".repeat(1601) },
      { ...hello, to: "0712345678" },
      { ...hello, sender: "ACME" },
      { to: hello.to },
    ];
    const isDescribed = bodies.map((body) => {
      const request = { method: "POST", target: "/v1/sms/send", headers, body: JSON.stringify(body) };
      return deviationsOfRequest(request).length === 0;
    });
    const isTaken = await Promise.all(bodies.map(async (body) => (await post(sandbox, body)).ok));

    expect(isTaken).toEqual([true, true, false, false, false, false, false, false, false]);
    expect(isDescribed).toEqual(isTaken);
  });

  it("with examples, from which a mock can answer a send with a receipt", async () => {
    const { request, responses } = examples();
    expect((await post(await runSandbox(), request)).status).toBe(200);
    expect(responses.map(([status]) => status)).toEqual(describedStatuses);
    for (const [status, body] of responses) {
      const deviations = await deviationsOfAnswer(Response.json(body, { status }));
      expect({ status, deviations }).toEqual({ status, deviations: [] });
    }
  });
});
