import { describe, expect, it } from "vitest";
import { explainUnreached } from "../../src/service/symptoms.ts";

describe("a request that never began", () => {
  it.each([
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ETIMEDOUT",
    "UND_ERR_CONNECT_TIMEOUT",
    "ECONNRESET",
    "UND_ERR_SOCKET",
    "PROXY_SILENT",
  ])("because of %s may get through a moment later", (code) => {
    expect(explainUnreached({ kind: "network", code, message: "" }).isWorthRetrying).toBe(true);
  });

  it.each([
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "CERT_HAS_EXPIRED",
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "PROXY_REFUSED",
  ])("because of %s would fail again", (code) => {
    expect(explainUnreached({ kind: "network", code, message: "" }).isWorthRetrying).toBe(false);
  });

  it.each(["deadline", "stopped", "too-large"] as const)("because of our own end (%s) is not tried again", (kind) => {
    expect(explainUnreached({ kind }).isWorthRetrying).toBe(false);
  });

  it.each([
    ["some words", "could not connect: some words"],
    ["", "could not connect: E_NEW"],
  ])("because of a new error with the message %j is explained by it, or by its code", (message, error) => {
    expect(explainUnreached({ kind: "network", code: "E_NEW", message })).toEqual({ error, isWorthRetrying: false });
  });
});
