import type { Encoding } from "../core/encoding.ts";
import { segment } from "../core/segments.ts";
import type { Mode } from "./credentials.ts";
import { type Listen, publisher } from "./publisher.ts";
import { rateWindow, requestsPerMinute, type Tier } from "./rate-window.ts";
import type { SendRequest } from "./send-request.ts";
import { type AccountSetup, changed } from "./setup.ts";

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
interface AccountSummary {
  /** Those that are not revoked. */
  readonly keys: readonly string[];
  /** The names of the approved sender IDs; the first is the default. */
  readonly senders: readonly string[];
  readonly tier: Tier;
  /** Requests a minute. */
  readonly rate: number;
  /** Credits left. */
  readonly balance: number;
}

/** What was taken since the beginning, cleared or not. */
export interface Tally {
  readonly messages: number;
  readonly segments: number;
  /** Those that were charged. */
  readonly credits: number;
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
  readonly setup: AccountSetup;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
}

/** The one account of a sandbox, in memory. */
export interface Account {
  /** What it is told to be, with the credits that are left. */
  readonly setup: () => AccountSetup;
  readonly summary: () => AccountSummary;
  readonly tally: () => Tally;
  /** What was taken, oldest first. */
  readonly messages: readonly SandboxMessage[];
  /** What was asked and not taken, oldest first. */
  readonly refusals: readonly SandboxRefusal[];
  /** Lets one request in (0), or gives the whole seconds to wait by the tier's rate. */
  readonly admit: () => number;
  /** Charges and keeps a message; nothing where the balance does not cover it. A test key is never charged. */
  readonly take: (
    send: SendRequest,
    mode: Mode,
    fault: { readonly fault?: string },
  ) => SandboxMessage | undefined;
  /** Keeps what was not taken. */
  readonly refuse: (refusal: Omit<SandboxRefusal, "at">) => void;
  /** Forgets messages and refusals; what was charged stays charged. */
  readonly clear: () => void;
  /** Makes it another account from now on. */
  readonly change: (told: Partial<AccountSetup>) => void;
  /** Makes it what it was opened as, with nothing sent yet. */
  readonly reset: () => void;
  readonly listen: Listen<AccountEvent>;
}

/** Of messages and of refusals: what is older is forgotten, so that a sandbox can run for months. */
const keptAtMost = 100_000;

const creditsPerSegment = 1;

/** Opens an account with nothing sent yet. */
export function openAccount({ setup: opened, now, newId }: AccountOptions): Account {
  const messages: SandboxMessage[] = [];
  const refusals: SandboxRefusal[] = [];
  const { publish, listen } = publisher<AccountEvent>();
  let setup = opened;
  let balance = opened.credits;
  let admit = rateWindow(rateOf(opened), now);
  let tally: Tally = { messages: 0, segments: 0, credits: 0 };
  const time = () => new Date(now()).toISOString();
  const become = (next: AccountSetup) => {
    if (rateOf(next) !== rateOf(setup)) admit = rateWindow(rateOf(next), now);
    setup = next;
    balance = next.credits;
    publish({ name: "account", data: summary() });
  };
  const clear = () => {
    messages.length = 0;
    refusals.length = 0;
    publish({ name: "cleared", data: {} });
  };
  const summary = () => ({
    keys: usableKeys(setup),
    senders: setup.senders.map(({ name }) => name),
    tier: setup.tier,
    rate: rateOf(setup),
    balance,
  });
  return {
    setup: () => ({ ...setup, credits: balance }),
    summary,
    tally: () => tally,
    messages,
    refusals,
    admit: () => admit(),
    take: ({ to, message, sender }, mode, fault) => {
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
      const taken = {
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
        ...fault,
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
    clear,
    change: (told) => become(changed({ ...setup, credits: balance }, told)),
    reset: () => {
      clear();
      admit = rateWindow(rateOf(opened), now);
      become(opened);
    },
    listen,
  };
}

/** The keys of an account that are not revoked. */
export function usableKeys({ keys }: AccountSetup): readonly string[] {
  return keys.filter(({ revoked }) => !revoked).map(({ key }) => key);
}

function rateOf({ tier, rate }: AccountSetup): number {
  return rate ?? requestsPerMinute[tier];
}

/** What that many credits cost, to the cent. */
function costKes(credits: number, { kesPerCredit }: AccountSetup): number {
  return Math.round(credits * kesPerCredit * 100) / 100;
}

function keep<T>(kept: T[], one: T): void {
  kept.push(one);
  if (kept.length > keptAtMost) kept.shift();
}
