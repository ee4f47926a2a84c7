import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/service/exchange.ts";
import { verify } from "../../src/checks/verification.ts";

const service = {
  address: { origin: "https://sms.example.com", basePath: "/base", isLoopback: false },
  credentials: { kind: "key", key: { mode: "test", secret: "sk_test_a" } },
} as const;

function answered(status: number, body = '{"error":"no"}'): Exchange {
  return { kind: "answered", answer: { status, headers: {} }, body: Buffer.from(body) };
}

/** Checks the key against a service that answers at the first and at the second path as given. */
async function check(...answers: readonly Exchange[]) {
  const asked: string[] = [];
  const ask = async ({ path }: { readonly path: string }) => {
    const answer = answers[asked.push(path) - 1];
    if (answer === undefined) throw new Error(`asked ${asked.join(", ")}`);
    return answer;
  };
  const { verdict } = await verify(service, ask, () => 0);
  return { verdict, asked };
}

const first = "/base/api/v1/sms/send";
const second = "/base/v1/sms/send";

describe("a check of credentials", () => {
  it.each([
    [400, { kind: "valid", path: "/api/v1/sms/send" }],
    [402, { kind: "unknown", failure: { httpStatus: 402 } }],
    [422, { kind: "unknown", failure: { httpStatus: 422 } }],
    [401, { kind: "refused", failure: { httpStatus: 401 } }],
    [403, { kind: "refused", failure: { httpStatus: 403 } }],
    [429, { kind: "unknown", failure: { httpStatus: 429 } }],
    [500, { kind: "unknown", failure: { httpStatus: 500 } }],
    [200, { kind: "unknown", failure: { httpStatus: 200 } }],
  ])("that is answered with %i asks once", async (status, verdict) => {
    expect(await check(answered(status))).toMatchObject({ verdict, asked: [first] });
  });

  it.each([
    ["nothing", ""],
    ["the page of a server that wants a client certificate or https", "<html><h1>400 Bad Request</h1></html>"],
    ["the JSON of a gateway", '{"message":"Bad Request"}'],
    ["no text as the error", '{"error":400}'],
    ["an array", '["error"]'],
  ])("that is answered with 400 and %s does not take them", async (_, body) => {
    const { verdict } = await check(answered(400, body));
    expect(verdict).toMatchObject({
      kind: "unknown",
      failure: { kind: "not-the-service", error: "the service did not answer as documented: HTTP 400" },
    });
  });

  it.each([
    [400, { kind: "valid", path: "/v1/sms/send" }],
    [401, { kind: "refused", failure: { httpStatus: 401 } }],
    [500, { kind: "unknown", failure: { httpStatus: 500 } }],
    [404, { kind: "unknown", failure: { httpStatus: 404 } }],
  ])("that is answered with 404 asks at the other path, and %i counts there", async (status, verdict) => {
    expect(await check(answered(404), answered(status))).toMatchObject({ verdict, asked: [first, second] });
  });

  it("that reaches nobody is no verdict", async () => {
    const unreached: Exchange = { kind: "unreached", why: { kind: "network", code: "ECONNREFUSED", message: "" } };
    expect(await check(unreached)).toMatchObject({ verdict: { kind: "unknown" }, asked: [first] });
  });
});
