import { describe, expect, it } from "vitest";
import { requireRun } from "../../src/record/begun-run.ts";
import { accept } from "../support/scripts.ts";
import { begunRun, drafts, outcomesOf, sendRun } from "./running.ts";
import { byIndex, cut, nothing, refuse, sendNew } from "./service.ts";

describe("a run", () => {
  it("sends to everybody once, and says what it came to", async () => {
    const { server, ending, tally, events } = await sendNew(50, accept());

    expect(ending).toBe("accepted");
    expect(tally).toEqual({
      ...nothing,
      isClosed: false,
      accepted: 50,
      due: 0,
      repeated: 0,
      segments: 50,
      totalCredits: 50,
      totalCostKes: 40,
      unpriced: 0,
      newBalance: 99,
    });
    expect(server.sent().sort()).toEqual(drafts(50).map(({ to }) => to));
    expect(Object.keys(outcomesOf(events))).toHaveLength(50);
  });

  it("has the time by the clock of the wall, since the other one stands still while the machine sleeps", async () => {
    const woke = Date.now() + 10 * 3_600_000;

    const { files } = await sendNew(1, accept(), { wallClock: () => woke });

    const { times } = await (await requireRun(files.runs, "test")).readTimes();
    expect([...times]).toEqual([woke]);
  });

  it.each([
    ["a refusal", refuse(400), "rejected", "incomplete"],
    ["a fault of the service", refuse(500), "uncertain", "incomplete"],
    ["a cut", cut, "uncertain", "incomplete"],
    ["a receipt for another", accept({ to: "+254799999999" }), "uncertain", "incomplete"],
    ["credits at an end", refuse(402), "rejected", "no-credits"],
    ["refused credentials", refuse(401), "rejected", "unauthorized"],
    ["a refused sender", refuse(403), "rejected", "forbidden"],
    ["another program at that address", refuse(404), "unsent", "not-the-service"],
  ])("meets %s at the second of three: %s, and ends as %s", async (_, script, outcome, ending) => {
    const ended = await sendNew(3, byIndex({ 1: script }), { inFlight: 1 });

    const rest = ending === "incomplete" ? { 2: "accepted" } : {};
    expect(ended.ending).toBe(ending);
    expect(outcomesOf(ended.events)).toEqual({ 0: "accepted", 1: outcome, ...rest });
    expect(ended.tally).toMatchObject({
      ...nothing,
      accepted: ending === "incomplete" ? 2 : 1,
      [outcome]: 1,
      ...(ending === "incomplete" ? {} : { pending: 1 }),
    });
  });

  it("stops after five uncertain in a row, in the way of the last", async () => {
    const { ending, tally } = await sendNew(20, refuse(503), { inFlight: 1 });
    expect({ ending, tally }).toMatchObject({ ending: "server-error", tally: { uncertain: 5, pending: 15 } });
  });

  it("does not count uncertain that are not in a row", async () => {
    const { ending, tally } = await sendNew(
      20,
      (socket, request, index) => (index % 5 === 4 ? accept() : cut)(socket, request, index),
      { inFlight: 1 },
    );
    expect({ ending, tally }).toMatchObject({ ending: "incomplete", tally: { accepted: 4, uncertain: 16 } });
  });

  it("stops where the service cannot be reached", async () => {
    const files = await begunRun(drafts(20));
    const { ending, tally, events } = await sendRun(files, "http://127.0.0.1:1", {
      retries: 1,
      inFlight: 2,
    });
    expect(ending).toBe("unreachable");
    expect(tally.uncertain + tally.accepted + tally.rejected).toBe(0);
    expect(tally.unsent).toBeGreaterThan(0);
    expect(events.some(({ kind }) => kind === "waiting")).toBe(true);
  });
});
