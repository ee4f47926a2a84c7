import type { Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunEvent } from "../../src/runs/events.ts";
import { readResults } from "../../src/runs/journal-reader.ts";
import { Ledger } from "../../src/runs/ledger.ts";
import { checkPlan } from "../../src/runs/plan.ts";
import { readRun } from "../../src/runs/run.ts";
import { SmsError } from "../../src/errors.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer, receiptFor } from "../support/scripts.ts";
import { begunRun, drafts, numberOf, outcomesOf, sendRun } from "./running.ts";

const nothing = { accepted: 0, rejected: 0, unsent: 0, uncertain: 0, pending: 0 };

async function serve(onRequest: Script) {
  const server = await startScriptedServer({ onRequest });
  onTestFinished(server.close);
  const sent = () => server.requests.map(({ body }) => (JSON.parse(body) as { to: string }).to);
  return { ...server, sent };
}

/** Answers each recipient by the script under its index, all others by accepting. */
function byIndex(scripts: Readonly<Record<number, Script>>): Script {
  return (socket, request, index) => {
    const { to } = JSON.parse(request.body) as { to: string };
    const script = Object.entries(scripts).find(([place]) => numberOf(Number(place)) === to)?.[1];
    (script ?? accept())(socket, request, index);
  };
}

/** Lets the first request to each recipient meet one script, and all later ones another. */
function firstThen(first: Script, later: Script): Script {
  const seen = new Set<string>();
  return (socket, request, index) => {
    const script = seen.has(request.body) ? later : first;
    seen.add(request.body);
    script(socket, request, index);
  };
}

const cut: Script = (socket) => void socket.destroy();
const refuse = (status: number): Script => answer(status, { error: "ACME says no", errorCode: "ACME_NO" });

describe("a run", () => {
  it("sends to everybody once, and says what it came to", async () => {
    const server = await serve(accept());
    const files = await begunRun(drafts(50));
    const { ending, tally, events } = await sendRun(files, server.url);
    expect(ending).toBe("accepted");
    expect(tally).toEqual({
      ...nothing,
      accepted: 50,
      segments: 50,
      totalCredits: 50,
      totalCostKes: 40,
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
    const ended = await sendRun(files, server.url, { concurrency: 1 });
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
    const slow: Script = (socket, request, index) => setTimeout(() => accept()(socket, request, index), 200);
    const server = await serve(byIndex({ 0: slow, 1: slow, 2: refuse(401) }));
    const { ending, tally } = await sendRun(await begunRun(drafts(10)), server.url, { concurrency: 3 });
    expect(ending).toBe("unauthorized");
    expect(tally).toMatchObject({ accepted: 2, rejected: 1, pending: 7, uncertain: 0 });
  });

  it("goes on once the account is topped up", async () => {
    let credits = 4;
    const server = await serve((socket, request, index) =>
      (credits-- > 0 ? accept() : refuse(402))(socket, request, index),
    );
    const files = await begunRun(drafts(10));
    const first = await sendRun(files, server.url, { concurrency: 2 });
    expect(first).toMatchObject({ ending: "no-credits", tally: { accepted: 4, uncertain: 0 } });
    expect(first.tally.rejected).toBeGreaterThan(0);
    credits = 100;
    const second = await sendRun(files, server.url, { concurrency: 2 });
    expect(second).toMatchObject({
      ending: "incomplete",
      tally: { rejected: first.tally.rejected, pending: 0 },
    });
    const third = await sendRun(files, server.url, { concurrency: 2, retry: ["rejected"] });
    expect(third).toMatchObject({ ending: "accepted", tally: { ...nothing, accepted: 10 } });
  });

  it("stops after five uncertain in a row, in the way of the last", async () => {
    const server = await serve(refuse(503));
    const { ending, tally } = await sendRun(await begunRun(drafts(20)), server.url, { concurrency: 1 });
    expect({ ending, tally }).toMatchObject({ ending: "server-error", tally: { uncertain: 5, pending: 15 } });
  });

  it("does not count uncertain that are not in a row", async () => {
    const server = await serve((socket, request, index) =>
      (index % 5 === 4 ? accept() : cut)(socket, request, index),
    );
    const { ending, tally } = await sendRun(await begunRun(drafts(20)), server.url, { concurrency: 1 });
    expect({ ending, tally }).toMatchObject({ ending: "incomplete", tally: { accepted: 4, uncertain: 16 } });
  });

  it("stops where the service cannot be reached", async () => {
    const files = await begunRun(drafts(20));
    const { ending, tally, events } = await sendRun(files, "http://127.0.0.1:1", {
      retries: 1,
      concurrency: 2,
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
    const { tally } = await sendRun(await begunRun(drafts(3)), server.url, { timeout: 400 });
    expect(tally).toMatchObject({ accepted: 2, uncertain: 1 });
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it("reads back what became of each, in the plan's order", async () => {
    const server = await serve(byIndex({ 1: refuse(400), 2: cut }));
    const files = await begunRun(drafts(4));
    await sendRun(files, server.url);
    const { header } = (await readRun(files)) ?? {};
    if (header === undefined) throw new Error("no run");
    const ledger = new Ledger(await checkPlan(files.plan, header.plan));
    const results = [];
    for await (const { message, outcome } of readResults(files.plan, files.journal, ledger))
      results.push([message.line, message.to, outcome]);
    expect(results).toEqual([
      [1, numberOf(0), { kind: "accepted", receipt: receiptFor(numberOf(0)) }],
      [
        2,
        numberOf(1),
        {
          kind: "rejected",
          failure: { kind: "refused", error: "ACME says no", errorCode: "ACME_NO", httpStatus: 400 },
        },
      ],
      [3, numberOf(2), { kind: "uncertain", failure: expect.objectContaining({ errorCode: "NO_ANSWER" }) }],
      [4, numberOf(3), { kind: "accepted", receipt: receiptFor(numberOf(3)) }],
    ]);
  });
});

describe("429", () => {
  const tooMany = (after: string): Script => answer(429, { error: "slow down" }, { "retry-after": after });

  it("holds the whole run up and is tried again, each message once in the end", async () => {
    const server = await serve((socket, request, index) =>
      (index < 6 ? tooMany("0") : accept())(socket, request, index),
    );
    const { ending, events } = await sendRun(await begunRun(drafts(10)), server.url, { concurrency: 2 });
    expect(ending).toBe("accepted");
    expect(events.filter(({ kind }) => kind === "settled")).toHaveLength(10);
    expect(server.requests).toHaveLength(16);
  });

  it("is waited out for as long as the service asks", async () => {
    const server = await serve((socket, request, index) =>
      (index === 0 ? tooMany("1") : accept())(socket, request, index),
    );
    const { events } = await sendRun(await begunRun(drafts(3)), server.url, { concurrency: 1 });
    const [first, second] = server.requests;
    expect((second?.readAt ?? 0) - (first?.readAt ?? 0)).toBeGreaterThanOrEqual(990);
    expect(events[0]).toMatchObject({ kind: "waiting", ms: 1000, failure: { kind: "rate-limited" } });
  });

  it("ends the run once the retries are spent, with the message unsent and nothing in doubt", async () => {
    const server = await serve(tooMany("0"));
    const files = await begunRun(drafts(10));
    const { ending, tally } = await sendRun(files, server.url, { concurrency: 3, retries: 2 });
    expect(ending).toBe("rate-limited");
    expect(tally).toMatchObject({ accepted: 0, rejected: 0, uncertain: 0 });
    expect(tally.unsent).toBeGreaterThan(0);
    expect(tally.unsent + tally.pending).toBe(10);
  });
});

describe("a limit in credits", () => {
  it.each([
    [3, 3],
    [9, 9],
    [0, 0],
  ])("of %d lets %d of ten be sent", async (maxCredits, accepted) => {
    const server = await serve(accept());
    const { ending, tally } = await sendRun(await begunRun(drafts(10)), server.url, { maxCredits });
    expect({ ending, tally }).toMatchObject({
      ending: "limit",
      tally: { accepted, totalCredits: accepted, pending: 10 - accepted },
    });
  });

  it("counts what earlier invocations were charged", async () => {
    const server = await serve(accept());
    const files = await begunRun(drafts(10));
    await sendRun(files, server.url, { maxCredits: 4 });
    const { tally } = await sendRun(files, server.url, { maxCredits: 6 });
    expect(tally).toMatchObject({ accepted: 6, pending: 4 });
  });

  it("counts what is uncertain as charged", async () => {
    const server = await serve(byIndex({ 0: cut }));
    const { tally } = await sendRun(await begunRun(drafts(10)), server.url, {
      maxCredits: 4,
      concurrency: 1,
    });
    expect(tally).toMatchObject({ accepted: 3, uncertain: 1, pending: 6 });
  });

  it("leaves the room of what is refused to others", async () => {
    const server = await serve(byIndex({ 0: refuse(400), 1: refuse(400) }));
    const { tally } = await sendRun(await begunRun(drafts(10)), server.url, { maxCredits: 4 });
    expect(tally).toMatchObject({ accepted: 4, rejected: 2 });
  });

  it("is passed by no more than the service's own surprise on what is in flight, which is told once", async () => {
    const server = await serve(accept({ totalCredits: 3 }));
    const { ending, tally, events } = await sendRun(await begunRun(drafts(10)), server.url, {
      maxCredits: 4,
      concurrency: 2,
    });
    expect(ending).toBe("limit");
    expect(tally.totalCredits).toBe(6);
    expect(events.filter(({ kind }) => kind === "over-limit")).toEqual([{ kind: "over-limit", charged: 6 }]);
  });
});

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

describe("a journal that cannot be written", () => {
  it.each([
    ["an intent's flush", 2],
    ["a later flush", 4],
  ])("ends the run at once at %s, names the file, and leaves the rest in doubt", async (_, failing) => {
    const server = await serve(accept());
    const files = await begunRun(drafts(50));
    let flushes = 0;
    const ended = await sendRun(files, server.url, {
      concurrency: 1,
      through: (file) => ({
        ...file,
        datasync: async () => {
          if (++flushes === failing)
            throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
          await file.datasync();
        },
      }),
    });
    expect(ended.error).toBeInstanceOf(SmsError);
    expect(ended.error).toMatchObject({ kind: "fault", errorCode: "RUN_NOT_RECORDED" });
    expect(String(ended.error)).toContain(files.journal);
    const { accepted, uncertain, pending } = ended.tally;
    expect(accepted + uncertain + pending).toBe(50);
    expect(uncertain).toBeGreaterThan(0);
    expect(server.requests.length).toBeLessThanOrEqual(accepted + uncertain);
    expect(flushes).toBe(failing);
    const again = await sendRun(files, server.url, { concurrency: 1 });
    expect(again.tally).toMatchObject({ uncertain, accepted: 50 - uncertain });
    expect(new Set(server.sent()).size).toBe(server.requests.length);
  });

  it("shows what was in flight as uncertain, once each", async () => {
    const server = await serve(accept());
    let writes = 0;
    const ended = await sendRun(await begunRun(drafts(50)), server.url, {
      through: (file) => ({
        ...file,
        write: (bytes) => {
          if (++writes === 4)
            throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
          return file.write(bytes);
        },
      }),
    });
    expect(ended.error).toMatchObject({ errorCode: "RUN_NOT_RECORDED" });
    const settled = ended.events.filter(({ kind }) => kind === "settled");
    expect(settled).toHaveLength(Object.keys(outcomesOf(settled)).length);
    expect(settled).toContainEqual(
      expect.objectContaining({ outcome: expect.objectContaining({ kind: "uncertain" }) }),
    );
  });
});

/** Closes a connection 50 ms after the last byte that went over it. */
function closeOnceIdle(socket: Socket): void {
  if (socket.listenerCount("timeout") === 0) socket.on("timeout", () => socket.destroy());
  socket.setTimeout(50);
}

describe("connections", () => {
  it("are never reused once idle: 200 sends to a service that closes idle ones after 50 ms", async () => {
    const server = await serve((socket, request, index) => {
      accept()(socket, request, index);
      closeOnceIdle(socket);
    });
    // Each send is due just when the service would close the connection of the one before.
    const { tally } = await sendRun(await begunRun(drafts(200)), server.url, {
      concurrency: 2,
      perMinute: 60_000 / 50,
    });
    expect(tally).toMatchObject({ ...nothing, accepted: 200 });
    expect(server.requests).toHaveLength(200);
  });

  it(
    "hold at full speed against a service that closes idle ones after 50 ms",
    { timeout: 120_000 },
    async ({ skip }) => {
      for (let tries = 0; tries < 10; tries++) {
        const server = await serve((socket, request, index) => {
          accept()(socket, request, index);
          closeOnceIdle(socket);
        });
        const stalls = monitorEventLoopDelay({ resolution: 5 });
        stalls.enable();
        const { tally } = await sendRun(await begunRun(drafts(1_000)), server.url, { concurrency: 8 });
        stalls.disable();
        // While the machine did not let us run, the connections that we were about to use were idle. In nanoseconds.
        if (tally.accepted < 1_000 && stalls.max > 25e6) continue;
        expect(tally).toMatchObject({ ...nothing, accepted: 1_000 });
        expect(server.requests).toHaveLength(1_000);
        return;
      }
      skip("the machine is too busy to tell");
    },
  );
});
