import { segment } from "../message/segments.ts";
import { type Mode, openSandboxHistory, type SandboxMessage, type SandboxRefusal } from "./history.ts";
import type { SendRequest } from "./send-request.ts";
import type { Setup } from "./setup.ts";

interface AccountSummary {
  readonly keys: readonly string[];
  /** Sender ID names; the first is the default. */
  readonly senders: readonly string[];
  readonly paths: readonly string[];
  readonly rate: number;
  readonly balance: number;
  /** As `readFaults` reads them. */
  readonly faults: string;
}

/** Totals of accepted messages since the start, cleared ones included. */
interface Tally {
  readonly messages: number;
  readonly segments: number;
  readonly credits: number;
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

interface AccountOptions {
  readonly setup: Setup;
  readonly now: () => number;
  readonly newId: () => string;
  readonly publish: (event: AccountEvent) => void;
}

const creditsPerSegment = 1;

export function openAccount({ setup: opened, now, newId, publish }: AccountOptions) {
  const history = openSandboxHistory();
  let setup = opened;
  let balance = opened.credits;
  let admit = rateWindow(opened.rate, now);
  let tally: Tally = { messages: 0, segments: 0, credits: 0 };
  let deletions = 0;
  const time = () => new Date(now()).toISOString();
  const summary = (): AccountSummary => ({
    keys: usableKeys(setup),
    senders: setup.senders.map(({ name }) => name),
    paths: setup.paths,
    rate: setup.rate,
    balance,
    faults: setup.faults.text,
  });
  const apply = (next: Setup) => {
    if (next.rate !== setup.rate) admit = rateWindow(next.rate, now);
    setup = next;
    balance = next.credits;
    publish({ name: "account", data: summary() });
  };
  const clear = (joins = false) => {
    deletions++;
    history.clear(joins);
    publish({ name: "cleared", data: {} });
  };
  return {
    setup: (): Setup => ({ ...setup, credits: balance }),
    summary,
    tally: () => tally,
    entries: history.entries,
    messages: (): readonly SandboxMessage[] =>
      history.entries.flatMap((entry) => ("message" in entry ? [entry.message] : [])),
    page: history.page,
    /** Counts one request: 0 if the rate allows it, else the whole seconds to wait. */
    admit: () => admit(),
    accept: (
      { to, message, sender }: SendRequest,
      mode: Mode,
      more: Pick<SandboxMessage, "fault" | "key">,
    ): SandboxMessage | undefined => {
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
        totalCostKes: Math.round(totalCredits * setup.kesPerCredit * 100) / 100,
        mode,
        at: time(),
        ...more,
      };
      history.add({ message: accepted });
      publish({ name: "message", data: { message: accepted, balance } });
      return accepted;
    },
    refuse: (details: Omit<SandboxRefusal, "at">): void => {
      const refusal = { at: time(), ...details };
      history.add({ refusal });
      publish({ name: "refusal", data: refusal });
    },
    clear,
    remove: (matches: (entry: SandboxMessage | SandboxRefusal) => boolean, joins: boolean): boolean => {
      if (!history.remove(matches, joins)) return false;
      deletions++;
      publish({ name: "changed", data: {} });
      return true;
    },
    deletions: () => deletions,
    undo: (): boolean => {
      const isChanged = history.undo();
      if (isChanged) publish({ name: "changed", data: {} });
      return isChanged;
    },
    change: (changes: Partial<Setup>): void => apply({ ...setup, credits: balance, ...changes }),
    /** Restores the setup it was opened with and deletes everything. */
    reset: (): void => {
      clear();
      history.endUndo();
      admit = rateWindow(opened.rate, now);
      apply(opened);
    },
  };
}

export function usableKeys({ keys }: Setup): readonly string[] {
  return keys.filter(({ revoked }) => !revoked).map(({ key }) => key);
}

const minute = 60_000;

/** A sliding minute. A call returns 0 if it admits a request, else the seconds to wait; only admitted ones count. */
function rateWindow(limit: number, now: () => number): () => number {
  // A ring buffer: the next slot is when the request `limit` places back was admitted.
  const admitted: number[] = [];
  let next = 0;
  return () => {
    const at = now();
    const freeAt = (admitted[next] ?? -Infinity) + minute;
    if (at < freeAt) return Math.ceil((freeAt - at) / 1000);
    admitted[next] = at;
    next = (next + 1) % limit;
    return 0;
  };
}
