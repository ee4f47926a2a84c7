import { describe, expect, it } from "vitest";
import { usageError } from "../../src/errors.ts";
import { openGate } from "../../src/guards/gate.ts";
import type { Guard, Reservations } from "../../src/guards/guard.ts";

const messages = [{ index: 0, segments: 1 }];

/** A guard of a day, which reserves for all messages but for this change. */
function reserving(change: Partial<Reservations>): Guard {
  const reservations: Reservations = {
    isCurrent: () => true,
    renew: () => {},
    reserve: async ({ length }) => ({ granted: length, refusal: undefined }),
    settle: () => {},
    close: async () => {},
    ...change,
  };
  return { reservations: () => reservations };
}

describe("a gate", () => {
  it("grants nothing where a reservation cannot be read", async () => {
    const error = usageError("SPENDING_DAMAGED", "the day is damaged", "restore it");
    const gate = openGate([reserving({ reserve: () => Promise.reject(error) })], () => 0);
    expect(await gate.reserve?.(messages)).toEqual({ granted: 0, refusal: { kind: "unreadable", error } });
  });

  it("renews the reservations of a day that has ended when it looks again", async () => {
    let renewals = 0;
    const isCurrent = () => renewals > 0;
    const gate = openGate([reserving({ isCurrent, renew: () => void renewals++ })], () => 0);
    expect(gate.isCurrent()).toBe(false);
    await gate.look();
    expect(gate.isCurrent()).toBe(true);
  });
});
