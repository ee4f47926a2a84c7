import type { Address } from "../core/address.ts";
import { authorizationOf, type Credentials } from "../core/credentials.ts";
import type { Sender } from "../core/sender.ts";

/** Where requests go, and under whose name. */
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

/** The path of the send operation as the service's reference gives it. */
export const sendPath = "/api/v1/sms/send";

/** The request that sends `message` (service interface, 2.1 and 4.1): the fields that were asked for and no others. */
export function wireRequest(service: Service, message: Message, userAgent: string): WireRequest {
  const { sender } = message;
  const { scheme, token } = authorizationOf(service.credentials);
  return {
    origin: service.address.origin,
    path: service.address.basePath + service.path,
    headers: {
      authorization: `${scheme} ${token}`,
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": userAgent,
    },
    body: JSON.stringify({
      to: message.to,
      message: message.text,
      ...(sender?.kind === "name" && { senderIdName: sender.name }),
      ...(sender?.kind === "id" && { senderId: sender.id }),
    }),
  };
}
