import { describe, expect, it } from "vitest";
import type { SendEvent } from "../../src/sending/engine.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept, answer, inTurn } from "../support/scripts.ts";
import type { Course } from "./running.ts";
import { sendNew } from "./service.ts";

const tooMany = (after: string): Script => answer(429, {}, { "retry-after": after });

/** Sends one message within a total time, as `sms send` does. `onEvent` gets each event and what stops it. */
async function sendOne(
  script: Script,
  { ms = 10_000, ...course }: Course & { readonly ms?: number } = {},
  onEvent: (event: SendEvent, stop: AbortController) => void = () => {},
) {
  const stop = new AbortController();
  const began = performance.now();
  const { server, events } = await sendNew(1, script, {
    ...course,
    inFlight: 1,
    time: { kind: "total", ms },
    interruption: { stop: stop.signal, leave: new AbortController().signal },
    onEvent: (event) => onEvent(event, stop),
  });
  const [outcome] = events.flatMap((event) => (event.kind === "settled" ? [event.outcome] : []));
  const waits = events.flatMap((event) => (event.kind === "waiting" ? [event.ms] : []));
  return { outcome, waits, server, took: performance.now() - began };
}

describe("one message within a total time", () => {
  it("is tried again after the time that the service asks for", async () => {
    const { outcome, waits, server } = await sendOne(inTurn(tooMany("1"), accept()));
    expect({ kind: outcome?.kind, waits }).toEqual({ kind: "accepted", waits: [1_000] });
    const [first, second] = server.requests;
    expect((second?.readAt ?? 0) - (first?.readAt ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it("ends in doubt when its time is over", async () => {
    const { outcome, took } = await sendOne(() => {}, { ms: 300 });
    expect(outcome).toMatchObject({ kind: "uncertain", failure: { kind: "no-answer" } });
    expect(took).toBeGreaterThanOrEqual(290);
    expect(took).toBeLessThan(5_000);
  });

  it("counts the tries before against the time", async () => {
    const { outcome, took } = await sendOne(
      inTurn(tooMany("2"), () => {}),
      { ms: 3_000 },
    );
    expect(outcome).toMatchObject({ kind: "uncertain", failure: { kind: "no-answer" } });
    expect(took).toBeLessThan(4_900);
  });

  it("does not wait for a retry that its time has no room for", async () => {
    const { outcome, took } = await sendOne(tooMany("5"), { ms: 5_000 });
    expect(outcome?.kind).toBe("unsent");
    expect(took).toBeLessThan(4_000);
  });
});
