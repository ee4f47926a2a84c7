import { describe, expect, it } from "vitest";
import { defaultSetup } from "../../src/sandbox/setup.ts";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { accountLogin, follow, hello, liveKey, post, read, runSandbox, testKey } from "./running.ts";

function tell(sandbox: Sandbox, what: "account" | "faults" | "reset", told?: unknown): Promise<Response> {
  const body = told === undefined ? {} : { body: JSON.stringify(told) };
  return fetch(`${sandbox.url}/_sandbox/${what}`, { method: "POST", ...body });
}

function ask(sandbox: Sandbox, what: string) {
  return read(fetch(`${sandbox.url}/_sandbox/${what}`));
}

/** Status, and the error code where there is one. */
async function sendAs(sandbox: Sandbox, authorization: string, fields: object = hello): Promise<string> {
  const [status, body] = await read(post(sandbox, fields, { authorization }));
  const { errorCode } = body as { errorCode?: string };
  return errorCode === undefined ? String(status) : `${status} ${errorCode}`;
}

const { faults: _, seed: __, ...account } = { ...defaultSetup, credits: 100 };

describe("the account of a sandbox, as it is told", () => {
  it("is answered whole, in the form in which it can be told again", async () => {
    const sandbox = await runSandbox();
    expect(await ask(sandbox, "account")).toEqual([200, account]);
    await post(sandbox, hello, { authorization: liveKey });
    const [, left] = await ask(sandbox, "account");
    expect(left).toEqual({ ...account, credits: 99 });
    expect(await read(tell(sandbox, "account", left))).toEqual([200, left]);
  });

  it.each<[string, object, string, object, string]>([
    ["has no credits left", { credits: 0 }, liveKey, hello, "402 INSUFFICIENT_CREDITS"],
    ["has none, which a test key does not need", { credits: 0 }, testKey, hello, "200"],
    ["has other keys", { keys: [{ key: "sk_live_other" }] }, liveKey, hello, "401 UNAUTHORIZED"],
    [
      "has other keys, one of them new",
      { keys: [{ key: "sk_live_other" }] },
      "Bearer sk_live_other",
      hello,
      "200",
    ],
    [
      "has revoked a key",
      { keys: [{ key: "sk_live_sandbox", revoked: true }] },
      liveKey,
      hello,
      "401 UNAUTHORIZED",
    ],
    [
      "restricts a key to another address",
      { keys: [{ key: "sk_live_sandbox", ips: ["10.0.0.1"] }] },
      liveKey,
      hello,
      "403 IP_NOT_ALLOWED",
    ],
    [
      "restricts a key to this address too",
      { keys: [{ key: "sk_live_sandbox", ips: ["10.0.0.1", "127.0.0.1"] }] },
      liveKey,
      hello,
      "200",
    ],
    [
      "has another password",
      { account: { email: "a", password: "b" } },
      accountLogin,
      hello,
      "401 UNAUTHORIZED",
    ],
    [
      "has another sender",
      { senders: [{ name: "SHOP" }] },
      testKey,
      { ...hello, senderIdName: "ACME" },
      "403 SENDER_NOT_AUTHORIZED",
    ],
    [
      "has another sender, by its identifier",
      { senders: [{ name: "SHOP", id: "5E4DE00000000000000000FF" }] },
      testKey,
      { ...hello, senderId: "5e4de00000000000000000ff" },
      "200",
    ],
    ["takes sends elsewhere", { paths: ["/v1/sms/send"] }, testKey, hello, "404 NOT_FOUND"],
    [
      "takes sends here and elsewhere",
      { paths: ["/v1/sms/send", "/api/v1/sms/send"] },
      testKey,
      hello,
      "200",
    ],
  ])("%s", async (_name, told, authorization, fields, expected) => {
    const sandbox = await runSandbox();
    expect((await tell(sandbox, "account", told)).status).toBe(200);
    expect(await sendAs(sandbox, authorization, fields)).toBe(expected);
  });

  it("takes sends on the path that it is told", async () => {
    const sandbox = await runSandbox({ paths: ["/v1/sms/send"] });
    const init = { method: "POST", headers: { authorization: testKey, "content-type": "application/json" } };
    const sent = fetch(`${sandbox.url}/v1/sms/send`, { ...init, body: JSON.stringify(hello) });
    expect((await sent).status).toBe(200);
  });

  it("names what it costs by its price", async () => {
    const sandbox = await runSandbox();
    await tell(sandbox, "account", { kesPerCredit: 0.335 });
    await post(sandbox, { ...hello, message: "a".repeat(161) });
    expect(sandbox.messages()).toMatchObject([{ totalCredits: 2, totalCostKes: 0.67 }]);
  });

  it("lets in as many as its rate says, and as its tier says again", async () => {
    const sandbox = await runSandbox({ rate: 2 });
    const three = async () => [
      await sendAs(sandbox, testKey),
      await sendAs(sandbox, testKey),
      await sendAs(sandbox, testKey),
    ];
    expect(await three()).toEqual(["200", "200", "429 RATE_LIMITED"]);
    await tell(sandbox, "account", { tier: "starter" });
    expect(await three()).toEqual(["200", "200", "200"]);
    expect(await ask(sandbox, "account")).toMatchObject([200, { tier: "starter", rate: null }]);
  });

  it("tells whoever follows it", async () => {
    const sandbox = await runSandbox();
    const next = await follow(sandbox);
    await next();
    const keys = [{ key: "sk_test_a" }, { key: "sk_test_b", revoked: true }];
    await tell(sandbox, "account", { credits: 7, rate: 9, keys, senders: [{ name: "SHOP" }] });
    expect(await next()).toEqual([
      "account",
      { keys: ["sk_test_a"], senders: ["SHOP"], tier: "free", rate: 9, balance: 7 },
    ]);
  });

  it.each<[unknown, string]>([
    [
      { credit: 1 },
      "credit is not known; there is tier, rate, credits, kesPerCredit, keys, account, senders, paths, bodyCredentials",
    ],
    [
      { tier: "gold", rate: 0 },
      "tier must be free or starter or professional; rate must be a whole number from 1 to 1000000",
    ],
    [[], "it must be an object"],
    [undefined, "it must be an object"],
  ])("refuses %j with 400 and stays what it is", async (told, error) => {
    const sandbox = await runSandbox();
    expect(await read(tell(sandbox, "account", told))).toEqual([
      400,
      { error, errorCode: "INVALID_REQUEST" },
    ]);
    expect(await ask(sandbox, "account")).toEqual([200, account]);
  });
});

describe("credentials in the body", () => {
  const bodyCredentials = { email: "user", password: "pass" };
  const login = { user: "sandbox@example.com", pass: "sandbox" };

  it.each<[string, object, string, string]>([
    ["are taken under the names that were told", { ...hello, ...login }, "", "200"],
    ["are refused where they are wrong", { ...hello, ...login, pass: "x" }, "", "401 UNAUTHORIZED"],
    ["are refused where one is missing", { ...hello, user: login.user }, "", "401 UNAUTHORIZED"],
    ["do not excuse what else is wrong", { ...login, to: "0712" }, "", "400 INVALID_REQUEST"],
    ["are a field too many beside a header", { ...hello, ...login }, testKey, "400 INVALID_REQUEST"],
  ])("%s", async (_name, fields, authorization, expected) => {
    const sandbox = await runSandbox({ bodyCredentials });
    expect(await sendAs(sandbox, authorization, fields)).toBe(expected);
  });

  it("are charged to the account, and not kept", async () => {
    const sandbox = await runSandbox({ bodyCredentials });
    await sendAs(sandbox, "", { ...hello, ...login });
    expect(sandbox.messages()).toMatchObject([{ mode: "account", message: "Hello" }]);
    expect(JSON.stringify(sandbox.messages())).not.toContain(login.user);
  });

  it("are not taken where no names were told", async () => {
    expect(await sendAs(await runSandbox(), "", { ...hello, ...login })).toBe("401 UNAUTHORIZED");
  });
});

describe("the faults of a sandbox, as they are told", () => {
  it("meet sends from then on, until there are none", async () => {
    const sandbox = await runSandbox({ seed: 3 });
    expect(await read(tell(sandbox, "faults", { faults: "500:100%" }))).toEqual([
      200,
      { faults: "500:100%", seed: 3 },
    ]);
    expect(await sendAs(sandbox, testKey)).toBe("500 INTERNAL_ERROR");
    expect(await read(tell(sandbox, "faults", { faults: "none", seed: 4 }))).toEqual([
      200,
      { faults: "none", seed: 4 },
    ]);
    expect(await sendAs(sandbox, testKey)).toBe("200");
    expect(await ask(sandbox, "faults")).toEqual([200, { faults: "none", seed: 4 }]);
  });

  it("are refused with 400 where they are not understood", async () => {
    const sandbox = await runSandbox();
    expect(await read(tell(sandbox, "faults", { faults: "500", tier: "free" }))).toEqual([
      400,
      {
        error: 'faults: "500" is not a fault; tier is not known; there is faults, seed',
        errorCode: "INVALID_REQUEST",
      },
    ]);
  });
});

describe("a reset", () => {
  it("makes the sandbox what it was in the beginning", async () => {
    const sandbox = await runSandbox({ rate: 2, seed: 5 });
    const next = await follow(sandbox);
    const beginning = await next();
    const once = { ...hello, to: "+254712000429" };
    expect(await sendAs(sandbox, liveKey, once)).toBe("429 RATE_LIMITED");
    await tell(sandbox, "account", { credits: 1, senders: [{ name: "SHOP" }] });
    await tell(sandbox, "faults", { faults: "500:100%", seed: 6 });
    await sendAs(sandbox, liveKey);
    const answer = await tell(sandbox, "reset");
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(await (await follow(sandbox))()).toEqual(beginning);
    expect(await ask(sandbox, "faults")).toEqual([200, { faults: "none", seed: 5 }]);
    // The rate's window and what was refused once are forgotten too.
    expect(await sendAs(sandbox, liveKey, once)).toBe("429 RATE_LIMITED");
    expect(await sendAs(sandbox, liveKey, once)).toBe("200");
  });

  it("lets a run that met faults be repeated", async () => {
    const { readFaults } = await import("../../src/sandbox/faults.ts");
    const sandbox = await runSandbox({ faults: readFaults("500:50%", "--fault") });
    const run = async () => {
      const seen: string[] = [];
      for (let n = 0; n < 20; n++) seen.push(await sendAs(sandbox, testKey));
      return seen;
    };
    const first = await run();
    expect(new Set(first).size).toBe(2);
    await tell(sandbox, "reset");
    expect(await run()).toEqual(first);
  });
});

describe("messages that are asked for", () => {
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
    ["sender=ACME", [1, 2]],
    ["sender=acme", []],
    ["to=%2B254712345678&sender=ACME", [1]],
    ["since=2030-01-01T00:01:00Z", [2, 3]],
    ["since=2030-01-01T03:01:00%2B03:00", [2, 3]],
    ["since=2030-01-01T03:01:00+03:00", [2, 3]],
    ["since=2030-01-02", []],
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
    ["from=ACME", "from is not known; there is to, sender and since"],
    ["to=0712", "to must be a number in E.164 format"],
    ["to=%2B254712345678&to=%2B254712345679", "to is there twice"],
    ["since=yesterday", "since must be a time in ISO 8601 or the id of a message that is kept"],
    ["since=2030-13-01", "since must be a time in ISO 8601 or the id of a message that is kept"],
    ["since=message-9", "since must be a time in ISO 8601 or the id of a message that is kept"],
  ])("?%s is refused with 400", async (query, error) => {
    expect(await ask(await runSandbox(), `messages?${query}`)).toEqual([
      400,
      { error, errorCode: "INVALID_REQUEST" },
    ]);
  });
});
