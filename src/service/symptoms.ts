import type { Break } from "./exchange.ts";

interface Explanation {
  readonly error: string;
  /** Whether the same request may get through a moment later. */
  readonly isWorthRetrying: boolean;
}

/** What Node and undici call the faults of a connection (measured with undici 7), in words, and whether they pass. */
const symptoms: Readonly<Record<string, Explanation>> = {
  ENOTFOUND: { error: "the service's name was not found", isWorthRetrying: true },
  EAI_AGAIN: { error: "the service's name could not be looked up", isWorthRetrying: true },
  ECONNREFUSED: { error: "the connection was refused", isWorthRetrying: true },
  EHOSTUNREACH: { error: "there is no route to the service", isWorthRetrying: true },
  ENETUNREACH: { error: "there is no network to the service", isWorthRetrying: true },
  ETIMEDOUT: { error: "no connection came about in time", isWorthRetrying: true },
  UND_ERR_CONNECT_TIMEOUT: { error: "no connection came about in time", isWorthRetrying: true },
  ECONNRESET: { error: "the connection was cut before the request began", isWorthRetrying: true },
  UND_ERR_SOCKET: { error: "the connection was cut before the request began", isWorthRetrying: true },
  PROXY_SILENT: { error: "the proxy did not connect in time", isWorthRetrying: true },
  DEPTH_ZERO_SELF_SIGNED_CERT: { error: "the certificate is self-signed", isWorthRetrying: false },
  SELF_SIGNED_CERT_IN_CHAIN: { error: "the certificate's authority is not trusted", isWorthRetrying: false },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    error: "the certificate's authority is not trusted",
    isWorthRetrying: false,
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    error: "the certificate's authority is not trusted",
    isWorthRetrying: false,
  },
  ERR_TLS_CERT_ALTNAME_INVALID: { error: "the certificate is for another name", isWorthRetrying: false },
  CERT_HAS_EXPIRED: { error: "the certificate has expired", isWorthRetrying: false },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    error: "the service does not speak TLS at that port",
    isWorthRetrying: false,
  },
};

/** Says in words why a request never began. What is not known is named by its code and not tried again. */
export function explainUnreached(why: Break): Explanation {
  switch (why.kind) {
    case "deadline":
      return { error: "no connection came about in time", isWorthRetrying: false };
    case "stopped":
      return { error: "it was stopped before the request began", isWorthRetrying: false };
    case "too-large":
      return { error: "something answered before it was asked", isWorthRetrying: false };
    case "network":
      return (
        symptoms[why.code] ?? {
          error: `no connection came about: ${why.message || why.code}`,
          isWorthRetrying: false,
        }
      );
  }
}
