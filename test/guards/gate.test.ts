import { expect, it } from "vitest";
import { openGate } from "../../src/guards/gate.ts";
import type { Reservations } from "../../src/guards/guard.ts";

it("a gate renews the reservations of a day that has ended when it looks again", async () => {
  let renewals = 0;
  const reservations: Reservations = {
    isCurrent: () => renewals > 0,
    renew: () => void renewals++,
    reserve: async ({ length }) => ({ granted: length, refusal: undefined }),
    covers: () => true,
    take: () => undefined,
    settle: () => {},
    giveBack: async () => {},
  };
  const gate = openGate([{ reservations: () => reservations }], () => 0);

  const before = gate.isCurrent();
  await gate.look();

  expect({ before, after: gate.isCurrent() }).toEqual({ before: false, after: true });
});
