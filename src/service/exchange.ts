/** Why an exchange ended without a whole answer. */
export type Break =
  /** Our own deadline. */
  | { readonly kind: "deadline" }
  /** The person or the system stopped us. */
  | { readonly kind: "stopped" }
  /** More bytes than any answer of the service has. */
  | { readonly kind: "too-large" }
  /** The network, TLS, a proxy or the HTTP parser. `peer` is what it was connected to, such as `the service at HOST:PORT`. */
  | { readonly kind: "network"; readonly code: string; readonly message: string; readonly peer?: string };

/** The result of one attempt at one request. It is `unreached` if the request had not begun. */
export type Exchange =
  /** Provably nothing was sent. */
  | { readonly kind: "unreached"; readonly why: Break }
  /** The request had begun, and no whole answer came; a status may have. */
  | { readonly kind: "broken"; readonly why: Break; readonly answer: AnswerHead | undefined }
  /** A whole answer. */
  | { readonly kind: "answered"; readonly answer: AnswerHead; readonly body: Uint8Array };

/** The status and header of an answer. Header names are in lower case. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
