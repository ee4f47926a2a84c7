import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/runs/journal-entry.ts";
import { Ledger } from "../../src/runs/ledger.ts";

const intent: JournalEntry = { kind: "intent", indexes: [0] };
const uncertain = (kind: "no-answer" | "server-error" | "unreachable" | "rate-limited"): JournalEntry => ({
  kind: "uncertain",
  index: 0,
  failure: { kind, error: "", errorCode: "X" },
});

/** What may have been charged for one message of 3 segments after these entries. */
function exposureAfter(...entries: readonly JournalEntry[]): number {
  const ledger = new Ledger(new Uint8Array([3]));
  for (const entry of entries) expect(ledger.apply(entry)).toBe(true);
  return ledger.exposure;
}

describe("what may have been charged for a message", () => {
  it.each<readonly [string, number, readonly JournalEntry[]]>([
    ["in flight", 3, [intent]],
    ["in doubt", 3, [intent, uncertain("no-answer")]],
    ["in doubt twice", 6, [intent, uncertain("no-answer"), intent, uncertain("server-error")]],
    ["in doubt, and then not sent", 3, [intent, uncertain("no-answer"), intent, uncertain("unreachable")]],
    [
      "in doubt, and then over the rate",
      3,
      [intent, uncertain("no-answer"), intent, uncertain("rate-limited")],
    ],
    ["left without a result, and tried again", 6, [intent, intent]],
  ])("%s: %d credits", (_, credits, entries) => {
    expect(exposureAfter(...entries)).toBe(credits);
  });
});
