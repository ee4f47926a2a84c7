import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, test } from "vitest";
import { runBuilt } from "../support/built.ts";
import { needs } from "../support/needs.ts";
import { selfSigned } from "../support/certificates.ts";
import { expectFault, type Fault, doubt, unreachable } from "../support/fault.ts";
import { accept, resetAtFirstByte, writeThenReset } from "../support/scripts.ts";
import { runAgainst, sendHi, testKey } from "../support/scripted-run.ts";
import type { ScriptedServer } from "../support/scripted-server.ts";
import { runSms } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";

const here = selfSigned({ names: ["127.0.0.1"] });
const elsewhere = selfSigned({ names: ["elsewhere.example", "127.0.0.2"] });
const expired = selfSigned({ names: ["127.0.0.1"], years: [2001, 2002] });

const folder = temporaryFolder();
const trustedFile = join(folder, "trusted.pem");
const trusting = { NODE_EXTRA_CA_CERTS: trustedFile };
beforeAll(() => writeFileSync(trustedFile, here.cert + elsewhere.cert + expired.cert));

const overTls = ({ port }: ScriptedServer) => `https://127.0.0.1:${port}`;
const onRequest = accept();

/** A fault that cannot pass by itself is not retried. */
const lasting = { ...unreachable, connections: 1 };
const retried = { ...unreachable, args: ["--retries", "1"] };

const faults: readonly Fault[] = [
  { name: "signed its own certificate", tls: here, onRequest, ...lasting },
  { name: "has a certificate for another name", tls: elsewhere, onRequest, env: trusting, ...lasting },
  { name: "has a certificate that expired", tls: expired, onRequest, env: trusting, ...lasting },
  {
    name: "speaks plain HTTP at an https address",
    onConnection: (socket) => void socket.once("data", () => socket.end("HTTP/1.1 400 Bad\r\n\r\n")),
    baseUrl: overTls,
    ...lasting,
  },
  { name: "cuts the TLS handshake", onConnection: resetAtFirstByte, baseUrl: overTls, ...retried },
  {
    name: "closes in the TLS handshake",
    onConnection: (socket) => void socket.once("data", () => socket.end()),
    baseUrl: overTls,
    ...retried,
  },
  { name: "stalls in a handshake", onConnection: () => {}, baseUrl: overTls, ...unreachable, timeout: 3, stalls: true },
  {
    name: "speaks TLS at an http address",
    tls: here,
    onRequest,
    baseUrl: ({ port }) => `http://127.0.0.1:${port}`,
    ...doubt,
    posts: 0,
  },
  { name: "resets TLS once it has the request", tls: here, onRequest: writeThenReset(""), env: trusting, ...doubt },
  { name: "stays silent over TLS", tls: here, env: trusting, ...doubt, timeout: 3, stalls: true },
];

describe.concurrent("a server that", needs("CI to be set"), () => {
  test.each(faults)("$name: exit $exitCode, $outcome, $posts POST", async (fault) => {
    // Node reads the file of trusted certificates when it starts.
    await expectFault({ ...fault, run: fault.env === undefined ? runBuilt : runSms });
  });
});

describe("without certificate checks", () => {
  const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };

  it.each([["--with-key"], ["--key-command", "echo sk_live_a"]])("login %s %s checks no live key", async (...words) => {
    const { code, stderr } = await runBuilt(["login", "--base-url", "https://sms.invalid", ...words, "--json"], {
      env: { ...unchecked, PATH: process.env["PATH"] ?? "" },
      stdin: "sk_live_a",
    });

    expect({ code, ...JSON.parse(stderr) }).toMatchObject({ code: 2, errorCode: "UNCHECKED_CERTIFICATE" });
  });

  it("a test key is sent with a warning of ours, and none of Node's", async () => {
    const env = { ...unchecked, ...testKey };
    const { ended } = await runAgainst({ tls: elsewhere, onRequest }, sendHi, { env, run: runSms });

    const warning = "Warning: NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off";
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(new RegExp(`^${warning}.*\n$`)) });
  });
});
