import { describe, expect, it } from "vitest";
import type { Script } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import type { Course } from "./running.ts";
import { nothing, refuse, sendNew } from "./service.ts";

async function sendTen(script: (stop: AbortController, leave: AbortController) => Script, course: Course = {}) {
  const [stop, leave] = [new AbortController(), new AbortController()];
  return sendNew(10, script(stop, leave), { ...course, interruption: { stop: stop.signal, leave: leave.signal } });
}

describe("an interruption", () => {
  it.each([
    ["SIGINT", "interrupted"],
    ["SIGTERM", "terminated"],
  ])("by %s begins nothing new and awaits what is in flight: %s", async (signal, ending) => {
    const waiting: (() => void)[] = [];

    const end = await sendTen((stop) => (...request) => {
      // As many are in flight as may be.
      if (waiting.push(() => accept()(...request)) < 4) return;
      stop.abort(signal);
      setTimeout(() => waiting.forEach((answerNow) => answerNow()), 50);
    });

    expect(end).toMatchObject({ ending, tally: { ...nothing, accepted: 4, pending: 6 } });
  });

  it("is how a run ends that another cause had stopped before", async () => {
    const stop = new AbortController();

    const { ending } = await sendNew(10, refuse(401), {
      onEvent: ({ kind }) => kind === "stopping" && stop.abort("SIGTERM"),
      interruption: { stop: stop.signal, leave: new AbortController().signal },
    });

    expect(ending).toBe("terminated");
  });

  it("by a second signal leaves at once, and what was in flight is uncertain", async () => {
    const end = await sendTen((stop, leave) => (_socket, _request, index) => {
      if (index < 3) return;
      stop.abort("SIGINT");
      setTimeout(() => leave.abort("SIGINT"), 50);
    });

    expect(end).toMatchObject({ ending: "interrupted", tally: { ...nothing, uncertain: 4, pending: 6 } });
  });

  it("gives a request no more time than it had", async () => {
    const end = await sendTen((stop) => () => stop.abort("SIGTERM"), { time: { kind: "per-request", ms: 300 } });

    expect(end).toMatchObject({ ending: "terminated", tally: { accepted: 0, rejected: 0 } });
    expect(end.tally.uncertain).toBeGreaterThan(0);
  });

  it("in a pause leaves nothing in doubt", async () => {
    const stop = new AbortController();

    const { ending, tally } = await sendNew(10, answer(429, undefined, { "retry-after": "30" }), {
      onEvent: ({ kind }) => kind === "waiting" && stop.abort("SIGINT"),
      interruption: { stop: stop.signal, leave: new AbortController().signal },
    });

    expect({ ending, tally }).toMatchObject({
      ending: "interrupted",
      tally: { accepted: 0, uncertain: 0, rejected: 0 },
    });
    expect(tally.unsent + tally.pending).toBe(10);
  });
});
