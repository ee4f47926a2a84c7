import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { Script } from "../support/scripted-server.ts";
import { accept, receiptFor, response } from "../support/scripts.ts";
import { trials } from "../support/trials.ts";
import { begunRun, drafts, sendRun } from "./running.ts";
import { nothing, sendNew, serve } from "./service.ts";

const count = trials("SENDS", 100, 1_000);

function closeOnceIdle(socket: Socket): void {
  if (socket.listenerCount("timeout") === 0) socket.on("timeout", () => void closeUnlessRead(socket));
  socket.setTimeout(50);
}

/** Closes a connection on which nothing has come: a busy machine fires the timer before it reads what is there. */
async function closeUnlessRead(socket: Socket): Promise<void> {
  const { bytesRead } = socket;
  for (let turns = 0; turns < 5; turns++) await turn();
  if (socket.bytesRead === bytesRead && !socket.readableEnded) socket.destroy();
}

/** Answers with a receipt, and then with what `more` gives for the number. */
function answerWith(more: (to: string) => string, after: (socket: Socket) => void = () => {}): Script {
  return (socket, request) => {
    const { to } = JSON.parse(request.body) as { to: string };
    socket.write(response(200, receiptFor(to)) + more(to));
    after(socket);
  };
}

describe("connections carry one request each, and leave nobody in doubt", () => {
  it.each([
    ["closes idle ones after 50 ms", answerWith(() => "", closeOnceIdle)],
    [
      "closes each without a word",
      answerWith(
        () => "",
        (socket) => socket.end(),
      ),
    ],
    ["answers twice", answerWith((to) => response(200, receiptFor(to)))],
    ["answers with a second, late 429", answerWith(() => response(429, {}))],
  ])("although the service %s", async (_, script) => {
    const { tally, server } = await sendNew(count, script, { inFlight: 8 });
    expect(tally).toMatchObject({ ...nothing, accepted: count });
    expect({ connections: server.connections(), requests: server.requests.length }).toEqual({
      connections: count,
      requests: count,
    });
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
