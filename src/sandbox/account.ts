import { segment } from "../message/segments.ts";
import type { AccountMode, SandboxMessage } from "./reply.ts";
import type { SendRequest } from "./send-request.ts";
import { sandboxKeys, type Setup } from "./setup.ts";

export interface AccountSummary {
  readonly keys: readonly string[];
  readonly rate: number;
  readonly balance: number;
  /** As `--fault` had them. */
  readonly faults: string;
}

const creditsPerSegment = 1;
const kesPerCredit = 0.8;

export function openAccount(setup: Setup, now: () => number, newId: () => string) {
  let balance = setup.credits;
  let admit = rateWindow(setup.rate, now);
  let tally = { messages: 0, segments: 0, credits: 0 };
  return {
    summary: (): AccountSummary => ({
      keys: sandboxKeys,
      rate: setup.rate,
      balance,
      faults: setup.faults.text,
    }),
    /** The totals since the start. Messages that were cleared count too. */
    tally: () => tally,
    admit: () => admit(),
    /** Charges a message; undefined if the credits do not cover it. */
    accept: (
      { to, message, sender }: SendRequest,
      mode: AccountMode,
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
      return {
        messageId: newId(),
        to,
        senderId: sender,
        message,
        encoding,
        parts,
        segments,
        totalCredits,
        totalCostKes: Math.round(totalCredits * kesPerCredit * 100) / 100,
        mode,
        at: new Date(now()).toISOString(),
        ...more,
      };
    },
    reset: (): void => {
      balance = setup.credits;
      admit = rateWindow(setup.rate, now);
    },
  };
}

const minuteMs = 60_000;

/** A sliding minute. Requests that must wait do not count. */
function rateWindow(limit: number, now: () => number): () => number {
  // A ring buffer: the next slot is when the request `limit` places back was admitted.
  const times: number[] = [];
  let next = 0;
  return () => {
    const at = now();
    const freeAt = (times[next] ?? -Infinity) + minuteMs;
    if (at < freeAt) return Math.ceil((freeAt - at) / 1000);
    times[next] = at;
    next = (next + 1) % limit;
    return 0;
  };
}
