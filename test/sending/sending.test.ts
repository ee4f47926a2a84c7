import { describe, expect, it } from "vitest";
import type { SendEvent } from "../../src/sending/engine.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { begunRun, drafts, outcomesOf, sendRun } from "./running.ts";
import { byIndex, cut, firstThen, nothing, refuse, serve } from "./service.ts";

describe("a run", () => {
  it("sends to everybody once, and says what it came to", async () => {
    const server = await serve(accept());
    const files = await begunRun(drafts(50));
    const { ending, tally, events } = await sendRun(files, server.url);
    expect(ending).toBe("accepted");
    expect(tally).toEqual({
      ...nothing,
      isClosed: false,
      accepted: 50,
      due: 0,
      segments: 50,
      totalCredits: 50,
      totalCostKes: 40,
      unpriced: 0,
      newBalance: 99,
    });
    expect(server.sent().sort()).toEqual(drafts(50).map(({ to }) => to));
    expect(Object.keys(outcomesOf(events))).toHaveLength(50);
  });

  it("sends nothing when it is run again", async () => {
    const server = await serve(accept());
    const files = await begunRun(drafts(5));
    await sendRun(files, server.url);
    const { ending, events } = await sendRun(files, server.url, { retry: ["rejected", "uncertain"] });
    expect({ ending, events, posts: server.requests.length }).toEqual({
      ending: "accepted",
      events: [],
      posts: 5,
    });
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
    const server = await serve(byIndex({ 1: script }));
    const files = await begunRun(drafts(3));
    const ended = await sendRun(files, server.url, { inFlight: 1 });
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

  it("awaits what is in flight when it stops", async () => {
    const requests: Parameters<Script>[] = [];
    const server = await serve((...request) => {
      // Refuses one of three once all are in flight.
      if (requests.push(request) === 3) refuse(401)(...request);
    });
    const onEvent = ({ kind }: SendEvent) => {
      // It has stopped. The others are answered now.
      if (kind !== "settled") return;
      for (const request of requests.splice(0).slice(0, 2)) setTimeout(() => accept()(...request), 50);
    };
    const { ending, tally } = await sendRun(await begunRun(drafts(10)), server.url, { inFlight: 3, onEvent });
    expect(ending).toBe("unauthorized");
    expect(tally).toMatchObject({ accepted: 2, rejected: 1, pending: 7, uncertain: 0 });
  });

  it("stops after five uncertain in a row, in the way of the last", async () => {
    const server = await serve(refuse(503));
    const { ending, tally } = await sendRun(await begunRun(drafts(20)), server.url, { inFlight: 1 });
    expect({ ending, tally }).toMatchObject({ ending: "server-error", tally: { uncertain: 5, pending: 15 } });
  });

  it("does not count uncertain that are not in a row", async () => {
    const server = await serve((socket, request, index) => (index % 5 === 4 ? accept() : cut)(socket, request, index));
    const { ending, tally } = await sendRun(await begunRun(drafts(20)), server.url, { inFlight: 1 });
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

  it("keeps in doubt what was in doubt, however the next attempt ends", async () => {
    const server = await serve(firstThen(cut, refuse(400)));
    const files = await begunRun(drafts(1));
    await sendRun(files, server.url);
    const { tally, events } = await sendRun(files, server.url, { retry: ["uncertain"] });
    expect(tally).toMatchObject({ ...nothing, uncertain: 1 });
    expect(outcomesOf(events)).toEqual({ 0: "uncertain" });
    await sendRun(files, server.url, { retry: ["rejected"] });
    expect(server.requests).toHaveLength(2);
  });

  it("ends a request that is not answered in time, as uncertain", async () => {
    const server = await serve(byIndex({ 1: () => {} }));
    const began = performance.now();
    const { tally } = await sendRun(await begunRun(drafts(3)), server.url, {
      time: { kind: "per-request", ms: 1_000 },
    });
    expect(tally).toMatchObject({ accepted: 2, uncertain: 1 });
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
