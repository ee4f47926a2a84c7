import { describe, expect, it } from "vitest";
import { readFaults } from "../../src/sandbox/faults.ts";
import { readSenders, readSetup } from "../../src/sandbox/setup-reader.ts";
import { thrownBy } from "./running.ts";

const listed =
  "tier, rate, credits, kesPerCredit, keys, account, senders, paths, bodyCredentials, faults, seed";

function refused(...faults: readonly string[]) {
  const [fault] = faults;
  const one = { errorCode: "INVALID_CONFIG", hint: undefined, message: fault, details: [] };
  return faults.length === 1
    ? one
    : { ...one, message: `${faults.length} things are wrong`, details: faults };
}

describe("a setup", () => {
  it("may tell nothing", () => {
    expect(readSetup({})).toEqual({});
  });

  it("may tell everything", () => {
    const told = {
      tier: "starter",
      rate: 750,
      credits: 0,
      kesPerCredit: 0.65,
      keys: [
        { key: "sk_live_a", revoked: true, ips: ["127.0.0.1", "::1"] },
        { key: "sk_test_b", revoked: false, ips: [] },
      ],
      account: { email: "team@example.com", password: "word" },
      senders: [{ name: "ACME", id: "5e4de00000000000000000ff" }],
      paths: ["/v1/sms/send", "/api/v1/sms/send"],
      bodyCredentials: { email: "email", password: "password" },
      seed: 4_294_967_295,
    };
    expect(readSetup({ ...told, faults: "500:1%" })).toEqual({
      ...told,
      faults: readFaults("500:1%", "faults"),
    });
  });

  it("leaves what is usual to be left out", () => {
    const told = { rate: null, bodyCredentials: null, keys: [{ key: "sk_test_b" }] };
    expect(readSetup({ ...told, senders: [{ name: "ONE" }, { name: "TWO" }] })).toEqual({
      ...told,
      keys: [{ key: "sk_test_b", revoked: false, ips: [] }],
      senders: [
        { name: "ONE", id: "5e4de00000000000000000a1" },
        { name: "TWO", id: "5e4de00000000000000000a2" },
      ],
    });
  });

  it.each<[unknown, string]>([
    [[], "it must be an object"],
    [null, "it must be an object"],
    ["{}", "it must be an object"],
    [{ teir: "free" }, `teir is not known; there is ${listed}`],
    [JSON.parse('{"__proto__":{}}'), `__proto__ is not known; there is ${listed}`],
    [{ constructor: {} }, `constructor is not known; there is ${listed}`],
    [{ tier: "gold" }, "tier must be free or starter or professional"],
    [{ rate: 0 }, "rate must be a whole number from 1 to 1000000"],
    [{ rate: 1.5 }, "rate must be a whole number from 1 to 1000000"],
    [{ credits: "9" }, "credits must be a whole number from 0 to 1000000000"],
    [{ credits: -1 }, "credits must be a whole number from 0 to 1000000000"],
    [{ kesPerCredit: -0.1 }, "kesPerCredit must be a number from 0 to 1000000000"],
    [{ keys: {} }, "keys must be a list"],
    [{ keys: ["sk_test_a"] }, "keys[0] must be an object"],
    [{ keys: [{}] }, "keys[0] has no key"],
    [{ keys: [{ key: "secret" }] }, "keys[0].key does not contain an API key"],
    [{ keys: [{ key: "sk_test_a b" }] }, "keys[0].key does not contain an API key"],
    [{ keys: [{ key: "sk_test_a", revoked: "no" }] }, "keys[0].revoked must be true or false"],
    [{ keys: [{ key: "sk_test_a", ips: ["10.0.0.0/8"] }] }, "keys[0].ips[0] must be an IP address"],
    [{ keys: [{ key: "sk_test_a" }, { key: "sk_test_a" }] }, "keys[1] is there twice"],
    [{ account: { email: "a" } }, "account must have an email and a password"],
    [{ senders: [] }, "senders must be a list that is not empty"],
    [{ senders: [{ id: "5e4de00000000000000000a1" }] }, "senders[0] has no name"],
    [{ senders: [{ name: " " }] }, "senders[0].name must be a name without control characters"],
    [{ senders: [{ name: "A\u0007" }] }, "senders[0].name must be a name without control characters"],
    [{ senders: [{ name: "A", id: "a1" }] }, "senders[0].id must be 24 hexadecimal characters"],
    [{ senders: [{ name: "A" }, { name: "A" }] }, "senders[1] is there twice"],
    [
      { senders: [{ name: "A", id: "5E4DE00000000000000000A2" }, { name: "B" }] },
      "senders[1] is there twice",
    ],
    [{ paths: [] }, "paths must be a list that is not empty"],
    [{ paths: ["/send"] }, "paths[0] must be /api/v1/sms/send or /v1/sms/send"],
    [
      { bodyCredentials: { email: "to", password: "p" } },
      "bodyCredentials must not have the name of the field to",
    ],
    [{ bodyCredentials: { email: "e", password: "e" } }, "bodyCredentials must have two different names"],
    [{ seed: 2 ** 32 }, "seed must be a whole number from 0 to 4294967295"],
    [{ faults: "" }, "faults must be a text"],
  ])("%j is refused: %s", (value, fault) => {
    expect(thrownBy(() => readSetup(value))).toEqual(refused(fault));
  });

  it("names all that is wrong with it, and where", () => {
    const senders = [{ name: "" }, { name: "A", ID: 1 }];
    const value = { tier: 1, keys: [{ key: 1, revoked: 1 }], senders, faults: "x" };
    expect(thrownBy(() => readSetup(value))).toEqual(
      refused(
        "tier must be free or starter or professional",
        "keys[0].key must be a text",
        "keys[0].revoked must be true or false",
        "senders[0].name must be a text",
        "senders[1].ID is not known; there is name, id",
        'faults: "x" is not a fault',
      ),
    );
  });
});

describe("senders on the command line", () => {
  it("have a name, and an identifier of their own or by their place", () => {
    expect(readSenders(["ACME", "SHOP:5E4DE00000000000000000FF"], "--sender")).toEqual([
      { name: "ACME", id: "5e4de00000000000000000a1" },
      { name: "SHOP", id: "5e4de00000000000000000ff" },
    ]);
  });

  it.each([
    [["A:b"], "--sender[0].id must be 24 hexadecimal characters"],
    [["A:"], "--sender[0].id must be a text"],
    [[""], "--sender[0].name must be a text"],
    [["A", "A"], "--sender[1] is there twice"],
  ])("%j are refused: %s", (written, fault) => {
    expect(thrownBy(() => readSenders(written, "--sender"))).toEqual(refused(fault));
  });
});
