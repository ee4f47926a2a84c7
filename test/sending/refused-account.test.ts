import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { encodeEntry } from "../../src/record/journal-entry.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { begunRun, drafts, outcomesOf, sendRun } from "./running.ts";
import { byIndex, cut, nothing, refuse, sendNew, serve } from "./service.ts";

const acme = { kind: "name", name: "ACME" } as const;

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
    expect(events.find((event) => event.kind === "settled" && event.message.line === 2)).toMatchObject({
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
