import type { Address } from "../core/address.ts";
import { authenticationOf, type Credentials } from "../core/credentials.ts";
import type { Sender } from "../core/sender.ts";

/** The address of the service and the credentials for it. */
export interface Service {
  readonly address: Address;
  /** The path of the send operation under the base path. */
  readonly path: string;
  readonly credentials: Credentials;
}

/** One message, ready to be sent. */
export interface Message {
  /** Recipient, E.164. */
  readonly to: string;
  /** 1 to 1600 UTF-16 code units. */
  readonly text: string;
  /** Absent: the account's default sender ID. */
  readonly sender?: Sender;
}

/** A send request as it goes over the wire. */
export interface WireRequest {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The fields of the send request (docs/service-interface.md, 2.1) that `message` asks for, and no others. */
export function sendFields({ to, text, sender }: Message): Readonly<Record<string, string>> {
  return {
    to,
    message: text,
    ...(sender?.kind === "name" && { senderIdName: sender.name }),
    ...(sender?.kind === "id" && { senderId: sender.id }),
  };
}

/** A send request with these fields and the service's credentials (docs/service-interface.md, 4.1). */
export function wireRequest(
  { address, path, credentials }: Service,
  fields: Readonly<Record<string, string>>,
  userAgent: string,
): WireRequest {
  const { headers, bodyFields } = authenticationOf(credentials);
  return {
    origin: address.origin,
    path: address.basePath + path,
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": userAgent,
    },
    body: JSON.stringify({ ...bodyFields, ...fields }),
  };
}
