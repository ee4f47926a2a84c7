import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { requireRun } from "../../src/record/run-with-ledger.ts";
import { encodeEntry } from "../../src/record/journal-entry.ts";
import type { RunEntry } from "../../src/record/runs.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept, answer, inTurn } from "../support/scripts.ts";
import { begunRun, drafts, outcomesOf, sendRun } from "./running.ts";
import { byIndex, cut, nothing, refuse, sendNew, serve } from "./service.ts";

const acme = { kind: "name", name: "ACME" } as const;
const tooMany = (after: string): Script => answer(429, { error: "slow down" }, { "retry-after": after });

describe("a run", () => {
  it("sends to everybody once, and says what it came to", async () => {
    const { server, ending, tally, events } = await sendNew(50, accept());

    expect(ending).toBe("accepted");
    expect(tally).toEqual({
      ...nothing,
      isClosed: false,
      accepted: 50,
      due: 0,
      leftOut: {},
      segments: 50,
      totalCredits: 50,
      totalCostKes: 40,
      unpriced: 0,
      newBalance: 99,
    });
    expect(server.sent().sort()).toEqual(drafts(50).map(({ to }) => to));
    expect(Object.keys(outcomesOf(events))).toHaveLength(50);
  });

  it("has the time by the clock of the wall, since the other one stands still while the machine sleeps", async () => {
    const woke = Date.now() + 10 * 3_600_000;

    const { files } = await sendNew(1, accept(), { wallClock: () => woke });

    const { times } = await (await requireRun(files.runs, "test")).readTimes();
    expect([...times]).toEqual([woke]);
  });

  it("ends if sms itself fails at an answer, and leaves that message in doubt", async () => {
    let isAnswered = false;
    const wallClock = () => {
      if (isAnswered) throw new Error("no clock");
      return Date.now();
    };
    const script: Script = (...request) => {
      isAnswered = true;
      return accept()(...request);
    };

    const { error, tally } = await sendNew(3, script, { inFlight: 1, wallClock });

    expect(error).toEqual(new Error("no clock"));
    expect(tally).toMatchObject({ ...nothing, uncertain: 1, pending: 2 });
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
    const ended = await sendNew(3, byIndex({ 1: script }), { inFlight: 1 });

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

  it("stops after five uncertain in a row, in the way of the last", async () => {
    const { ending, tally } = await sendNew(20, refuse(503), { inFlight: 1 });
    expect({ ending, tally }).toMatchObject({ ending: "server-error", tally: { uncertain: 5, pending: 15 } });
  });

  it("does not count uncertain that are not in a row", async () => {
    const { ending, tally } = await sendNew(
      20,
      (socket, request, index) => (index % 5 === 4 ? accept() : cut)(socket, request, index),
      { inFlight: 1 },
    );
    expect({ ending, tally }).toMatchObject({ ending: "incomplete", tally: { accepted: 4, uncertain: 16 } });
  });

  it("stops where the service cannot be reached", async () => {
    const files = await begunRun(drafts(20));
    const { ending, tally, events } = await sendRun(files, "http://127.0.0.1:1", { retries: 1, inFlight: 2 });
    expect(ending).toBe("unreachable");
    expect(tally.uncertain + tally.accepted + tally.rejected).toBe(0);
    expect(tally.unsent).toBeGreaterThan(0);
    expect(events.some(({ kind }) => kind === "waiting")).toBe(true);
  });
});

describe("a refusal of the account", () => {
  it.each([401, 402, 403])("by %d is sent again when the run is continued", async (status) => {
    let isRefusing = true;
    const script: Script = (...request) => (isRefusing ? refuse(status) : accept())(...request);

    const { tally, files, server } = await sendNew(10, script, { inFlight: 3 });

    expect(tally).toMatchObject({ accepted: 0, due: 10 });
    expect(tally.rejected).toBeGreaterThan(0);
    isRefusing = false;
    const second = await sendRun(files, server.url);
    expect(second).toMatchObject({ ending: "accepted", tally: { ...nothing, accepted: 10, due: 0 } });
  });

  it("after a doubt leaves the message in doubt, and is not sent again unasked", async () => {
    const server = await serve(byIndex({ 0: refuse(401) }));
    const files = await begunRun(drafts(1));
    appendFileSync(files.journal, encodeEntry({ kind: "intent", indexes: [0] }));
    const { tally } = await sendRun(files, server.url, { retry: ["uncertain"] });
    expect(tally).toMatchObject({ uncertain: 1, due: 0 });
    await sendRun(files, server.url, { retry: ["rejected"] });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a 403", () => {
  it("for the sender that a row named rejects that row, and the run goes on", async () => {
    const server = await serve(byIndex({ 1: refuse(403) }));
    const files = await begunRun(
      drafts(4).map((message) => (message.line === 2 ? { ...message, sender: acme, ownSender: true } : message)),
    );
    const { ending, tally, events } = await sendRun(files, server.url, { inFlight: 1 });
    expect({ ending, tally }).toMatchObject({ ending: "incomplete", tally: { accepted: 3, rejected: 1, due: 0 } });
    expect(events.find((event) => event.kind === "final" && event.message.line === 2)).toMatchObject({
      outcome: { kind: "rejected", failure: { httpStatus: 403, errorCode: "ACME_NO" } },
    });
    await sendRun(files, server.url);
    expect(server.requests).toHaveLength(4);
    expect((await sendRun(files, server.url, { retry: ["rejected"] })).tally).toMatchObject({ rejected: 1 });
    expect(server.requests).toHaveLength(5);
  });
});

describe("five uncertain in a row", () => {
  it("are not one fault that meets all requests in flight", async () => {
    const breaks: (() => void)[] = [];
    const breakTogether: Script = (socket, request, index) => {
      if (index >= 8) return accept()(socket, request, index);
      breaks.push(() => socket.destroy());
      if (breaks.length === 8) for (const fail of breaks) fail();
    };
    const { ending, tally } = await sendNew(40, breakTogether, { inFlight: 8 });
    expect({ ending, tally }).toMatchObject({ ending: "incomplete", tally: { uncertain: 8, accepted: 32 } });
  });

  it("stop a run with several in flight, however many there are at once", async () => {
    const { ending, tally, events } = await sendNew(200, cut, { inFlight: 8 });
    expect(ending).toBe("no-answer");
    expect(tally.uncertain).toBeGreaterThanOrEqual(8 + 4);
    expect(tally.uncertain).toBeLessThanOrEqual(8 + 4 + 8);
    expect(Object.keys(outcomesOf(events))).toHaveLength(tally.uncertain);
  });
});

describe("429", () => {
  it("holds the whole run up and is tried again, each message once in the end", async () => {
    const { ending, events, server } = await sendNew(
      10,
      (socket, request, index) => (index < 6 ? tooMany("0") : accept())(socket, request, index),
      { inFlight: 2 },
    );
    expect(ending).toBe("accepted");
    expect(events.filter(({ kind }) => kind === "final")).toHaveLength(10);
    expect(server.requests).toHaveLength(16);
  });

  it("ends the run once the retries are spent, with the message unsent and nothing in doubt", async () => {
    const { ending, tally } = await sendNew(10, tooMany("0"), { inFlight: 3, retries: 2 });

    expect(ending).toBe("rate-limited");
    expect(tally).toMatchObject({ accepted: 0, rejected: 0, uncertain: 0 });
    expect(tally.unsent).toBeGreaterThan(0);
    expect(tally.unsent + tally.pending).toBe(10);
  });

  it("takes back an intent that is recorded during the pause", async () => {
    let arrive: (answerNow: () => void) => void = () => {};
    let begin: () => void = () => {};
    const arrived = new Promise<() => void>((resolve) => (arrive = resolve));
    const pause = new Promise<void>((resolve) => (begin = resolve));
    const entries: RunEntry[] = [];
    const script: Script = (...request) => {
      if (request[2] === 1) arrive(() => tooMany("1")(...request));
      else accept()(...request);
    };

    const { ending } = await sendNew(3, script, {
      inFlight: 2,
      beforeRecord: async (entry) => {
        entries.push(entry);
        if (entry.kind !== "intent" || !entry.indexes.includes(2)) return;
        (await arrived)();
        await pause;
      },
      onEvent: ({ kind }) => kind === "waiting" && begin(),
    });

    expect(ending).toBe("accepted");
    expect(entries).toContainEqual({ kind: "withdrawn", indexes: [2] });
  });
});

describe("an interruption", () => {
  it("is how a run ends that another cause had stopped before", async () => {
    const stop = new AbortController();

    const { ending } = await sendNew(10, refuse(401), {
      onEvent: ({ kind }) => kind === "stopping" && stop.abort("SIGTERM"),
      interruption: { stop: stop.signal, leave: new AbortController().signal },
    });

    expect(ending).toBe("terminated");
  });

  it("by a second signal leaves at once, and what was in flight is uncertain", async () => {
    const [stop, leave] = [new AbortController(), new AbortController()];
    const script: Script = (_socket, _request, index) => {
      if (index < 3) return;
      stop.abort("SIGINT");
      setTimeout(() => leave.abort("SIGINT"), 50);
    };

    const ended = await sendNew(10, script, { interruption: { stop: stop.signal, leave: leave.signal } });

    expect(ended).toMatchObject({ ending: "interrupted", tally: { ...nothing, uncertain: 4, pending: 6 } });
  });

  it("gives a request no more time than it had", async () => {
    const stop = new AbortController();

    const { ending, tally } = await sendNew(10, () => stop.abort("SIGTERM"), {
      time: { kind: "per-request", ms: 300 },
      interruption: { stop: stop.signal, leave: new AbortController().signal },
    });

    expect({ ending, tally }).toMatchObject({ ending: "terminated", tally: { accepted: 0, rejected: 0 } });
    expect(tally.uncertain).toBeGreaterThan(0);
  });
});

describe("one message within a total time", () => {
  it.each([
    ["counts the tries before against the time", inTurn(tooMany("2"), () => {}), 3_000, "uncertain"],
    ["does not wait for a retry that its time has no room for", tooMany("5"), 5_000, "unsent"],
  ])("%s", async (_, script, ms, outcome) => {
    const began = performance.now();

    const { tally } = await sendNew(1, script, { inFlight: 1, time: { kind: "total", ms } });

    expect(tally).toMatchObject({ ...nothing, [outcome]: 1 });
    expect(performance.now() - began).toBeLessThan(4_900);
  });
});
