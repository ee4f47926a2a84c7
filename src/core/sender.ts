import { usageError } from "../errors.ts";

/** Who a message is from: a sender ID by its name or by its identifier. */
export type Sender =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "id"; readonly id: string };

/** A sender ID's name. Which names exist is the service's to say; one that no account can have is a usage error. */
export function senderByName(name: string): Sender {
  if (name.trim() !== "" && name.isWellFormed() && !/[\0-\x1F\x7F-\x9F]/.test(name))
    return { kind: "name", name };
  throw usageError("INVALID_SENDER", "the sender name is empty or has control characters in it");
}

/** A sender ID's identifier: 24 hex characters, else a usage error. */
export function senderById(id: string): Sender {
  if (/^[0-9a-f]{24}$/i.test(id)) return { kind: "id", id };
  throw usageError(
    "INVALID_SENDER",
    `${JSON.stringify(id)} is not a sender's identifier`,
    "it has 24 hex characters; give a sender's name with --sender",
  );
}
