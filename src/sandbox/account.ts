import { countSegments } from "../core/segments.ts";
import type { Mode } from "./credentials.ts";
import type { Tier } from "./rate-window.ts";
import { rateWindow, requestsPerMinute } from "./rate-window.ts";
import type { SendRequest } from "./send-request.ts";

/** A message that the sandbox took. */
export interface SandboxMessage {
  readonly messageId: string;
  readonly to: string;
  /** The name of the sender ID. */
  readonly senderId: string;
  readonly message: string;
  readonly segments: number;
  /** What it costs; only live keys and the account itself pay it. */
  readonly totalCredits: number;
  readonly mode: Mode;
  /** ISO 8601 in UTC. */
  readonly at: string;
}

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
  readonly tier: Tier;
  /** Credits left. */
  readonly balance: number;
  /** What was taken, oldest first. */
  readonly messages: readonly SandboxMessage[];
  /** Lets one request in (0), or gives the whole seconds to wait by the tier's rate. */
  readonly admit: () => number;
  /** Charges and keeps a message; nothing where the balance does not cover it. A test key is never charged. */
  readonly take: (send: SendRequest, mode: Mode) => SandboxMessage | undefined;
}

const creditsPerSegment = 1;
const centsPerCredit = 80;

/** Opens an account with nothing sent yet. */
export function openAccount({ tier, credits, now, newId }: AccountOptions): Account {
  const messages: SandboxMessage[] = [];
  let balance = credits;
  return {
    tier,
    get balance() {
      return balance;
    },
    messages,
    admit: rateWindow(requestsPerMinute[tier], now),
    take: ({ to, message, sender }, mode) => {
      const { segments } = countSegments(message);
      const totalCredits = segments * creditsPerSegment;
      const charge = mode === "test" ? 0 : totalCredits;
      if (charge > balance) return undefined;
      balance -= charge;
      const at = new Date(now()).toISOString();
      const taken = {
        messageId: newId(),
        to,
        senderId: sender,
        message,
        segments,
        totalCredits,
        mode,
        at,
      };
      messages.push(taken);
      return taken;
    },
  };
}

/** The price of that many credits in KES, exact to the cent. */
export function costKes(credits: number): number {
  return (credits * centsPerCredit) / 100;
}
