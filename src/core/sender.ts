import { usageError } from "../errors.ts";

/** A sender ID by its name or by its identifier (docs/service-interface.md, 2.4). */
export type Sender = { readonly kind: "name"; readonly name: string } | { readonly kind: "id"; readonly id: string };

/** A sender by name. Throws a usage error `INVALID_SENDER` if it is blank, ill-formed or has control characters. */
export function senderByName(name: string): Sender {
  if (name.trim() !== "" && name.isWellFormed() && !/[\0-\x1F\x7F-\x9F]/.test(name)) return { kind: "name", name };
  throw usageError(
    "INVALID_SENDER",
    "the sender name is empty or has control characters",
    "give the name of an approved sender ID, such as ACME",
  );
}

/** Whether both are the same sender; undefined is the account's default. */
export function isSameSender(one: Sender | undefined, other: Sender | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && nameOf(one) === nameOf(other));
}

function nameOf(sender: Sender): string {
  return sender.kind === "name" ? `name ${sender.name}` : `id ${sender.id}`;
}

/** A sender by identifier. Throws a usage error `INVALID_SENDER` unless it is 24 hex characters. */
export function senderById(id: string): Sender {
  if (/^[0-9a-f]{24}$/i.test(id)) return { kind: "id", id };
  throw usageError(
    "INVALID_SENDER",
    `${JSON.stringify(id)} is not a sender ID`,
    "a sender ID is 24 hex characters; for a name, use --sender",
  );
}
