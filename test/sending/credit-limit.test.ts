import { describe, expect, it } from "vitest";
import { accept } from "../support/scripts.ts";
import { begunRun, drafts, sendRun } from "./running.ts";
import { byIndex, cut, refuse, serve } from "./service.ts";

describe("a limit in credits", () => {
  it.each([
    [3, 3],
    [9, 9],
    [0, 0],
  ])("of %d lets %d of ten be sent", async (maxCredits, accepted) => {
    const server = await serve(accept());
    const { ending, tally, events } = await sendRun(await begunRun(drafts(10)), server.url, { maxCredits });
    expect({ ending, tally, stop: events.find(({ kind }) => kind === "stopping") }).toMatchObject({
      ending: "limit",
      stop: { failure: { errorCode: "OVER_LIMIT" } },
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
      inFlight: 1,
    });
    expect(tally).toMatchObject({ accepted: 3, uncertain: 1, pending: 6 });
  });

  it("leaves the room of what is refused to others", async () => {
    const server = await serve(byIndex({ 0: refuse(400), 1: refuse(400) }));
    const { tally } = await sendRun(await begunRun(drafts(10)), server.url, { maxCredits: 4 });
    expect(tally).toMatchObject({ accepted: 4, rejected: 2 });
  });

  it("counts what is in flight at the highest charge for a segment that a receipt has shown", async () => {
    const server = await serve(accept({ totalCredits: 3 }));
    const { ending, tally, events } = await sendRun(await begunRun(drafts(10)), server.url, {
      maxCredits: 11,
      inFlight: 2,
    });
    expect({ ending, tally }).toMatchObject({ ending: "limit", tally: { accepted: 3, totalCredits: 9 } });
    expect(events.filter(({ kind }) => kind === "over-limit")).toEqual([]);
  });

  it("takes back intents that were recorded ahead once a receipt has shown a higher charge", async () => {
    const server = await serve(accept({ totalCredits: 2 }));
    const { ending, tally } = await sendRun(await begunRun(drafts(40)), server.url, { maxCredits: 41 });
    expect({ ending, tally }).toMatchObject({ ending: "limit", tally: { totalCredits: 40, pending: 20 } });
    expect(server.sent()).toHaveLength(20);
  });

  it("counts what is uncertain at that charge too", async () => {
    const server = await serve((socket, request, index) =>
      (index === 0 ? cut : accept({ totalCredits: 3 }))(socket, request, index),
    );
    const { tally } = await sendRun(await begunRun(drafts(10)), server.url, { maxCredits: 9, inFlight: 1 });
    expect(tally).toMatchObject({ uncertain: 1, accepted: 2 });
  });

  it("is passed by no more than the service's own surprise on what is in flight, which is reported once", async () => {
    const server = await serve(accept({ totalCredits: 3 }));
    const { ending, tally, events } = await sendRun(await begunRun(drafts(10)), server.url, {
      maxCredits: 4,
      inFlight: 2,
    });
    expect(ending).toBe("limit");
    expect(tally.totalCredits).toBe(6);
    expect(events.filter(({ kind }) => kind === "over-limit")).toEqual([{ kind: "over-limit", charged: 6 }]);
  });
});
