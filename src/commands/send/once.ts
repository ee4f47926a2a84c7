import { usageError } from "../../errors.ts";
import type { Lock } from "../../files/lock.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import { begin, intentFor, lockOnce, type OnceRecord, recall, settle, withdraw } from "../../record/once.ts";
import { type OnceFiles, onceFiles } from "../../record/once-file.ts";
import type { Message } from "../../message/fields.ts";
import type { Context } from "../shared/context.ts";
import type { Destination } from "../shared/destination.ts";
import { runDestination } from "../runs/sending.ts";
import { stateOf } from "../shared/profile.ts";
import type { SentMessage } from "./delivery.ts";
import type { SendOptions } from "./flags.ts";

/** A message under a key of `--once`. */
export interface Once {
  /** Returns what is recorded under the key; undefined if a message would be sent. Throws as `recall` of the record. */
  readonly recall: () => OnceRecord | undefined;
  /** Says what the key does, for a dry run. */
  readonly rule: (record: OnceRecord | undefined) => string;
  /**
   * Sends the message, or returns what is recorded. `check` throws if nothing may be sent now. The key is used from a moment
   * before `send` on, and free again if that sent nothing. Another command may hold it for `timeoutMs` and a little longer.
   */
  readonly send: (timeoutMs: number, check: () => Promise<void>, send: SendUnderKey) => Promise<SentMessage>;
}

/** Sends a message, and says when its request may have begun, and when that request was provably not sent. */
type SendUnderKey = (onRequest: (mayHaveBegun: boolean) => void) => Promise<SentMessage>;

/** The longest key, in UTF-16 code units. */
const longestKey = 200;

/** How much longer than its time-out another command may hold a key. Milliseconds. */
const patience = 10_000;

/**
 * Opens the key of a message with the text that the person wrote. Throws a usage error for what cannot be a key, or without a
 * folder.
 */
export function openOnce(
  { once: key = "", for: lifetime }: Pick<SendOptions, "once" | "for">,
  message: Message,
  destination: Destination,
  chosen: ChosenProfile | undefined,
  { host, presenter }: Context,
): Once {
  requireKey(key);
  const files = onceFiles(stateOf(host, "keys of --once"), key, destination.mode === "sandbox");
  const request = { message, destination: runDestination(destination, chosen) };
  const recallNow = () => recall(files, request, lifetime, host.wallClock());
  const sendUnder = async (lock: Lock, send: SendUnderKey) => {
    const intent = intentFor(request, host.wallClock());
    let isRecorded = false;
    let mayHaveBegun = false;
    let sent: SentMessage;
    const record = () => {
      begin(files, intent, lock);
      isRecorded = true;
    };
    // A kill in the pause before another try must not leave the key in doubt.
    const pause = () => {
      try {
        withdraw(files, intent, lock);
        isRecorded = false;
      } catch {
        // The outcome frees the key.
      }
    };
    try {
      record();
      sent = await send((isBegun) => {
        mayHaveBegun = false;
        if (!isBegun) pause();
        else if (!isRecorded) record();
        mayHaveBegun = isBegun;
      });
    } catch (error) {
      if (!mayHaveBegun)
        attempt("nothing was sent, but the --once key is not free, so it counts as uncertain", () =>
          withdraw(files, intent, lock),
        );
      throw error;
    }
    attempt("the outcome is not recorded, so the --once key counts as uncertain", () =>
      settle(files, intent, sent.outcome, lock),
    );
    return sent;
  };
  const attempt = (problem: string, change: () => void) => {
    try {
      change();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      presenter.warn(`${problem}: ${reason}`);
    }
  };
  return {
    recall: recallNow,
    rule: (record) => {
      const name = `--once ${JSON.stringify(key)}`;
      if (record === undefined) return `${name}: the key is free`;
      return `${name}: used at ${record.intent.at}, and ${record.outcome.kind}, so nothing is sent now`;
    },
    send: async (timeoutMs, check, send) => {
      const known = recallNow();
      if (known !== undefined && !known.isOpen) return replay(known, false);
      const waiting = "Waiting for another command with the same --once key";
      const lock = await presenter.waitFor(waiting, () => lockOnce(files, host, timeoutMs + patience));
      try {
        const record = recallNow();
        if (record !== undefined) return replay(record, record.isOpen && recordDoubt(files, record, lock));
        await check();
        return await sendUnder(lock, send);
      } finally {
        lock.release();
      }
    },
  };
}

function replay({ intent, outcome }: OnceRecord, isNew: boolean): SentMessage {
  return { outcome, begun: Date.parse(intent.at), replayed: { at: intent.at, isNew } };
}

/** Records the doubt that a killed command left. Returns whether that worked: then the outcome is new to the history. */
function recordDoubt(files: OnceFiles, { intent, outcome }: OnceRecord, lock: Lock): boolean {
  try {
    settle(files, intent, outcome, lock);
    return true;
  } catch {
    return false;
  }
}

function requireKey(key: string): void {
  if (key.trim() === "") throw usageError("INVALID_OPTION", "--once is empty", "a variable in it may not be set");
  if (key.length > longestKey) {
    throw usageError("INVALID_OPTION", "--once is too long", `give up to ${longestKey} characters`);
  }
}
