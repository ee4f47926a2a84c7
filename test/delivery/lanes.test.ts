import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Outcome } from "../../src/message/outcome.ts";
import { Lanes } from "../../src/delivery/lanes.ts";
import { judge } from "../../src/service/answer.ts";
import { openConnections } from "../../src/service/connection.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, receiptFor, response } from "../support/scripts.ts";
import { host, numberOf } from "../runs/running.ts";

/** Sends `count` messages, which are all ready at once, and returns their outcomes by index. */
async function sendAll(onRequest: Script, count: number, lanes: number, isReused: boolean) {
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
      fail: (_: number, error: unknown) => {
        throw error;
      },
    };
    void (async () => {
      const parts = {
        ...host,
        connections: await openConnections(server.url, undefined, isReused),
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

/** Answers each request with the previous answer of its connection, repeated, and then its own. */
function repeatingLate(respond: (to: string) => string): Script {
  const last = new WeakMap<Socket, string>();
  return (socket, request) => {
    const own = respond((JSON.parse(request.body) as { to: string }).to);
    socket.write((last.get(socket) ?? "") + own);
    last.set(socket, own);
  };
}

/** Closes each connection after that many answers, unannounced. */
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
  it.each([1, 4])("of %d opens a connection for each message", async (lanes) => {
    const { outcomes, connections } = await sendAll(accept(), 100, lanes, false);
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(100);
    expect(connections).toBe(100);
  });

  it.each([1, 4])("of %d carries all messages on one connection if it is reused", async (lanes) => {
    const { outcomes, connections } = await sendAll(accept(), 100, lanes, true);
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(100);
    expect(connections).toBe(lanes);
  });

  it.each([1, 8])("of %d leaves nobody in doubt if each connection closes unannounced", async (lanes) => {
    const { outcomes, connections } = await sendAll(closingAfter(1), 100, lanes, false);
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(100);
    expect(connections).toBe(100);
  });

  it.each([2, 3, 10])("that is reused leaves in doubt what met a close after %d, and nobody else", async (answers) => {
    const { outcomes } = await sendAll(closingAfter(answers), 200, 8, true);
    const doubts = outcomes.filter(({ kind }) => kind === "uncertain");
    expect(doubts.length).toBeGreaterThanOrEqual(1);
    expect(doubts.length).toBeLessThanOrEqual(Math.ceil(200 / answers));
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(200 - doubts.length);
  });

  it.each([
    ["receipt", (to: string) => response(200, receiptFor(to))],
    ["429", () => response(429, {})],
  ])("credits a surplus %s to no other message", async (_, surplus) => {
    const { outcomes } = await sendAll(
      (socket, request) => {
        const { to } = JSON.parse(request.body) as { to: string };
        socket.write(response(200, receiptFor(to)) + surplus(to));
      },
      50,
      2,
      false,
    );
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(50);
  });

  it("that is reused opens another connection if the service closes after each answer", async () => {
    const { outcomes, connections } = await sendAll(
      (socket, request) => {
        const { to } = JSON.parse(request.body) as { to: string };
        socket.end(response(200, receiptFor(to), { connection: "close" }));
      },
      50,
      2,
      true,
    );
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(50);
    expect(connections).toBe(50);
  });

  it("that is reused carries nothing more on a connection with a surplus answer", async () => {
    const { outcomes, connections } = await sendAll(
      (socket, request) => {
        const { to } = JSON.parse(request.body) as { to: string };
        socket.write(response(200, receiptFor(to)) + response(200, receiptFor(to)));
      },
      20,
      1,
      true,
    );
    expect(outcomes.filter(({ kind }) => kind === "accepted")).toHaveLength(20);
    expect(connections).toBe(20);
  });

  it("that is reused credits a late second receipt to nobody else", async () => {
    const { outcomes } = await sendAll(
      repeatingLate((to) => response(200, receiptFor(to))),
      20,
      1,
      true,
    );
    // Every second message meets the receipt of the one before, after which its connection is closed.
    expect(outcomes.map(({ kind }) => kind)).toEqual(
      outcomes.map((_, index) => (index % 2 === 0 ? "accepted" : "uncertain")),
    );
  });

  it("that is reused applies a late second refusal to nobody else", async () => {
    const isRefused = (to: string) => Number(to.slice(-1)) % 4 === 0;
    const { outcomes } = await sendAll(
      repeatingLate((to) => (isRefused(to) ? response(400, {}) : response(200, receiptFor(to)))),
      60,
      2,
      true,
    );
    const rejected = outcomes.flatMap(({ kind }, index) => (kind === "rejected" ? [numberOf(index)] : []));
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected.filter((to) => !isRefused(to))).toEqual([]);
  });
});
