import { describe, expect, test } from "vitest";
import { expectFault, type Fault, doubt, unreachable } from "../support/fault.ts";
import {
  accept,
  answer,
  drip,
  flood,
  head,
  receiptFor,
  resetAtFirstByte,
  response,
  write,
  writeThenClose,
  writeThenReset,
} from "../support/scripts.ts";
import { runAgainst, sendHi } from "../support/scripted-run.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { runSms } from "../support/sms.ts";

const receipt = JSON.stringify(receiptFor("+254712345678"));
/** The end of the connection is the end of the answer. */
const endless = head(200, { "content-type": "application/json", connection: "close" });
const json = (length: number | string) =>
  head(200, { "content-type": "application/json", "content-length": String(length) });
const chunked = head(200, { "transfer-encoding": "chunked" });

const notReached: readonly Fault[] = [
  { name: "refuses the connection", baseUrl: () => "http://127.0.0.1:1", ...unreachable },
  { name: "has a name that cannot be resolved", baseUrl: () => "http://does-not-exist.invalid", ...unreachable },
];

type Doubt = Pick<Fault, "name"> & Partial<Fault>;

const cut: readonly Doubt[] = [
  { name: "resets before reading the request", onConnection: resetAtFirstByte, posts: 0 },
  { name: "resets after reading the request", onRequest: writeThenReset("") },
  { name: "closes without an answer", onRequest: writeThenClose("") },
  { name: "closes in the head", onRequest: writeThenClose("HTTP/1.1 200 OK\r\nconte") },
  { name: "closes in a body of known length", onRequest: writeThenClose(json(999) + receipt), httpStatus: 200 },
  { name: "resets in a body of known length", onRequest: writeThenReset(json(999) + receipt), httpStatus: 200 },
  { name: "closes in a chunked body", onRequest: writeThenClose(`${chunked}5\r\n{"suc\r\n`), httpStatus: 200 },
  { name: "closes in a body of no length", onRequest: writeThenClose(endless + receipt.slice(0, -1)), httpStatus: 200 },
];

const notTheInterface: readonly Doubt[] = [
  { name: "answers with a body of 10 MB", onRequest: accept({ pad: "a".repeat(10_000_000) }), httpStatus: 200 },
  { name: "answers with an endless body", onRequest: flood(chunked), httpStatus: 200 },
  { name: "answers with endless headers", onRequest: write(`HTTP/1.1 200 OK\r\nx-long: ${"a".repeat(100_000)}`) },
  { name: "answers 101 unexpectedly", onRequest: write(head(101, { connection: "upgrade", upgrade: "websocket" })) },
  { name: "answers with garbage", onRequest: write("SSH-2.0-OpenSSH_9.6\r\n\r\n") },
];

const stalls: readonly Doubt[] = [
  // In a process of its own, which ends although its connection is open.
  { name: "stays silent", run: runSms },
  { name: "never reads", onConnection: (socket) => socket.pause(), posts: 0 },
  { name: "goes silent in the body", onRequest: write(json(999) + receipt), httpStatus: 200 },
  { name: "goes silent after 100", onRequest: write(head(100)) },
  { name: "drips its head", onRequest: drip("HTTP/1.1 200 OK\r\nx-drip: ") },
  { name: "drips its body", onRequest: drip(json(9999)), httpStatus: 200 },
  { name: "drips a body without length", onRequest: drip(endless), httpStatus: 200 },
];

describe.concurrent("a server that", () => {
  test.each(stalls)("$name: exit 10, uncertain, by --timeout", async (fault) => {
    await expectFault({ ...doubt, timeout: 2, stalls: true, ...fault });
  });
});

// One after another: some are so busy that they would keep others from their time-out.
describe("a server that", () => {
  test.each(notReached)("$name: exit 9, unsent", async (fault) => {
    await expectFault(fault);
  });

  test.each([...cut, ...notTheInterface])("$name: exit 10, uncertain", async (fault) => {
    await expectFault({ ...doubt, ...fault });
  });

  test.each([
    { httpStatus: 302, exitCode: 10, outcome: "uncertain" },
    { httpStatus: 308, exitCode: 9, outcome: "unsent" },
  ] as const)("redirects with $httpStatus: nothing is sent to the new location", async (ending) => {
    const elsewhere = await startScriptedServer({ onRequest: accept() });
    const onRequest = answer(ending.httpStatus, undefined, { location: `${elsewhere.url}/api/v1/sms/send` });

    await expectFault({ name: "redirects", onRequest, ...ending, posts: 1 });

    expect(elsewhere.connections()).toBe(0);
  });

  test("answers twice: the first answer counts", async () => {
    const twice = response(200, receiptFor("+254712345678")) + response(500, { error: "No", errorCode: "NO" });

    const { ended, requests } = await runAgainst({ onRequest: write(twice) }, sendHi);

    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(requests).toHaveLength(1);
  });
});
