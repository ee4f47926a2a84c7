import { createHash } from "node:crypto";
import type { Mode } from "../service/credentials.ts";
import { fieldTexts, type Message } from "../message/fields.ts";
import type { Outcome } from "../message/outcome.ts";
import { usageError } from "../errors.ts";
import { bindingOf, changesOf, type RunBinding, type RunDestination } from "./header.ts";
import type { Actor } from "./runs.ts";

export interface OnceKeeper {
  /**
   * What used a key up; undefined if the key is free. It does not wait for a command that has the key. Throws `ONCE_CHANGED` if
   * the key was used for something else, and `ONCE_DAMAGED`.
   */
  readonly find: (key: KeyRequest, terms: OnceTerms) => Promise<UsedKey | undefined>;
  /**
   * Takes a key for this process only, or returns what used it up. Waits for each command that has the key, then throws
   * `LOCKED`. A request that a command did not live to see answered leaves the key uncertain.
   */
  readonly claim: (key: KeyRequest, terms: OnceTerms, patienceMs: number) => Promise<UsedKey | OnceKey>;
}

export interface KeyRequest {
  readonly text: string;
  /** What a sandbox took uses up no key of the service. */
  readonly isSandbox: boolean;
  /**
   * For how long a message pauses the key: until then nothing else is sent under it, with any text, sender or credentials. If it
   * is undefined, the key is used up for good.
   */
  readonly pauseMs: number | undefined;
}

export interface OnceTerms {
  readonly to: string;
  /** SHA-256 of each field of the message, by its noun. */
  readonly digests: Readonly<Record<string, string>>;
  readonly binding: RunBinding;
}

export interface UsedKey {
  readonly kind: "used";
  readonly at: string;
  readonly by?: Actor;
  /** Accepted or uncertain, since nothing else uses a key up. */
  readonly outcome: Outcome;
  readonly mode: Mode;
}

/** A key that only this process may use, until it releases it. Each method throws if the record cannot be changed. */
export interface OnceKey {
  readonly kind: "ours";
  /** Uses the key up, just before the request begins: from now on a kill leaves it uncertain. */
  readonly intend: () => Promise<void>;
  /** Frees the key, since no request has begun. */
  readonly withdraw: () => Promise<void>;
  /** Frees the key if nothing was sent. */
  readonly settle: (outcome: Outcome) => Promise<void>;
  /** Lets other commands have the key. Never throws. */
  readonly release: () => Promise<void>;
}

export function onceTerms(message: Message, destination: RunDestination): OnceTerms {
  const digests = [...fieldTexts(message)].map(([noun, text]) => [noun, sha256(text)]);
  return { to: message.to, digests: Object.fromEntries(digests), binding: bindingOf(destination) };
}

/** Throws a usage error `ONCE_CHANGED` if a key may not serve for both. */
export function requireSameTerms(was: OnceTerms, is: OnceTerms, isPause: boolean): void {
  const nouns = isPause ? ["recipient"] : Object.keys(is.digests);
  const { baseUrl, path } = is.binding;
  // The texts of a pause may come from another key of the account, but silence here must not follow from a text elsewhere.
  const binding = isPause ? { ...was.binding, baseUrl, path } : is.binding;
  const others = [...nouns.filter((noun) => was.digests[noun] !== is.digests[noun]), ...changesOf(was, binding)];
  if (others.length === 0) return;
  const hint = isPause
    ? "give each recipient and each service a key of its own"
    : "it repeats one message with the same credentials: for another one, give another --once key";
  throw usageError("ONCE_CHANGED", `this --once key was used with another ${others.join(", another ")}`, hint);
}

/** The name of a key in a record. It does not tell the key, which may be any text. */
export function keyName({ text, isSandbox }: Pick<KeyRequest, "text" | "isSandbox">): string {
  return sha256(JSON.stringify([isSandbox ? "sandbox" : "service", text])).slice(0, 32);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** How long a key is kept after its pause: somebody may give it again with a longer one. */
export const keptAfterPauseMs = 24 * 3_600_000;
