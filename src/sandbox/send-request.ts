import { isUtf8 } from "node:buffer";
import { isObject, parseJson } from "../json.ts";
import { memberNames } from "../message/fields.ts";
import type { HttpRequest } from "./http-request.ts";
import { type Answer, invalidRequest, refusal, senderNotAuthorized } from "./reply.ts";
import type { SandboxSender } from "./setup.ts";

export interface SendRequest {
  readonly to: string;
  readonly message: string;
  /** The name of the sender ID, even if the request gave its identifier. */
  readonly sender: string;
}

export interface RequestFields {
  readonly values: Readonly<Record<string, unknown>>;
}

export const e164 = /^\+[1-9]\d{1,14}$/;
const databaseId = /^[\da-f]{24}$/i;

export function readFields(request: HttpRequest): RequestFields | Answer {
  if (request.body === undefined) return refusal(413, "PAYLOAD_TOO_LARGE", "The body is too large");
  const { "content-type": type = "" } = request.fields;
  if (!/^application\/json *(;|$)/i.test(type)) return invalidRequest("Content-Type must be application/json");
  const values = isUtf8(request.body) ? parseJson(new TextDecoder().decode(request.body)) : undefined;
  if (!isObject(values)) return invalidRequest("The body must be a JSON object in UTF-8");
  return { values };
}

/** It is strict, so that mistakes show before they cost anything. */
export function validate(
  { values }: RequestFields,
  senders: readonly SandboxSender[],
  takesAnySender: boolean,
): SendRequest | Answer {
  const unknown = Object.keys(values).find((name) => !memberNames.includes(name));
  if (unknown !== undefined) return invalidRequest(`${unknown} is not a field of this request`);
  const { to, message, senderIdName, senderId } = values;
  if (typeof to !== "string" || !e164.test(to))
    return invalidRequest("to must be a phone number in E.164 format, such as +254712345678");
  if (typeof message !== "string" || message.length < 1 || message.length > 1600)
    return invalidRequest("message must be a string of 1 to 1600 characters");
  if (!message.isWellFormed()) return invalidRequest("message has half of a surrogate pair, which is no character");
  if (senderIdName !== undefined && senderId !== undefined)
    return invalidRequest("Give senderIdName or senderId, not both");
  if (senderIdName !== undefined && typeof senderIdName !== "string")
    return invalidRequest("senderIdName must be a string");
  if (senderId !== undefined && !(typeof senderId === "string" && databaseId.test(senderId)))
    return invalidRequest("senderId must be 24 hexadecimal characters");
  const choice = senderIdName ?? senderId;
  const approved =
    choice === undefined
      ? senders[0]
      : senders.find(({ name, id }) => name === senderIdName || id === senderId?.toLowerCase());
  const sender = approved?.name ?? (takesAnySender ? choice : undefined);
  return sender === undefined ? senderNotAuthorized : { to, message, sender };
}
