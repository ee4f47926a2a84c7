import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutcomeKind } from "../../src/errors.ts";
import type { JournalEntry } from "../../src/record/journal-entry.ts";
import { Ledger } from "../../src/record/ledger.ts";
import { seed } from "../support/seed.ts";
import { newLedger } from "./entries.ts";

const intent: JournalEntry = { kind: "intent", indexes: [0] };
const released: JournalEntry = { kind: "withdrawn", indexes: [0] };
const begin = (...indexes: readonly number[]): JournalEntry => ({ kind: "intent", indexes });
const took = (index: number, newBalance = 0, totalCredits = 2): JournalEntry => ({
  kind: "accepted",
  index,
  receipt: { messageId: "m", totalCredits, newBalance },
});
const sent = (index: number, newBalance: number) => [begin(index), took(index, newBalance)];
const uncertain = (
  kind: "no-answer" | "server-error" | "unreachable" | "rate-limited",
): Extract<JournalEntry, { failure: object }> => ({
  kind: "uncertain",
  index: 0,
  failure: { kind, error: "", errorCode: "X" },
});

describe("what may have been charged for a message of 3 segments", () => {
  it.each<readonly [string, number, OutcomeKind, readonly JournalEntry[]]>([
    ["in flight", 3, "uncertain", [intent]],
    ["in doubt", 3, "uncertain", [intent, uncertain("no-answer")]],
    ["in doubt twice", 6, "uncertain", [intent, uncertain("no-answer"), intent, uncertain("server-error")]],
    ["in doubt, then not sent", 3, "uncertain", [intent, uncertain("no-answer"), intent, uncertain("unreachable")]],
    [
      "in doubt, then over the rate",
      3,
      "uncertain",
      [intent, uncertain("no-answer"), intent, uncertain("rate-limited")],
    ],
    ["in doubt, then released", 3, "uncertain", [intent, uncertain("no-answer"), intent, released]],
    ["left without a result, and tried again", 6, "uncertain", [intent, intent]],
    ["left without a result, then accepted", 6, "accepted", [intent, intent, took(0, 0, 3)]],
  ])("%s: %d credits, and it is %s", (_, credits, outcome, entries) => {
    const ledger = new Ledger(new Uint8Array([3]));
    for (const entry of entries) expect(ledger.apply(entry)).toBe(true);
    expect({ credits: ledger.exposure, outcome: ledger.outcomeOf(0) }).toEqual({ credits, outcome });
  });
});

describe("what may have been charged for a run", () => {
  it("is never under the charge, if no request costs more for a segment than one before it", () => {
    const charges = fc.array(fc.record({ credits: fc.integer({ min: 1, max: 9 }), isLost: fc.boolean() }), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(charges, (requests) => {
        const ledger = newLedger(requests.length + 1);
        ledger.apply(begin(requests.length));
        ledger.apply(took(requests.length, 0, 18));
        let charged = 18;
        for (const [index, { credits, isLost }] of requests.entries()) {
          ledger.apply(begin(index));
          charged += 2 * credits;
          expect(ledger.exposure).toBeGreaterThanOrEqual(charged);
          ledger.apply(isLost ? { ...uncertain("no-answer"), index } : took(index, 0, 2 * credits));
          expect(ledger.exposure).toBeGreaterThanOrEqual(charged);
        }
      }),
      { seed, numRuns: 200 },
    );
  });
});

describe("the balance of a run", () => {
  it.each<readonly [string, number, readonly JournalEntry[]]>([
    ["is that of the last receipt, if no requests overlap", 150, [...sent(0, 100), ...sent(1, 150)]],
    ["is the lowest of overlapping requests", 97, [begin(0, 1, 2), took(1, 98), took(2, 97), took(0, 99)]],
    ["rises with a top-up between requests", 195, [begin(0, 1), took(1, 98), took(0, 99), begin(2), took(2, 195)]],
    [
      "stays where a receipt has none",
      98,
      [begin(0, 1), took(0, 98), { kind: "accepted", index: 1, receipt: { messageId: "m" } }],
    ],
    ["counts no overlap from before a retry", 150, [begin(0), ...sent(1, 90), begin(0), took(0, 150)]],
  ])("%s", (_, balance, entries) => {
    const ledger = newLedger(3);
    for (const entry of entries) expect(ledger.apply(entry)).toBe(true);
    expect(ledger.tally().newBalance).toBe(balance);
  });

  it("is never above the true one, and is it once all answers are in, whatever overlaps", () => {
    const order = fc.array(fc.nat(7), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(order, (choices) => {
        const ledger = newLedger(100);
        let begun = 0;
        let balance = 1_000;
        const open: { readonly index: number; balance: number | undefined }[] = [];
        const answer = (request: (typeof open)[number]) => {
          request.balance ??= --balance;
          open.splice(open.indexOf(request), 1);
          ledger.apply(took(request.index, request.balance));
        };
        for (const choice of choices) {
          const request = open[choice % Math.max(1, open.length)];
          if (choice < 3 || request === undefined) {
            ledger.apply(begin(begun));
            open.push({ index: begun++, balance: undefined });
          } else if (choice < 5) {
            // Charged now, answered later.
            request.balance ??= --balance;
          } else answer(request);
        }
        while (open[0] !== undefined) answer(open[0]);
        expect(ledger.tally().newBalance).toBe(balance);
      }),
      { seed, numRuns: 500 },
    );
  });
});

it("a run adds up costs without the dust of binary fractions", () => {
  const ledger = newLedger(3);
  ledger.apply(begin(0, 1, 2));
  for (const index of [0, 1, 2])
    ledger.apply({ kind: "accepted", index, receipt: { messageId: "m", totalCostKes: 0.8 } });
  expect(ledger.tally().totalCostKes).toBe(2.4);
});
