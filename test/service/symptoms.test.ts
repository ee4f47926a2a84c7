import { describe, expect, it } from "vitest";
import { explainUnreached } from "../../src/service/symptoms.ts";

const passing =
  "ENOTFOUND EAI_AGAIN ECONNREFUSED EHOSTUNREACH ENETUNREACH ETIMEDOUT UND_ERR_CONNECT_TIMEOUT ECONNRESET UND_ERR_SOCKET PROXY_SILENT EMFILE ENFILE ENOMEM";
const lasting =
  "DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY ERR_TLS_CERT_ALTNAME_INVALID CERT_HAS_EXPIRED ERR_SSL_WRONG_VERSION_NUMBER PROXY_PASSWORD PROXY_REFUSED PROXY_UNAUTHORIZED UND_ERR_INVALID_ARG";

describe("a request that never began", () => {
  it.each([
    ...passing.split(" ").map((code) => ({ code, isWorthRetrying: true })),
    ...[...lasting.split(" "), ""].map((code) => ({ code, isWorthRetrying: false })),
  ])("because of $code is worth another attempt: $isWorthRetrying", ({ code, isWorthRetrying }) => {
    expect(explainUnreached({ kind: "network", code, message: "" })).toMatchObject({ isWorthRetrying });
  });

  it.each(["deadline", "stopped", "too-large"] as const)("because of our own end (%s) is not tried again", (kind) => {
    expect(explainUnreached({ kind }).isWorthRetrying).toBe(false);
  });

  it.each([
    ["ECONNREFUSED", "the service at sms.example.com:443", "% refused the connection"],
    ["ECONNREFUSED", "the proxy at 10.0.0.1:3128", "% refused the connection", "NO_PROXY"],
    ["ECONNREFUSED", "the service at 127.0.0.1:4010", "% refused the connection", "sandbox"],
    ["ENOTFOUND", "the service at $&:443", "the name of % was not found"],
    ["PROXY_UNAUTHORIZED", "the proxy at p:1", "% asks for a user and a password", "USER:PASSWORD"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "the service at p:1", "the certificate of % is self-signed", "NODE_EXTRA_CA_CERTS"],
    ["EMFILE", "the service at p:1", "too many files are open on this machine to connect to %", "on this machine"],
    ["ENOMEM", "the proxy at p:1", "this machine has no memory left to connect to %", "on this machine"],
    ["CERT_HAS_EXPIRED", "the service at p:1", "the certificate of % has expired", "the clock"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "the service at p:1", "% does not speak TLS at that port", "http://"],
  ])("because of %s from %s says: %s", (code, peer, text, hint?: string) => {
    const explanation = explainUnreached({ kind: "network", code, message: "", peer });

    expect(explanation.error).toBe(text.replace("%", () => peer));
    expect(explanation.hint ?? "").toContain(hint ?? "");
  });

  it.each(["Array buffer allocation failed", "WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory"])(
    "because of a RangeError is a lack of memory: %s",
    (message) => {
      const { error, hint } = explainUnreached({ kind: "network", code: "", message });
      expect([error, hint]).toEqual(["this machine has no memory left to connect to the service", expect.any(String)]);
    },
  );

  it.each([
    ["some words", "could not connect to the service: some words"],
    ["", "could not connect to the service: E_NEW"],
  ])("because of a new error with the message %j is explained by it, or by its code", (message, error) => {
    expect(explainUnreached({ kind: "network", code: "E_NEW", message })).toEqual({ error, isWorthRetrying: false });
  });
});
