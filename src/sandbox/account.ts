import type { Encoding } from "../core/encoding.ts";
import { segment } from "../core/segments.ts";
import { type Mode, sandboxKeys } from "./credentials.ts";
import { type Listen, publisher } from "./publisher.ts";
import type { Tier } from "./rate-window.ts";
import { rateWindow, requestsPerMinute } from "./rate-window.ts";
import { type SendRequest, senders } from "./send-request.ts";

/** A message that the sandbox took. */
export interface SandboxMessage {
  readonly messageId: string;
  readonly to: string;
  /** The name of the sender ID. */
  readonly senderId: string;
  readonly message: string;
  readonly encoding: Encoding;
  /** The text of each segment; joined, they are the message. */
  readonly parts: readonly string[];
  readonly segments: number;
  /** What it costs; only live keys and the account itself pay it. */
  readonly totalCredits: number;
  /** The same in KES. */
  readonly totalCostKes: number;
  readonly mode: Mode;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** What spoilt the answer on purpose: a magic ending such as `000598`, or a fault such as `reset-after`. */
  readonly fault?: string;
}

/** A send that the sandbox did not take, as far as it could be read. */
export interface SandboxRefusal {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly to: string;
  readonly senderId?: string;
  readonly message?: string;
  readonly mode?: Mode;
  /** Of the answer; 0 where the connection was cut without one. */
  readonly status: number;
  readonly errorCode?: string;
  /** What refused it on purpose: a magic ending such as `000500`, or a fault such as `500`. */
  readonly fault?: string;
}

/** What an account is at the moment, beside what it took. */
export interface AccountSummary {
  readonly keys: readonly string[];
  /** The names of the approved sender IDs; the first is the default. */
  readonly senders: readonly string[];
  readonly tier: Tier;
  /** Credits left. */
  readonly balance: number;
}

/** What happens to an account, named as in the feed. */
export type AccountEvent =
  | {
      readonly name: "message";
      readonly data: { readonly message: SandboxMessage; readonly balance: number };
    }
  | { readonly name: "refusal"; readonly data: SandboxRefusal }
  | { readonly name: "cleared"; readonly data: Readonly<Record<string, never>> }
  | { readonly name: "account"; readonly data: AccountSummary };

/** What an account is opened with. */
export interface AccountOptions {
  readonly tier: Tier;
  /** The balance to begin with. */
  readonly credits: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
}

/** The one account of a sandbox, in memory. */
export interface Account {
  readonly summary: () => AccountSummary;
  /** What was taken, oldest first. */
  readonly messages: readonly SandboxMessage[];
  /** What was asked and not taken, oldest first. */
  readonly refusals: readonly SandboxRefusal[];
  /** Lets one request in (0), or gives the whole seconds to wait by the tier's rate. */
  readonly admit: () => number;
  /** Charges and keeps a message; nothing where the balance does not cover it. A test key is never charged. */
  readonly take: (send: SendRequest, mode: Mode, fault?: string) => SandboxMessage | undefined;
  /** Keeps what was not taken. */
  readonly refuse: (refusal: Omit<SandboxRefusal, "at">) => void;
  /** Forgets messages and refusals; what was charged stays charged. */
  readonly clear: () => void;
  readonly listen: Listen<AccountEvent>;
}

/** Of messages and of refusals: what is older is forgotten, so that a sandbox can run for months. */
const keptAtMost = 100_000;

const creditsPerSegment = 1;
const centsPerCredit = 80;

/** Opens an account with nothing sent yet. */
export function openAccount({ tier, credits, now, newId }: AccountOptions): Account {
  const messages: SandboxMessage[] = [];
  const refusals: SandboxRefusal[] = [];
  const { publish, listen } = publisher<AccountEvent>();
  let balance = credits;
  const time = () => new Date(now()).toISOString();
  return {
    summary: () => ({ keys: sandboxKeys, senders: senders.map(({ name }) => name), tier, balance }),
    messages,
    refusals,
    admit: rateWindow(requestsPerMinute[tier], now),
    take: ({ to, message, sender }, mode, fault) => {
      const { encoding, parts, segments } = segment(message);
      const totalCredits = segments * creditsPerSegment;
      const charge = mode === "test" ? 0 : totalCredits;
      if (charge > balance) return undefined;
      balance -= charge;
      const taken = {
        messageId: newId(),
        to,
        senderId: sender,
        message,
        encoding,
        parts,
        segments,
        totalCredits,
        totalCostKes: (totalCredits * centsPerCredit) / 100,
        mode,
        at: time(),
        ...(fault !== undefined && { fault }),
      };
      keep(messages, taken);
      publish({ name: "message", data: { message: taken, balance } });
      return taken;
    },
    refuse: (refusal) => {
      const refused = { at: time(), ...refusal };
      keep(refusals, refused);
      publish({ name: "refusal", data: refused });
    },
    clear: () => {
      messages.length = 0;
      refusals.length = 0;
      publish({ name: "cleared", data: {} });
    },
    listen,
  };
}

function keep<T>(kept: T[], one: T): void {
  kept.push(one);
  if (kept.length > keptAtMost) kept.shift();
}
