import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Script } from "../support/scripted-server.ts";
import { accept, receiptFor, response } from "../support/scripts.ts";
import { trials } from "../support/trials.ts";
import { begunRun, drafts, sendRun } from "./running.ts";
import { nothing, sendNew, serve } from "./service.ts";

const count = trials("SENDS", 100, 1_000);

/** Answers with a receipt and these bytes, or ends the connection if there are none. */
function answerWith(more: string): Script {
  return (socket, request) => {
    const { to } = JSON.parse(request.body) as { to: string };
    socket.write(response(200, receiptFor(to)) + more);
    if (more === "") socket.end();
  };
}

describe("connections carry one request each, and leave nobody in doubt", () => {
  it.each([
    ["closes each without a word", answerWith("")],
    ["answers twice", answerWith(response(200, receiptFor("+254700000000")))],
    ["answers with a second, late 429", answerWith(response(429, {}))],
  ])("although the service %s", async (_, script) => {
    const { tally, server } = await sendNew(count, script, { inFlight: 8 });
    expect(tally).toMatchObject({ ...nothing, accepted: count });
    const counts = { connections: server.connections(), requests: server.requests.length };
    expect(counts).toEqual({ connections: count, requests: count });
  });
});

describe("the requests in flight", () => {
  it("are one until it is answered, and one more with each answer up to the most", async () => {
    const answers: (() => void)[] = [];
    const server = await serve((...request) => void answers.push(() => accept()(...request)));
    const sending = sendRun(await begunRun(drafts(40)), server.url, { inFlight: { first: 1, most: 8 } });
    for (const wanted of [1, 2, 4, 8, 8, 8, 8, 1]) {
      while (answers.length < wanted) await sleep(5);
      // Time enough to begin more of them.
      await sleep(50);
      expect(answers).toHaveLength(wanted);
      for (const answer of answers.splice(0)) answer();
    }
    expect((await sending).tally).toMatchObject({ ...nothing, accepted: 40 });
  });

  it("stay few while none is answered", async () => {
    const { tally } = await sendNew(40, (socket) => socket.destroy(), { inFlight: { first: 1, most: 8 } });
    expect(tally).toMatchObject({ accepted: 0, uncertain: 5, pending: 35 });
  });
});
