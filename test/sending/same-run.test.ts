import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Host } from "../../src/host.ts";
import { sendPath } from "../../src/service/address.ts";
import type { StateFolder } from "../../src/files/state-folder.ts";
import { type DraftMessage, summarizePlan } from "../../src/record/plan.ts";
import { type Consent, planRun } from "../../src/sending/planning.ts";
import { folderRuns } from "../../src/record/folder/runs.ts";
import { runFiles } from "../../src/record/folder/run.ts";
import type { Message } from "../../src/message/fields.ts";
import { machine, ours } from "../files/this-process.ts";
import { drafts, host } from "./running.ts";
import { temporaryFolder } from "../support/folders.ts";

const binding = { baseUrl: "http://127.0.0.1", path: sendPath, credentials: "a", mode: "live" } as const;
const destination = binding;

/** A command that is given once all others have ended. */
const later: Host = { ...host, began: Infinity };

const newState = () => ours(temporaryFolder());

async function plan(
  state: StateFolder,
  name: string,
  rows: readonly DraftMessage[],
  approve: Consent["approve"],
  by: Host = host,
) {
  const messages = (async function* () {
    yield* rows;
  })();
  const runs = folderRuns(state, machine);
  const request = {
    runs,
    name,
    source: undefined,
    messages,
    destination,
    isSearched: true,
    isNamed: false,
    guards: [],
  };
  const mayContinue: Consent["mayContinue"] = async (same) => {
    throw new Error(`${same.name} is to be continued`);
  };
  const run = await planRun(request, by, { approve, mayContinue });
  if (run === undefined) throw new Error("nobody to send to");
  return run;
}

describe("a run of the same messages as another", () => {
  it("does not begin, although both were approved before either began", async () => {
    const state = newState();
    let approved = 0;
    let go: () => void = () => {};
    const both = new Promise<void>((resolve) => (go = resolve));
    const approve = async () => {
      if (++approved === 2) go();
      await both;
      return {};
    };
    const planned = await Promise.allSettled(["a", "b"].map((name) => plan(state, name, drafts(3), approve)));
    const begun = planned.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(begun).toHaveLength(1);
    expect(planned).toContainEqual({
      status: "rejected",
      reason: new Error(`${begun[0]?.header.name} is to be continued`),
    });
    await begun[0]?.held.release();
  });

  it("does not begin if the other began after this command did, even if it has ended; a later command does", async () => {
    const state = newState();
    const { held } = await plan(state, "a", drafts(1), async () => ({}));
    appendFileSync(runFiles(state, "a").journal, '["intent",0]\n["accepted",0,{"messageId":"m"}]\n["summary"]\n');
    await held.release();
    await expect(plan(state, "b", drafts(1), async () => ({}))).rejects.toThrow("a is to be continued");
    const { held: another, header } = await plan(state, "b", drafts(1), async () => ({}), later);
    await another.release();
    expect(header.name).toBe("b");
  });

  it("does not begin if the other began by a clock that is ahead, while this one was approved, even if it has ended", async () => {
    const state = newState();
    const approve = async () => {
      const ahead = { ...host, now: () => host.now() + 3_600_000 };
      const { held } = await plan(state, "a", drafts(1), async () => ({}), ahead);
      appendFileSync(runFiles(state, "a").journal, '["intent",0]\n["accepted",0,{"messageId":"m"}]\n["summary"]\n');
      await held.release();
      return {};
    };
    await expect(plan(state, "b", drafts(1), approve)).rejects.toThrow("a is to be continued");
  });

  it("does not begin after a power cut that left any part of the journal but the whole of it", async () => {
    const state = newState();
    await (await plan(state, "a", drafts(2), async () => ({}))).held.release();
    const { journal } = runFiles(state, "a");
    const entries = [
      '["intent",0,1]',
      '["accepted",0,{"messageId":"m"}]',
      '["accepted",1,{"messageId":"n"}]',
      '["summary"]',
    ];
    const whole = `${readFileSync(journal, "utf8")}${entries.join("\n")}\n`;
    // Within each line, and before and after its end.
    const ends = [...whole.matchAll(/\n/g)].flatMap(({ index }) => [index - 3, index, index + 1]);
    const begun: number[] = [];
    for (const end of ends) {
      writeFileSync(journal, whole.slice(0, end));
      const again = plan(state, "b", drafts(2), async () => ({}), later);
      try {
        await (await again).held.release();
        begun.push(end);
      } catch (error) {
        // Without its first line the run is damaged.
        if (!/: a is to be continued$|has lost its entries$/.test(String(error))) throw error;
      }
    }
    expect(begun).toEqual([whole.length]);
  });

  it("does not begin, although its recipients are on other lines and in another order", async () => {
    const state = newState();
    await (await plan(state, "a", drafts(3), async () => ({}))).held.release();
    const moved = drafts(3).map((draft) => ({ ...draft, line: 9 - draft.line }));
    await expect(plan(state, "b", moved.toReversed(), async () => ({}))).rejects.toThrow("a is to be continued");
  });
});

describe("the checksum of messages", () => {
  const [ann, ben] = ["+254712345678", "+254712345679"];
  const sumOf = async (...messages: readonly Message[]) =>
    (await summarizePlan(messages.map((message) => ({ ...message, line: 1, segments: 1 })))).digests.messages;
  const some = [
    { to: ann, text: "You owe 5" },
    { to: ben, text: "You owe 7" },
  ];

  it("does not depend on their order", async () => {
    expect(await sumOf(...some.toReversed())).toBe(await sumOf(...some));
  });

  it.each<[string, readonly Message[]]>([
    ["one is missing", some.slice(1)],
    ["one comes twice", [...some, ...some.slice(1)]],
    ["each comes twice", [...some, ...some]],
    ["two change their texts", some.map(({ to }, index) => ({ to, text: some[1 - index]?.text ?? "" }))],
    ["one has a sender", some.map((message) => ({ ...message, sender: { kind: "name", name: "ACME" } }))],
    [
      "a character moves from one to the other",
      some.map(({ to }, index) => ({ to, text: `You owe ${index ? 57 : ""}` })),
    ],
  ])("is another if %s", async (_, others) => {
    expect(await sumOf(...others)).not.toBe(await sumOf(...some));
  });
});
