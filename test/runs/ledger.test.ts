import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/runs/journal-entry.ts";
import { Ledger } from "../../src/runs/ledger.ts";
import { failure, newLedger, receipt } from "./journals.ts";

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
    ["in doubt, and then over the rate", 3, [intent, uncertain("no-answer"), intent, uncertain("rate-limited")]],
    ["left without a result, and tried again", 6, [intent, intent]],
  ])("%s: %d credits", (_, credits, entries) => {
    expect(exposureAfter(...entries)).toBe(credits);
  });
});

describe("a ledger", () => {
  it("gives a message back to what it was where its intent is released", () => {
    const ledger = newLedger(1);
    ledger.apply(intent);
    ledger.apply({ kind: "uncertain", index: 0, failure: { ...failure, kind: "no-answer" } });
    ledger.apply(intent);
    ledger.apply({ kind: "released", indexes: [0] });
    expect(ledger.outcomeOf(0)).toBe("uncertain");
    expect(ledger.exposure).toBe(2);
  });

  it("keeps counting an attempt that was left in doubt when another follows", () => {
    const ledger = newLedger(1);
    ledger.apply({ kind: "intent", indexes: [0] });
    ledger.apply({ kind: "intent", indexes: [0] });
    ledger.apply({ kind: "accepted", index: 0, receipt });
    expect(ledger.tally()).toMatchObject({ accepted: 1, uncertain: 0, totalCredits: 2 });
    expect(ledger.exposure).toBe(4);
  });

  it("adds up costs without the dust of binary fractions", () => {
    const ledger = newLedger(3);
    ledger.apply({ kind: "intent", indexes: [0, 1, 2] });
    for (const index of [0, 1, 2])
      ledger.apply({ kind: "accepted", index, receipt: { messageId: "m", totalCostKes: 0.8 } });
    expect(ledger.tally().totalCostKes).toBe(2.4);
  });
});
