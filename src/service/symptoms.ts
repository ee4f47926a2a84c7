import type { Break } from "./exchange.ts";

interface Explanation {
  readonly error: string;
  readonly isWorthRetrying: boolean;
  readonly hint?: string;
}

type Symptom = readonly [error: string, isWorthRetrying: boolean, hint?: string];

const authority: Symptom = [
  "the authority of the certificate of % is not trusted",
  false,
  "if you know the authority, name a PEM file with its certificate in NODE_EXTRA_CA_CERTS",
];

const closeOthers = "the fault is on this machine: end other programs, or allow more, then try again";
const outOfMemory: Symptom = ["this machine has no memory left to connect to %", true, closeOthers];
const outOfFiles: Symptom = ["too many files are open on this machine to connect to %", true, closeOthers];

const symptoms: Readonly<Record<string, Symptom>> = {
  ENOTFOUND: ["the name of % was not found", true],
  EAI_AGAIN: ["the name of % could not be looked up", true],
  ECONNREFUSED: ["% refused the connection", true],
  EHOSTUNREACH: ["there is no route to %", true],
  ENETUNREACH: ["there is no network to %", true],
  ETIMEDOUT: ["could not connect to % in time", true],
  UND_ERR_CONNECT_TIMEOUT: ["could not connect to % in time", true],
  ECONNRESET: ["% cut the connection before the request began", true],
  UND_ERR_SOCKET: ["% cut the connection before the request began", true],
  PROXY_SILENT: ["% did not connect in time", true],
  PROXY_PASSWORD: [
    "% refused the user and the password in its address",
    false,
    "correct them in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY",
  ],
  PROXY_UNAUTHORIZED: ["% asks for a user and a password", false, "write it as http://USER:PASSWORD@HOST:PORT"],
  EMFILE: outOfFiles,
  ENFILE: outOfFiles,
  ENOMEM: outOfMemory,
  ENOBUFS: outOfMemory,
  EAI_MEMORY: outOfMemory,
  ERR_MEMORY_ALLOCATION_FAILED: outOfMemory,
  ERR_WORKER_OUT_OF_MEMORY: outOfMemory,
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    "the certificate of % is self-signed",
    false,
    "if the service is yours, name a PEM file with the certificate in NODE_EXTRA_CA_CERTS",
  ],
  SELF_SIGNED_CERT_IN_CHAIN: authority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: authority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: authority,
  ERR_TLS_CERT_ALTNAME_INVALID: ["the certificate of % is for another name", false],
  CERT_HAS_EXPIRED: [
    "the certificate of % has expired",
    false,
    "tell whoever runs it, if the clock of this machine is right: `date` shows it",
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    "% does not speak TLS at that port",
    false,
    "the base URL has https://, which this port does not serve: correct the port, or write http:// for a sandbox",
  ],
};

/** V8 gives this error no code. */
const allocationFailed = /allocation failed|out of memory/i;

/** An unknown error is not worth retrying. */
export function explainUnreached(why: Break): Explanation {
  switch (why.kind) {
    case "deadline":
      return { error: "could not connect in time", isWorthRetrying: false };
    case "stopped":
      return { error: "stopped before the request began", isWorthRetrying: false };
    case "too-large":
      return { error: "an answer came before the request", isWorthRetrying: false };
    case "network": {
      const { code, message, peer = "the service" } = why;
      const [error, isWorthRetrying, hint = hintFor(peer, code)] = symptoms[code] ?? unnamed(code, message);
      return { error: error.replace("%", () => peer), isWorthRetrying, hint };
    }
  }
}

function unnamed(code: string, message: string): Symptom {
  if (code === "PROXY_REFUSED") {
    return [`% ${message}`, false, "ask whoever runs the proxy, or list the host in NO_PROXY to go without it"];
  }
  return allocationFailed.test(message) ? outOfMemory : [`could not connect to %: ${message || code}`, false];
}

function hintFor(peer: string, code: string): string | undefined {
  if (peer.startsWith("the proxy")) {
    return "check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY; NO_PROXY names the hosts that are reached without a proxy";
  }
  const isHere = /^the service at (localhost|127\.|\[::1\])/.test(peer);
  return isHere && code === "ECONNREFUSED"
    ? "start it first; `sms sandbox` starts a sandbox at http://127.0.0.1:4010"
    : undefined;
}
