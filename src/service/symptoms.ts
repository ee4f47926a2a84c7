import type { Break } from "./exchange.ts";

interface ExplainedBreak {
  readonly error: string;
  readonly isWorthRetrying: boolean;
  readonly hint?: string;
}

/** In an error, % is the peer and # the message. */
type Symptom = readonly [codes: string, error: string, isWorthRetrying: boolean, hint?: string];

const closeOthers = "the fault is on this machine: end other programs, or allow more, then try again";

const outOfMemory: Symptom = [
  "ENOMEM ENOBUFS EAI_MEMORY ERR_MEMORY_ALLOCATION_FAILED ERR_WORKER_OUT_OF_MEMORY",
  "this machine has no memory left to connect to %",
  true,
  closeOthers,
];

const symptoms: readonly Symptom[] = [
  outOfMemory,
  ["ENOTFOUND", "the name of % was not found", true],
  ["EAI_AGAIN", "the name of % could not be looked up", true],
  ["ECONNREFUSED", "% refused the connection", true],
  ["EHOSTUNREACH", "there is no route to %", true],
  ["ENETUNREACH", "there is no network to %", true],
  ["ETIMEDOUT UND_ERR_CONNECT_TIMEOUT", "could not connect to % in time", true],
  ["ECONNRESET UND_ERR_SOCKET", "% cut the connection before the request began", true],
  ["EMFILE ENFILE", "too many files are open on this machine to connect to %", true, closeOthers],
  ["PROXY_SILENT", "% did not connect in time", true],
  [
    "PROXY_PASSWORD",
    "% refused the user and the password in its address",
    false,
    "correct them in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY",
  ],
  ["PROXY_UNAUTHORIZED", "% asks for a user and a password", false, "write it as http://USER:PASSWORD@HOST:PORT"],
  ["PROXY_REFUSED", "% #", false, "ask whoever runs the proxy, or list the host in NO_PROXY to go without it"],
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "the certificate of % is self-signed",
    false,
    "if the service is yours, name a PEM file with the certificate in NODE_EXTRA_CA_CERTS",
  ],
  [
    "SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "the authority of the certificate of % is not trusted",
    false,
    "if you know the authority, name a PEM file with its certificate in NODE_EXTRA_CA_CERTS",
  ],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "the certificate of % is for another name", false],
  [
    "CERT_HAS_EXPIRED",
    "the certificate of % has expired",
    false,
    "tell whoever runs it, if the clock of this machine is right: `date` shows it",
  ],
  [
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "% does not speak TLS at that port",
    false,
    "the base URL has https://, which this port does not serve: correct the port, or write http:// for a sandbox",
  ],
];

const ourBreaks = {
  deadline: "could not connect in time",
  stopped: "stopped before the request began",
  "too-large": "an answer came before the request",
};

/** V8 gives this error no code. */
const allocationFailed = /allocation failed|out of memory/i;

/** An unknown error is not worth retrying. */
export function explainUnreached(why: Break): ExplainedBreak {
  if (why.kind !== "network") return { error: ourBreaks[why.kind], isWorthRetrying: false };
  const { code, message, peer = "the service" } = why;
  const unknown: Symptom = allocationFailed.test(message) ? outOfMemory : ["", "could not connect to %: #", false];
  const symptom = symptoms.find(([codes]) => codes.split(" ").includes(code)) ?? unknown;
  const [, text, isWorthRetrying, hint = hintFor(peer, code)] = symptom;
  const error = text.replace(/[%#]/g, (mark) => (mark === "%" ? peer : message || code));
  return { error, isWorthRetrying, hint };
}

function hintFor(peer: string, code: string): string | undefined {
  if (peer.startsWith("the proxy"))
    return "check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY; NO_PROXY names the hosts that are reached without a proxy";
  const isHere = /^the service at (localhost|127\.|\[::1\])/.test(peer);
  return isHere && code === "ECONNREFUSED"
    ? "start it first; `sms sandbox` starts a sandbox at http://127.0.0.1:4010"
    : undefined;
}
