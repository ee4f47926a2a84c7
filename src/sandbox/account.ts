import { type Encoding, segment } from "../message/segments.ts";
import type { Mode } from "./credentials.ts";
import { type Kept, openHistory } from "./history.ts";
import { type Listen, publisher } from "./publisher.ts";
import { rateWindow, requestsPerMinute, type Tier } from "./rate-window.ts";
import type { SendRequest } from "./send-request.ts";
import { type AccountSetup, changed } from "./setup.ts";

/** An accepted message. */
export interface SandboxMessage {
  readonly messageId: string;
  readonly to: string;
  /** The name of the sender ID. */
  readonly senderId: string;
  readonly message: string;
  readonly encoding: Encoding;
  /** The text of each segment. */
  readonly parts: readonly string[];
  readonly segments: number;
  /** Its price in credits; test keys are not charged. */
  readonly totalCredits: number;
  /** Its price in KES. */
  readonly totalCostKes: number;
  readonly mode: Mode;
  /** The key for display; absent for account credentials. */
  readonly key?: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** Why the answer was broken on purpose: a number ending such as `000598`, or a fault such as `reset-after`. */
  readonly fault?: string;
}

/** A refused send; fields that could not be read are absent. */
export interface SandboxRefusal {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly to: string;
  readonly senderId?: string;
  readonly message?: string;
  readonly mode?: Mode;
  /** The key for display, if it is one of the account. */
  readonly key?: string;
  /** Why it was refused, in one sentence. */
  readonly reason?: string;
  /** The HTTP status; 0 if the connection was cut without an answer. */
  readonly status: number;
  readonly errorCode?: string;
  /** Why it was refused on purpose: a number ending such as `000500`, or a fault such as `500`. */
  readonly fault?: string;
  /** The id of its request; absent after a restart, as requests are not kept. */
  readonly requestId?: number;
}

interface AccountSummary {
  /** Without revoked ones. */
  readonly keys: readonly string[];
  /** Sender ID names; the first is the default. */
  readonly senders: readonly string[];
  /** The paths to send to. */
  readonly paths: readonly string[];
  readonly tier: Tier;
  /** Requests per minute. */
  readonly rate: number;
  /** Credits. */
  readonly balance: number;
}

/** Totals of accepted messages since the start, cleared ones included. */
export interface Tally {
  readonly messages: number;
  readonly segments: number;
  /** Credits charged. */
  readonly credits: number;
}

/** How many messages and refusals were kept before a place in the history, cleared and dropped ones included. */
export interface Place {
  readonly messages: number;
  readonly refusals: number;
}

/** A change of the account; `name` is the event name in the feed. */
export type AccountEvent =
  | {
      readonly name: "message";
      readonly data: { readonly message: SandboxMessage; readonly balance: number };
    }
  | { readonly name: "refusal"; readonly data: SandboxRefusal }
  | { readonly name: "cleared"; readonly data: Readonly<Record<string, never>> }
  /** Some entries were deleted, or deleted ones came back. */
  | { readonly name: "changed"; readonly data: Readonly<Record<string, never>> }
  | { readonly name: "account"; readonly data: AccountSummary };

export interface AccountOptions {
  readonly setup: AccountSetup;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  /** What keeps its messages and refusals over a restart. */
  readonly kept?: Kept<SandboxMessage, SandboxRefusal> | undefined;
}

/** The account of a sandbox, in memory. */
export interface Account {
  /** The current setup, with the current balance as credits. */
  readonly setup: () => AccountSetup;
  readonly summary: () => AccountSummary;
  readonly tally: () => Tally;
  /** Accepted messages, oldest first. */
  readonly messages: readonly SandboxMessage[];
  /** Refused sends, oldest first. */
  readonly refusals: readonly SandboxRefusal[];
  /** The place after the latest message and refusal. */
  readonly end: () => Place;
  /** Counts one request: 0 if the rate allows it, else the whole seconds to wait. */
  readonly admit: () => number;
  /** Charges (unless the key is a test key) and stores a message; undefined if the balance is too low. */
  readonly accept: (
    send: SendRequest,
    mode: Mode,
    more: Pick<SandboxMessage, "fault" | "key">,
  ) => SandboxMessage | undefined;
  readonly refuse: (refusal: Omit<SandboxRefusal, "at">) => void;
  /** Deletes messages and refusals; the balance stays. */
  readonly clear: () => void;
  /** Deletes the messages and refusals that match; returns whether there were any. */
  readonly remove: (matches: (entry: SandboxMessage | SandboxRefusal) => boolean) => boolean;
  /** How often `clear` or `remove` deleted something. */
  readonly deletions: () => number;
  /** Brings back what the last `clear` or `remove` deleted; returns whether there was anything. */
  readonly undo: () => boolean;
  readonly change: (change: Partial<AccountSetup>) => void;
  /** Restores the setup it was opened with and deletes everything. */
  readonly reset: () => void;
  readonly listen: Listen<AccountEvent>;
}

const creditsPerSegment = 1;

/** Opens an account with the messages that are kept. They were charged to an earlier account, and count in no tally. */
export function openAccount({ setup: opened, now, newId, kept }: AccountOptions): Account {
  const history = openHistory<SandboxMessage, SandboxRefusal>(kept);
  const { publish, listen } = publisher<AccountEvent>();
  let setup = opened;
  let balance = opened.credits;
  let admit = rateWindow(rateOf(opened), now);
  let tally: Tally = { messages: 0, segments: 0, credits: 0 };
  let deletions = 0;
  let received = history.messages.length;
  let refused = history.refusals.length;
  const time = () => new Date(now()).toISOString();
  const apply = (next: AccountSetup) => {
    if (rateOf(next) !== rateOf(setup)) admit = rateWindow(rateOf(next), now);
    setup = next;
    balance = next.credits;
    publish({ name: "account", data: summary() });
  };
  const clear = () => {
    deletions++;
    history.clear();
    publish({ name: "cleared", data: {} });
  };
  const announced = (isChanged: boolean) => {
    if (isChanged) publish({ name: "changed", data: {} });
    return isChanged;
  };
  const summary = () => ({
    keys: usableKeys(setup),
    senders: setup.senders.map(({ name }) => name),
    paths: setup.paths,
    tier: setup.tier,
    rate: rateOf(setup),
    balance,
  });
  return {
    setup: () => ({ ...setup, credits: balance }),
    summary,
    tally: () => tally,
    messages: history.messages,
    refusals: history.refusals,
    end: () => ({ messages: received, refusals: refused }),
    admit: () => admit(),
    accept: ({ to, message, sender }, mode, more) => {
      const { encoding, parts, segments } = segment(message);
      const totalCredits = segments * creditsPerSegment;
      const charge = mode === "test" ? 0 : totalCredits;
      if (charge > balance) return undefined;
      balance -= charge;
      tally = {
        messages: tally.messages + 1,
        segments: tally.segments + segments,
        credits: tally.credits + charge,
      };
      const accepted = {
        messageId: newId(),
        to,
        senderId: sender,
        message,
        encoding,
        parts,
        segments,
        totalCredits,
        totalCostKes: costKes(totalCredits, setup),
        mode,
        at: time(),
        ...more,
      };
      received++;
      history.addMessage(accepted);
      publish({ name: "message", data: { message: accepted, balance } });
      return accepted;
    },
    refuse: (refusal) => {
      const data = { at: time(), ...refusal };
      refused++;
      history.addRefusal(data);
      publish({ name: "refusal", data });
    },
    clear,
    remove: (matches) => {
      const isChanged = announced(history.remove(matches));
      if (isChanged) deletions++;
      return isChanged;
    },
    deletions: () => deletions,
    undo: () => announced(history.undo()),
    change: (change) => apply(changed({ ...setup, credits: balance }, change)),
    reset: () => {
      clear();
      history.endUndo();
      admit = rateWindow(rateOf(opened), now);
      apply(opened);
    },
    listen,
  };
}

/** All keys that are not revoked. */
export function usableKeys({ keys }: AccountSetup): readonly string[] {
  return keys.filter(({ revoked }) => !revoked).map(({ key }) => key);
}

function rateOf({ tier, rate }: AccountSetup): number {
  return rate ?? requestsPerMinute[tier];
}

function costKes(credits: number, { kesPerCredit }: AccountSetup): number {
  return Math.round(credits * kesPerCredit * 100) / 100;
}
