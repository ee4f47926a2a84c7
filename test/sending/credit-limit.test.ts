import { describe, expect, it } from "vitest";
import type { Script } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { type Course, sendRun } from "./running.ts";
import { byIndex, cut, refuse, sendNew } from "./service.ts";

interface Case {
  readonly what: string;
  readonly script: Script;
  readonly course: Course;
  readonly tally: object;
}

const charge = (totalCredits: number) => accept({ totalCredits });

const firstCutThen = (script: Script): Script => {
  return (socket, request, index) => (index === 0 ? cut : script)(socket, request, index);
};

describe("a limit in credits", () => {
  it.each([3, 9, 0])("of %d lets as many of ten be sent", async (maxCredits) => {
    const { ending, tally, events } = await sendNew(10, accept(), { maxCredits });

    expect({ ending, tally, stop: events.find(({ kind }) => kind === "stopping") }).toMatchObject({
      ending: "limit",
      stop: { failure: { errorCode: "OVER_LIMIT" } },
      tally: { accepted: maxCredits, totalCredits: maxCredits, pending: 10 - maxCredits },
    });
  });

  it.each<Case>([
    {
      what: "counts what is uncertain as charged",
      script: byIndex({ 0: cut }),
      course: { maxCredits: 4, inFlight: 1 },
      tally: { accepted: 3, uncertain: 1, pending: 6 },
    },
    {
      what: "counts what is uncertain at the highest charge that a receipt has shown",
      script: firstCutThen(charge(3)),
      course: { maxCredits: 9, inFlight: 1 },
      tally: { accepted: 2, uncertain: 1, pending: 7 },
    },
    {
      what: "leaves the room of what is refused to others",
      script: byIndex({ 0: refuse(400), 1: refuse(400) }),
      course: { maxCredits: 4 },
      tally: { accepted: 4, rejected: 2 },
    },
    {
      what: "counts what is in flight at the highest charge that a receipt has shown",
      script: charge(3),
      course: { maxCredits: 11, inFlight: 2 },
      tally: { accepted: 3, totalCredits: 9 },
    },
  ])("$what", async ({ script, course, tally }) => {
    const end = await sendNew(10, script, course);

    expect(end).toMatchObject({ ending: "limit", tally });
    expect(end.events.filter(({ kind }) => kind === "over-limit")).toEqual([]);
  });

  it("counts what earlier invocations were charged", async () => {
    const { files, server } = await sendNew(10, accept(), { maxCredits: 4 });

    const { tally } = await sendRun(files, server.url, { maxCredits: 6 });

    expect(tally).toMatchObject({ accepted: 6, pending: 4 });
  });

  it("takes back intents that were recorded ahead once a receipt has shown a higher charge", async () => {
    const { ending, tally, server } = await sendNew(40, charge(2), { maxCredits: 41 });

    expect({ ending, tally }).toMatchObject({ ending: "limit", tally: { totalCredits: 40, pending: 20 } });
    expect(server.sent()).toHaveLength(20);
  });

  it("takes back an intent if a receipt shows a higher charge while the intent is recorded", async () => {
    let [answerFirst, answerSecond, show] = [() => {}, () => {}, () => {}];
    const shown = new Promise<void>((resolve) => (show = resolve));
    const script: Script = (...request) => {
      if (request[2] === 0) answerFirst = () => charge(1)(...request);
      if (request[2] === 1) answerSecond = () => charge(3)(...request);
      if (request[2] === 1) answerFirst();
    };
    const beforeRecord: Course["beforeRecord"] = async (entry) => {
      if (entry.kind === "accepted" && entry.receipt.totalCredits === 3) show();
      if (entry.kind !== "intent" || !entry.indexes.includes(2)) return;
      answerSecond();
      await shown;
    };

    const { ending, tally, server } = await sendNew(10, script, { maxCredits: 4, inFlight: 2, beforeRecord });

    expect({ ending, tally }).toMatchObject({ ending: "limit", tally: { totalCredits: 4, accepted: 2, pending: 8 } });
    expect(server.requests).toHaveLength(2);
  });

  it("is passed by no more than the service's own surprise on what is in flight, which is reported once", async () => {
    const { ending, tally, events } = await sendNew(10, charge(3), { maxCredits: 4, inFlight: 2 });

    expect({ ending, totalCredits: tally.totalCredits }).toEqual({ ending: "limit", totalCredits: 6 });
    expect(events.filter(({ kind }) => kind === "over-limit")).toEqual([{ kind: "over-limit", charged: 6 }]);
  });
});
