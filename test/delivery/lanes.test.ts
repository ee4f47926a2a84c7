import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Outcome } from "../../src/core/outcome.ts";
import { Lanes } from "../../src/delivery/lanes.ts";
import { judge } from "../../src/service/answer.ts";
import { openConnections } from "../../src/service/connection.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, receiptFor, response } from "../support/scripts.ts";
import { host, numberOf } from "../runs/running.ts";

/** Sends so many messages, each of which is ready as soon as a lane is, and gives what became of them by index. */
async function sendAll(onRequest: Script, count: number, lanes: number) {
  const server = await startScriptedServer({ onRequest });
  onTestFinished(server.close);
  const never = new AbortController().signal;
  const outcomes: Outcome[] = [];
  let next = 0;
  let left = count;
  await new Promise<void>((done) => {
    const work = {
      next: () => (next < count ? next++ : undefined),
      request: (index: number) => ({
        origin: server.url,
        path: "/",
        headers: {},
        body: JSON.stringify({ to: numberOf(index) }),
      }),
      settle: (index: number, exchange: Parameters<typeof judge>[0]) => {
        const outcome = judge(exchange, numberOf(index), 0);
        outcomes[index] = outcome;
        if (--left === 0) done();
        return outcome.kind === "accepted";
      },
    };
    void (async () => {
      const parts = {
        ...host,
        connect: await openConnections(server.url, undefined),
        interruption: { stop: never, leave: never },
      };
      const all = new Lanes(lanes, 5_000, work, parts);
      onTestFinished(() => all.close());
      all.fill(() => next < count);
    })();
  });
  const sent = server.requests.map(({ body }) => (JSON.parse(body) as { to: string }).to);
  expect(sent.toSorted()).toEqual(Array.from({ length: count }, (_, index) => numberOf(index)));
  return { outcomes, connections: server.connections() };
}

/** Answers each request by what `respond` gives, with the answer before it on that connection once more in front. */
function repeatingLate(respond: (to: string) => string): Script {
  const last = new WeakMap<Socket, string>();
  return (socket, request) => {
    const own = respond((JSON.parse(request.body) as { to: string }).to);
    socket.write((last.get(socket) ?? "") + own);
    last.set(socket, own);
  };
}

/** Closes each connection after so many answers, without a word of it. */
function closingAfter(answers: number): Script {
  const counts = new WeakMap<Socket, number>();
  return (socket, request) => {
    const { to } = JSON.parse(request.body) as { to: string };
    const count = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, count);
    socket.write(response(200, receiptFor(to)));
    if (count === answers) socket.end();
  };
}

describe("a lane", () => {
  it.each([1, 4])("of %d carries one message after another on its second connection", async (lanes) => {
    const { outcomes, connections } = await sendAll(accept(), 100, lanes);
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(100);
    // The first ones were not used again until the service was seen to keep one open.
    expect(connections).toBeGreaterThan(lanes);
    expect(connections).toBeLessThanOrEqual(2 * lanes);
  });

  it.each([1, 8])("of %d leaves nobody in doubt where each connection closes unannounced", async (lanes) => {
    const { outcomes, connections } = await sendAll(closingAfter(1), 100, lanes);
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(100);
    expect(connections).toBe(100);
  });

  it.each([2, 3, 10])("stops reusing connections once one closes unannounced after %d", async (answers) => {
    const { outcomes } = await sendAll(closingAfter(answers), 200, 8);
    const doubts = outcomes.filter(({ kind }) => kind === "uncertain");
    expect(doubts.length).toBeGreaterThanOrEqual(1);
    expect(doubts.length).toBeLessThanOrEqual(8);
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(200 - doubts.length);
  });

  it("opens another connection where the service closes after each answer", async () => {
    const { outcomes, connections } = await sendAll(
      (socket, request) => {
        const { to } = JSON.parse(request.body) as { to: string };
        socket.end(response(200, receiptFor(to), { connection: "close" }));
      },
      50,
      2,
    );
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(50);
    expect(connections).toBe(50);
  });

  it("carries nothing more on a connection on which more came than was asked for", async () => {
    const { outcomes, connections } = await sendAll(
      (socket, request) => {
        const { to } = JSON.parse(request.body) as { to: string };
        socket.write(response(200, receiptFor(to)) + response(200, receiptFor(to)));
      },
      20,
      1,
    );
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(20);
    expect(connections).toBe(20);
  });

  it("credits a receipt that comes once more, in front of the next, to nobody else", async () => {
    const { outcomes } = await sendAll(
      repeatingLate((to) => response(200, receiptFor(to))),
      20,
      1,
    );
    // From the third on every other one meets the receipt before it; after that the connection is another.
    expect(outcomes.map(({ kind }) => kind)).toEqual(
      outcomes.map((_, index) => (index === 0 || index % 2 === 1 ? "accepted" : "uncertain")),
    );
  });

  it("holds a refusal that comes once more against nobody else", async () => {
    const isRefused = (to: string) => Number(to.slice(-1)) % 4 === 0;
    const { outcomes } = await sendAll(
      repeatingLate((to) => (isRefused(to) ? response(400, {}) : response(200, receiptFor(to)))),
      60,
      2,
    );
    const rejected = outcomes.flatMap(({ kind }, index) => (kind === "rejected" ? [numberOf(index)] : []));
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected.filter((to) => !isRefused(to))).toEqual([]);
  });
});
