import { describe, expect, test } from "vitest";
import { type Fault, noAnswer, stage, staged, unreachable } from "../support/fault.ts";
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

/** The message may have been sent: the answer is invalid or incomplete. */
const noUsableAnswer = (httpStatus: number) => ({ ...noAnswer, httpStatus });

/** A complete receipt without a length: the end of the connection is the end of the answer. */
const receipt = JSON.stringify(receiptFor("+254712345678"));
const untilClose = head(200, { "content-type": "application/json", connection: "close" });
const json = (length: number | string) =>
  head(200, { "content-type": "application/json", "content-length": String(length) });

const notReached: readonly Fault[] = [
  { name: "refuses the connection", server: {}, baseUrl: () => "http://127.0.0.1:1", ...unreachable },
  {
    name: "has a name that cannot be resolved",
    server: {},
    baseUrl: () => "http://does-not-exist.invalid",
    ...unreachable,
  },
];

const cut: readonly Fault[] = [
  {
    name: "resets before reading the request",
    server: { onConnection: resetAtFirstByte },
    ...noAnswer,
    posts: 0,
  },
  { name: "resets after reading the request", server: { onRequest: writeThenReset("") }, ...noAnswer },
  { name: "closes without an answer", server: { onRequest: writeThenClose("") }, ...noAnswer },
  {
    name: "closes in the head",
    server: { onRequest: writeThenClose("HTTP/1.1 200 OK\r\nconte") },
    ...noAnswer,
  },
  {
    name: "closes in a body of known length",
    server: { onRequest: writeThenClose(json(999) + receipt) },
    ...noUsableAnswer(200),
  },
  {
    name: "resets in a body of known length",
    server: { onRequest: writeThenReset(json(999) + receipt) },
    ...noUsableAnswer(200),
  },
  {
    name: "closes in a chunked body",
    server: { onRequest: writeThenClose(head(200, { "transfer-encoding": "chunked" }) + `5\r\n{"suc\r\n`) },
    ...noUsableAnswer(200),
  },
  {
    name: "closes in a body delimited by the close",
    server: { onRequest: writeThenClose(untilClose + receipt.slice(0, -1)) },
    ...noUsableAnswer(200),
  },
];

const stalls: readonly Fault[] = [
  // In a process of its own, which ends although its connection is open.
  { name: "stays silent", server: {}, run: runSms },
  {
    name: "never reads",
    server: { onConnection: (socket: { pause: () => void }) => socket.pause() },
    posts: 0,
  },
  { name: "goes silent in the body", server: { onRequest: write(json(999) + receipt) }, httpStatus: 200 },
  { name: "goes silent after 100", server: { onRequest: write(head(100)) } },
  { name: "drips its head", server: { onRequest: drip("HTTP/1.1 200 OK\r\nx-drip: ") } },
  { name: "drips its body", server: { onRequest: drip(json(9999)) }, httpStatus: 200 },
  { name: "drips a body without length", server: { onRequest: drip(untilClose) }, httpStatus: 200 },
].map((row) => ({ ...noAnswer, timeout: 2, stalls: true, ...row }));

const notTheInterface: readonly Fault[] = [
  {
    name: "answers with a body of 10 MB",
    server: { onRequest: accept({ pad: "a".repeat(10_000_000) }) },
    ...noUsableAnswer(200),
  },
  {
    name: "answers with an endless body",
    server: { onRequest: flood(head(200, { "transfer-encoding": "chunked" })) },
    ...noUsableAnswer(200),
  },
  {
    name: "answers with endless headers",
    server: { onRequest: write(`HTTP/1.1 200 OK\r\nx-long: ${"a".repeat(100_000)}`) },
    ...noAnswer,
  },
  {
    name: "answers 101 unexpectedly",
    server: { onRequest: write(head(101, { connection: "upgrade", upgrade: "websocket" })) },
    ...noAnswer,
  },
  { name: "answers with garbage", server: { onRequest: write("SSH-2.0-OpenSSH_9.6\r\n\r\n") }, ...noAnswer },
];

describe.concurrent("a server that", () => {
  test.each(stalls)("$name: exit $exitCode, $outcome, $posts POST", async (fault) => {
    expect(await stage(fault)).toEqual(staged(fault));
  });
});

// One after another: some are so busy that they would keep others from their time-out.
describe("a server that", () => {
  test.each([...notReached, ...cut, ...notTheInterface])(
    "$name: exit $exitCode, $outcome, $posts POST",
    async (fault) => {
      expect(await stage(fault)).toEqual(staged(fault));
    },
  );

  test.each([
    [302, { exitCode: 10, outcome: "uncertain" }],
    [308, { exitCode: 9, outcome: "unsent" }],
  ] as const)("redirects with %i: nothing is sent to the new location", async (httpStatus, ending) => {
    const elsewhere = await startScriptedServer({ onRequest: accept() });
    try {
      const location = `${elsewhere.url}/api/v1/sms/send`;
      const onRequest = answer(httpStatus, undefined, { location });
      const fault = { name: "redirects", server: { onRequest }, ...ending, httpStatus, posts: 1 };
      expect(await stage(fault)).toEqual(staged(fault));
      expect([elsewhere.connections(), elsewhere.requests.length]).toEqual([0, 0]);
    } finally {
      await elsewhere.close();
    }
  });

  test("answers twice: the first answer counts", async () => {
    const twice = response(200, receiptFor("+254712345678")) + response(500, { error: "No", errorCode: "NO" });
    const { ended, requests } = await runAgainst({ onRequest: write(twice) }, sendHi);
    expect([ended.code, ended.stderr, requests.length]).toEqual([0, "", 1]);
  });
});
