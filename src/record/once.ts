import { hash } from "node:crypto";
import type { Mode } from "../service/credentials.ts";
import { fieldTexts, type Message } from "../message/fields.ts";
import type { Outcome } from "../message/outcome.ts";
import { usageError } from "../errors.ts";
import { bindingOf, bindingChanges, type RunBinding, type RunDestination } from "./header.ts";
import type { Actor } from "./runs.ts";

export interface OnceKeeper {
  /** This does not wait for a command that has the key. Throws `ONCE_CHANGED` and `ONCE_DAMAGED`. */
  readonly find: (key: KeyRequest, use: OnceUse) => Promise<UsedKey | undefined>;
  /** A request that a kill cut off leaves the key uncertain. Throws `LOCKED` after `patienceMs` for each command. */
  readonly claim: (key: KeyRequest, use: OnceUse, patienceMs: number) => Promise<UsedKey | OnceClaim>;
}

export interface KeyRequest {
  readonly text: string;
  /** Set for `--sandbox`, which uses up no key of a base URL. The base URL of `sms sandbox` is like any other. */
  readonly isInProcess: boolean;
  /** Nothing else is sent under the key for this time after a send. If it is undefined, nothing else is sent for good. */
  readonly pauseMs: number | undefined;
}

export interface OnceUse {
  readonly to: string;
  /** SHA-256 of each field of the message, by its noun. */
  readonly digests: Readonly<Record<string, string>>;
  readonly binding: RunBinding;
  /** Set if a sandbox took the message. */
  readonly isSandbox?: true;
}

export interface UsedKey {
  readonly kind: "used";
  readonly at: string;
  readonly by?: Actor;
  /** Only accepted and uncertain use a key up. */
  readonly outcome: Outcome;
  readonly mode: Mode;
  readonly isSandbox: boolean;
}

/** Each method throws if the record cannot be changed. */
export interface OnceClaim {
  readonly kind: "ours";
  /** From now on, a kill leaves the key uncertain, so this comes just before the request. */
  readonly intend: () => Promise<void>;
  readonly withdraw: () => Promise<void>;
  /** If nothing was sent, this frees the key. */
  readonly settle: (outcome: Outcome) => Promise<void>;
  /** Never throws. */
  readonly release: () => Promise<void>;
}

export function onceUse(message: Message, destination: RunDestination): OnceUse {
  const digests = [...fieldTexts(message)].map(([noun, text]) => [noun, hash("sha256", text)]);
  return { to: message.to, digests: Object.fromEntries(digests), binding: bindingOf(destination) };
}

/** Throws a usage error `ONCE_CHANGED` if a key may not serve for both. */
export function requireSameUse(was: OnceUse, is: OnceUse, isPause: boolean): void {
  const nouns = isPause ? ["recipient"] : Object.keys(is.digests);
  const { baseUrl, path } = is.binding;
  // Another key of the account may pause the key, but a text sent to another service must not silence this one.
  const binding = isPause ? { ...was.binding, baseUrl, path } : is.binding;
  // A key that was stored before a message had the field has no digest of it.
  const isOther = (noun: string) => (was.digests[noun] ?? hash("sha256", "{}")) !== is.digests[noun];
  const others = [...nouns.filter(isOther), ...bindingChanges(was, binding)];
  if (others.length === 0) return;
  const hint = isPause
    ? "give each recipient and each service a key of its own"
    : "it repeats one message with the same credentials: for another one, give another --once key";
  throw usageError("ONCE_CHANGED", `this --once key was used with another ${others.join(", another ")}`, hint);
}

/** The name does not reveal the key, which may be any text. */
export function keyName({ text, isInProcess }: Pick<KeyRequest, "text" | "isInProcess">): string {
  return hash("sha256", JSON.stringify([isInProcess ? "sandbox" : "service", text])).slice(0, 32);
}

/** Somebody may give the key again with a longer pause. */
export const keptAfterPauseMs = 24 * 3_600_000;
