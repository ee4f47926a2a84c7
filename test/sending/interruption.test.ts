import { describe, expect, it } from "vitest";
import type { SendEvent } from "../../src/sending/engine.ts";
import { accept, answer } from "../support/scripts.ts";
import { begunRun, drafts, sendRun } from "./running.ts";
import { nothing, refuse, serve } from "./service.ts";

describe("an interruption", () => {
  function interruption(): { stop: AbortController; leave: AbortController } {
    return { stop: new AbortController(), leave: new AbortController() };
  }

  it.each([
    ["SIGINT", "interrupted"],
    ["SIGTERM", "terminated"],
  ])("by %s begins nothing new and awaits what is in flight: %s", async (signal, ending) => {
    const { stop, leave } = interruption();
    const held: (() => void)[] = [];
    const server = await serve((...request) => {
      // As many are in flight as may be.
      if (held.push(() => accept()(...request)) < 4) return;
      stop.abort(signal);
      setTimeout(() => held.forEach((answerNow) => answerNow()), 50);
    });
    const ended = await sendRun(await begunRun(drafts(10)), server.url, {
      interruption: { stop: stop.signal, leave: leave.signal },
    });
    expect(ended).toMatchObject({ ending, tally: { ...nothing, accepted: 4, pending: 6 } });
  });

  it("is how a run ends that another cause had stopped before", async () => {
    const { stop, leave } = interruption();
    const server = await serve(refuse(401));
    const ended = await sendRun(await begunRun(drafts(10)), server.url, {
      onEvent: ({ kind }) => kind === "stopping" && stop.abort("SIGTERM"),
      interruption: { stop: stop.signal, leave: leave.signal },
    });
    expect(ended.ending).toBe("terminated");
  });

  it("by a second signal leaves at once, and what was in flight is uncertain", async () => {
    const { stop, leave } = interruption();
    const server = await serve((_socket, _request, index) => {
      if (index < 3) return;
      stop.abort("SIGINT");
      setTimeout(() => leave.abort("SIGINT"), 50);
    });
    const ended = await sendRun(await begunRun(drafts(10)), server.url, {
      interruption: { stop: stop.signal, leave: leave.signal },
    });
    expect(ended).toMatchObject({ ending: "interrupted", tally: { ...nothing, uncertain: 4, pending: 6 } });
  });

  it("gives a request no more time than it had", async () => {
    const { stop, leave } = interruption();
    const server = await serve(() => stop.abort("SIGTERM"));
    const ended = await sendRun(await begunRun(drafts(10)), server.url, {
      time: { kind: "per-request", ms: 300 },
      interruption: { stop: stop.signal, leave: leave.signal },
    });
    expect(ended).toMatchObject({ ending: "terminated", tally: { accepted: 0, rejected: 0 } });
    expect(ended.tally.uncertain).toBeGreaterThan(0);
  });

  it("in a pause leaves nothing in doubt", async () => {
    const { stop, leave } = interruption();
    const server = await serve(answer(429, undefined, { "retry-after": "30" }));
    const onEvent = ({ kind }: SendEvent) => kind === "waiting" && stop.abort("SIGINT");
    const ended = await sendRun(await begunRun(drafts(10)), server.url, {
      onEvent,
      interruption: { stop: stop.signal, leave: leave.signal },
    });
    expect(ended.ending).toBe("interrupted");
    expect(ended.tally).toMatchObject({ accepted: 0, uncertain: 0, rejected: 0 });
    expect(ended.tally.unsent + ended.tally.pending).toBe(10);
  });
});
