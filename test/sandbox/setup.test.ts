import { describe, expect, it } from "vitest";
import { readFaults } from "../../src/sandbox/faults.ts";
import { readSenders, readSetup } from "../../src/sandbox/setup.ts";
import { thrownBy } from "./running.ts";

const listed = "rate, credits, kesPerCredit, keys, account, senders, paths, bodyCredentials, faults";

function refused(...problems: readonly string[]) {
  const [problem] = problems;
  const one = { errorCode: "INVALID_CONFIG", hint: undefined, message: problem, details: [] };
  return problems.length === 1 ? one : { ...one, message: `${problems.length} problems`, details: problems };
}

describe("a setup", () => {
  it("may be empty", () => {
    expect(readSetup({})).toEqual({});
  });

  it("may have every field", () => {
    const setup = {
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
    };
    expect(readSetup({ ...setup, faults: "500:1%" })).toEqual({
      ...setup,
      faults: readFaults("500:1%", "faults"),
    });
  });

  it("fills in defaults", () => {
    const setup = { rate: 7, bodyCredentials: null, keys: [{ key: "sk_test_b" }] };
    expect(readSetup({ ...setup, senders: [{ name: "ONE" }, { name: "TWO" }] })).toEqual({
      ...setup,
      keys: [{ key: "sk_test_b", revoked: false, ips: [] }],
      senders: [
        { name: "ONE", id: "5e4de00000000000000000a1" },
        { name: "TWO", id: "5e4de00000000000000000a2" },
      ],
    });
  });

  it.each<[unknown, string]>([
    [[], "it must be a JSON object"],
    [null, "it must be a JSON object"],
    ["{}", "it must be a JSON object"],
    [{ teir: "free" }, `teir is unknown; use ${listed}`],
    [JSON.parse('{"__proto__":{}}'), `__proto__ is unknown; use ${listed}`],
    [{ constructor: {} }, `constructor is unknown; use ${listed}`],
    [{ rate: 0 }, "rate must be a whole number from 1 to 1,000,000"],
    [{ rate: 1.5 }, "rate must be a whole number from 1 to 1,000,000"],
    [{ credits: "9" }, "credits must be a whole number from 0 to 1,000,000,000"],
    [{ credits: -1 }, "credits must be a whole number from 0 to 1,000,000,000"],
    [{ kesPerCredit: -0.1 }, "kesPerCredit must be a number from 0 to 1,000,000,000"],
    [{ keys: {} }, "keys must be a list"],
    [{ senders: {} }, "senders must be a list that is not empty"],
    [{ keys: ["sk_test_a"] }, "keys[0] must be an object"],
    [{ keys: [{}] }, "keys[0].key is missing"],
    [
      { keys: [{ key: "secret" }] },
      "keys[0].key does not contain an API key: it does not begin with sk_test_ or sk_live_",
    ],
    [
      { keys: [{ key: "sk_test_a b" }] },
      "keys[0].key does not contain an API key: it is cut off, or has a character that no key has",
    ],
    [{ keys: [{ key: "sk_test_a", revoked: "no" }] }, "keys[0].revoked must be true or false"],
    [{ keys: [{ key: "sk_test_a", ips: ["10.0.0.0/8"] }] }, "keys[0].ips[0] must be an IP address"],
    [{ keys: [{ key: "sk_test_a" }, { key: "sk_test_a" }] }, "keys[1] is given twice"],
    [{ account: { email: "a" } }, "account.password is missing"],
    [{ senders: [] }, "senders must be a list that is not empty"],
    [{ senders: [{ id: "5e4de00000000000000000a1" }] }, "senders[0].name is missing"],
    [{ senders: [{ name: " " }] }, "senders[0].name must be a name without control characters"],
    [{ senders: [{ name: "A\u0007" }] }, "senders[0].name must be a name without control characters"],
    [{ senders: [{ name: "A", id: "a1" }] }, "senders[0].id must be 24 hexadecimal characters"],
    [{ senders: [{ name: "A" }, { name: "A" }] }, "senders[1] is given twice"],
    [
      {
        senders: [
          { name: "A", id: "5E4DE00000000000000000A2" },
          { name: "B", id: "5e4de00000000000000000a2" },
        ],
      },
      "senders[1] is given twice",
    ],
    [{ paths: [] }, "paths must be a list that is not empty"],
    [{ paths: ["/send"] }, "paths[0] must be /api/v1/sms/send or /v1/sms/send"],
    [{ bodyCredentials: { email: "to", password: "p" } }, "bodyCredentials must not be called as a field of a send"],
    [{ bodyCredentials: { email: "e", password: "e" } }, "bodyCredentials must have two different names"],
    [{ faults: "" }, "faults must be a string that is not empty"],
  ])("refuses %j: %s", (value, problem) => {
    expect(thrownBy(() => readSetup(value))).toEqual(refused(problem));
  });

  it("names all problems and their places", () => {
    const senders = [{ name: "" }, { name: "A", ID: 1 }];
    const value = { credits: -1, keys: [{ key: 1, revoked: 1 }], senders, faults: "x" };
    expect(thrownBy(() => readSetup(value))).toEqual(
      refused(
        "credits must be a whole number from 0 to 1,000,000,000",
        "keys[0].key must be a string that is not empty",
        "keys[0].revoked must be true or false",
        "senders[0].name must be a string that is not empty",
        "senders[1].ID is unknown; use name, id",
        'faults: "x" is not a fault',
      ),
    );
  });
});

describe("senders on the command line", () => {
  it("have a name and an optional identifier", () => {
    expect(readSenders(["ACME", "SHOP:5E4DE00000000000000000FF"])).toEqual([
      { name: "ACME", id: "5e4de00000000000000000a1" },
      { name: "SHOP", id: "5e4de00000000000000000ff" },
    ]);
  });

  it.each([
    [
      ["SHOP", "ACME:5e4de00000000000000000a1"],
      ["5e4de00000000000000000a3", "5e4de00000000000000000a1"],
    ],
    [
      ["ACME:5e4de00000000000000000a3", "ONE:5e4de00000000000000000a2", "TWO", "SHOP"],
      ["5e4de00000000000000000a3", "5e4de00000000000000000a2", "5e4de00000000000000000a5", "5e4de00000000000000000a4"],
    ],
  ])("get an identifier that none of %j has", (texts, ids) => {
    expect(readSenders(texts).map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    [["A:b"], "--sender[0].id must be 24 hexadecimal characters"],
    [["A:"], "--sender[0].id must be a string that is not empty"],
    [[""], "--sender[0].name must be a string that is not empty"],
    [["A", "A"], "--sender[1] is given twice"],
  ])("refuses %j: %s", (texts, problem) => {
    expect(thrownBy(() => readSenders(texts))).toEqual(refused(problem));
  });
});
