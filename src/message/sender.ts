import { keyLike } from "../words/key-like.ts";
import { usageError } from "../errors.ts";

export type Sender = { readonly kind: "name"; readonly name: string } | { readonly kind: "id"; readonly id: string };

/** 24 hex characters are an identifier, anything else is a name. Throws `INVALID_SENDER`. */
export function readSender(text: string): Sender {
  return isId(text) ? { kind: "id", id: text } : senderByName(text);
}

export function senderByName(name: string): Sender {
  if (keyLike.test(name))
    throw usageError("INVALID_SENDER", "this is an API key, not a sender", "give the name of an approved sender ID");
  if (name.trim() !== "" && name.isWellFormed() && !/[\0-\x1F\x7F-\x9F]/.test(name)) return { kind: "name", name };
  const hint = "give the name of an approved sender ID, such as ACME";
  throw usageError("INVALID_SENDER", "the sender name is empty or has control characters", hint);
}

export function senderByMembers(name: string | undefined, id: string | undefined): Sender | undefined {
  if (name !== undefined && id !== undefined)
    throw usageError("INVALID_SENDER", "it has both a senderIdName and a senderId", "give one of them");
  if (name !== undefined) return senderByName(name);
  if (id === undefined || isId(id)) return id === undefined ? undefined : { kind: "id", id };
  const hint = "a sender ID is 24 hex characters; a name is a senderIdName";
  throw usageError("INVALID_SENDER", `${JSON.stringify(id)} is not a sender ID`, hint);
}

export function senderText(sender: Sender | undefined): string {
  if (sender === undefined) return "the default";
  return sender.kind === "name" ? sender.name : `the ID ${sender.id}`;
}

function isId(text: string): boolean {
  return /^[0-9a-f]{24}$/i.test(text);
}
