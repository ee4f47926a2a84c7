import { describe, expect, it } from "vitest";
import type { Script } from "../support/scripted-server.ts";
import type { RunEntry } from "../../src/record/runs.ts";
import { accept, answer } from "../support/scripts.ts";
import { sendNew } from "./service.ts";

describe("429", () => {
  const tooMany = (after: string): Script => answer(429, { error: "slow down" }, { "retry-after": after });

  it("holds the whole run up and is tried again, each message once in the end", async () => {
    const { ending, events, server } = await sendNew(
      10,
      (socket, request, index) => (index < 6 ? tooMany("0") : accept())(socket, request, index),
      { inFlight: 2 },
    );
    expect(ending).toBe("accepted");
    expect(events.filter(({ kind }) => kind === "settled")).toHaveLength(10);
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
    expect(entries).toContainEqual({ kind: "released", indexes: [2] });
  });
});
