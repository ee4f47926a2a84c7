import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/runs/backlog.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { begunRun, drafts, sendRun } from "./running.ts";
import { nothing, serve } from "./service.ts";

describe("an interruption", () => {
  const slow: Script = (socket, request, index) => setTimeout(() => accept()(socket, request, index), 300);

  function interruption(): { stop: AbortController; leave: AbortController } {
    return { stop: new AbortController(), leave: new AbortController() };
  }

  it.each([
    ["SIGINT", "interrupted"],
    ["SIGTERM", "terminated"],
  ])("by %s begins nothing new and awaits what is in flight: %s", async (signal, ending) => {
    const { stop, leave } = interruption();
    const server = await serve((...request) => {
      setTimeout(() => stop.abort(signal), 50);
      slow(...request);
    });
    const ended = await sendRun(await begunRun(drafts(10)), server.url, {
      interruption: { stop: stop.signal, leave: leave.signal },
    });
    expect(ended).toMatchObject({ ending, tally: { ...nothing, accepted: 4, pending: 6 } });
  });

  it("by a second signal leaves at once, and what was in flight is uncertain", async () => {
    const { stop, leave } = interruption();
    const server = await serve(() => {
      setTimeout(() => stop.abort("SIGINT"), 50);
      setTimeout(() => leave.abort("SIGINT"), 100);
    });
    const ended = await sendRun(await begunRun(drafts(10)), server.url, {
      interruption: { stop: stop.signal, leave: leave.signal },
    });
    expect(ended).toMatchObject({ ending: "interrupted", tally: { ...nothing, uncertain: 4, pending: 6 } });
  });

  it("in a pause leaves nothing in doubt", async () => {
    const { stop, leave } = interruption();
    const server = await serve(answer(429, undefined, { "retry-after": "30" }));
    const onEvent = ({ kind }: RunEvent) => kind === "waiting" && stop.abort("SIGINT");
    const ended = await sendRun(await begunRun(drafts(10)), server.url, {
      onEvent,
      interruption: { stop: stop.signal, leave: leave.signal },
    });
    expect(ended.ending).toBe("interrupted");
    expect(ended.tally).toMatchObject({ accepted: 0, uncertain: 0, rejected: 0 });
    expect(ended.tally.unsent + ended.tally.pending).toBe(10);
  });
});
