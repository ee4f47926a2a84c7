import type { DeliveryEvent } from "../../src/service/exchange.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Outcome } from "../../src/message/outcome.ts";
import { deliver, type DeliveryLimits } from "../../src/sending/deliver.ts";
import { systemHost } from "../../src/host.ts";
import { openDispatcher } from "../../src/service/connection.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer, inTurn } from "../support/scripts.ts";

const to = "+254712345678";
const host = systemHost();
const tooMany = (after: string): Script => answer(429, {}, { "retry-after": after });

/** Delivers one message to a server with this script. `onEvent` gets each event and what stops the delivery. */
async function deliverTo(
  script: Script,
  limits: Partial<DeliveryLimits> = {},
  onEvent: (event: DeliveryEvent, stop: AbortController) => void = () => {},
) {
  const server = await startScriptedServer({ onRequest: script });
  onTestFinished(server.close);
  const dispatcher = await openDispatcher(server.url, undefined);
  onTestFinished(() => dispatcher.destroy());
  const stop = new AbortController();
  const request = { origin: server.url, path: "/send", headers: {}, body: JSON.stringify({ to }) };
  const delivery = deliver(
    request,
    to,
    { timeout: 10_000, retries: 3, check: async () => {}, ...limits },
    {
      now: host.now,
      // However late a busy machine sends the request, time is over only then.
      sleep: async (ms, signal) => {
        await server.firstRequest;
        return host.sleep(ms, signal);
      },
      random: () => 0,
      dispatcher,
      redact: (text) => text,
      interruption: { stop: stop.signal, leave: new AbortController().signal },
    },
  );
  const events: DeliveryEvent[] = [];
  const began = performance.now();
  for (;;) {
    const step = await delivery.next();
    if (step.done === true) {
      const outcome: Outcome = step.value;
      return { outcome, events, server, ms: performance.now() - began };
    }
    events.push(step.value);
    onEvent(step.value, stop);
  }
}

describe("a delivery", () => {
  it("is one request if that is accepted", async () => {
    const { outcome, events, server } = await deliverTo(accept());
    expect(outcome).toMatchObject({ kind: "accepted", receipt: { to } });
    expect(events.map(({ kind }) => kind)).toEqual(["request", "exchange"]);
    expect(server.requests).toHaveLength(1);
  });

  it.each([0, 1])("is tried %i times if it is not allowed then, and says why", async (allowed) => {
    let asked = 0;
    let requests = 0;
    const check = async () => {
      if (++asked > allowed) throw new Error("not allowed");
    };
    const count = ({ kind }: DeliveryEvent) => (requests += Number(kind === "request"));
    await expect(deliverTo(inTurn(tooMany("0"), accept()), { check }, count)).rejects.toThrow("not allowed");
    expect(requests).toBe(allowed);
  });

  it("is tried again after the time that the service asks for", async () => {
    const { outcome, events, server } = await deliverTo(inTurn(tooMany("1"), accept()));
    expect(outcome.kind).toBe("accepted");
    expect(events.map(({ kind }) => kind)).toEqual(["request", "exchange", "waiting", "request", "exchange"]);
    expect(events[2]).toMatchObject({ ms: 1_000, outcome: { kind: "unsent" } });
    const [first, second] = server.requests;
    expect((second?.readAt ?? 0) - (first?.readAt ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it.each([
    [0, 1],
    [1, 2],
    [2, 3],
  ])("with %d retries makes %d requests, each wait longer than the one before", async (retries, requests) => {
    const { outcome, events, server } = await deliverTo(tooMany("0"), { retries });
    expect(outcome).toMatchObject({ kind: "unsent", failure: { kind: "rate-limited" } });
    expect(server.requests).toHaveLength(requests);
    const waits = events.flatMap((event) => (event.kind === "waiting" ? [event.ms] : []));
    expect(waits).toEqual([250, 500].slice(0, retries));
  });

  it("in doubt is not tried again", async () => {
    const { outcome, server } = await deliverTo((socket) => void socket.destroy());
    expect(outcome.kind).toBe("uncertain");
    expect(server.requests).toHaveLength(1);
  });

  it("ends in doubt when its time is over", async () => {
    const { outcome, ms } = await deliverTo(() => {}, { timeout: 300 });
    expect(outcome).toMatchObject({ kind: "uncertain", failure: { kind: "no-answer" } });
    expect(ms).toBeGreaterThanOrEqual(290);
    expect(ms).toBeLessThan(5_000);
  });

  it("does not wait for a retry that its time has no room for", async () => {
    const { outcome, ms } = await deliverTo(tooMany("5"), { timeout: 5_000 });
    expect(outcome.kind).toBe("unsent");
    expect(ms).toBeLessThan(4_000);
  });

  it("that is stopped in a wait ends at once, unsent", async () => {
    const { outcome, server, ms } = await deliverTo(tooMany("5"), {}, ({ kind }, stop) => {
      if (kind === "waiting") setTimeout(() => stop.abort("SIGINT"), 20);
    });
    expect(outcome.kind).toBe("unsent");
    expect(server.requests).toHaveLength(1);
    expect(ms).toBeLessThan(4_000);
  });

  it("that is stopped when its answer comes tries no more", async () => {
    const { outcome, events } = await deliverTo(tooMany("0"), {}, ({ kind }, stop) => {
      if (kind === "exchange") stop.abort("SIGINT");
    });
    expect(outcome.kind).toBe("unsent");
    expect(events.map(({ kind }) => kind)).toEqual(["request", "exchange"]);
  });
});
