import type { Break } from "./exchange.ts";

interface Explanation {
  readonly error: string;
  /** Whether the same request may get through a moment later. */
  readonly isWorthRetrying: boolean;
}

/** Explanations of the error codes of Node and undici (as of undici 7). */
const symptoms: Readonly<Record<string, Explanation>> = {
  ENOTFOUND: { error: "the service's name was not found", isWorthRetrying: true },
  EAI_AGAIN: { error: "the service's name could not be looked up", isWorthRetrying: true },
  ECONNREFUSED: { error: "the connection was refused", isWorthRetrying: true },
  EHOSTUNREACH: { error: "there is no route to the service", isWorthRetrying: true },
  ENETUNREACH: { error: "there is no network to the service", isWorthRetrying: true },
  ETIMEDOUT: { error: "could not connect in time", isWorthRetrying: true },
  UND_ERR_CONNECT_TIMEOUT: { error: "could not connect in time", isWorthRetrying: true },
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

/** Explains why a request never began. An unknown error is named by its code and is not worth retrying. */
export function explainUnreached(why: Break): Explanation {
  switch (why.kind) {
    case "deadline":
      return { error: "could not connect in time", isWorthRetrying: false };
    case "stopped":
      return { error: "stopped before the request began", isWorthRetrying: false };
    case "too-large":
      return { error: "an answer came before the request", isWorthRetrying: false };
    case "network":
      return (
        symptoms[why.code] ?? {
          error: `could not connect: ${why.message || why.code}`,
          isWorthRetrying: false,
        }
      );
  }
}
