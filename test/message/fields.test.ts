import { rmSync } from "node:fs";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readAddress, sendPath } from "../../src/service/address.ts";
import {
  fieldTexts,
  memberNames,
  membersOf,
  type Message,
  messageFrom,
  privateMembers,
} from "../../src/message/fields.ts";
import { readKey } from "../../src/key.ts";
import { exportView } from "../../src/sending/recorded/export.ts";
import { jsonLine } from "../../src/terminal/text.ts";
import { wireLog } from "../../src/terminal/wire-log.ts";
import { begunRun } from "../sending/running.ts";
import { wireRequest } from "../../src/service/request.ts";
import { headerOf, terminal } from "../terminal/page.ts";
import { read } from "../recipients/reading.ts";
import { seed } from "../support/seed.ts";
import { trials } from "../support/trials.ts";

const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((some) => some.trim() !== "");

/** One arbitrary for each field of a message: without one, this file does not compile. */
const fields: { readonly [Name in keyof Required<Message>]: fc.Arbitrary<Required<Message>[Name]> } = {
  to: fc.integer({ min: 10_000_000, max: 99_999_999 }).map((digits) => `+2547${digits}`),
  text,
  sender: fc.oneof(
    fc.record({ kind: fc.constant("name" as const), name: fc.stringMatching(/^[A-Z]{3,11}$/) }),
    fc.record({ kind: fc.constant("id" as const), id: fc.stringMatching(/^[0-9a-f]{24}$/) }),
  ),
};

const message: fc.Arbitrary<Message> = fc.record(fields, { requiredKeys: ["to", "text"] });

/** Returns the message of a plan that holds this one alone, with what the plan says of its line. */
async function planned(draft: Message) {
  const { runs, state } = await begunRun([{ ...draft, line: 1, segments: 1 }]);
  try {
    const run = await runs.read("test");
    for await (const plannedMessage of run?.readMessages() ?? [])
      return { plannedMessage, sum: run?.header.plan.digests.messages };
    throw new Error("the plan is empty");
  } finally {
    rmSync(state.path, { recursive: true });
  }
}

/** Returns the message of the NDJSON export of a run, as the next run reads it. */
async function exported(draft: Message): Promise<Message> {
  const { plannedMessage } = await planned(draft);
  const readResults = async function* () {
    yield { message: plannedMessage, outcome: undefined };
  };
  const readLeftOut = async function* none() {};
  const header = headerOf("test", "", 1, "test");
  const view = exportView(
    { header, readResults, readLeftOut },
    { format: "ndjson", failed: false, withColumns: false },
  );
  let lines = "";
  for await (const row of view.json(terminal(80))) lines += jsonLine(row);
  const [row] = await read(lines, { format: "ndjson" });
  if (row?.kind !== "row") throw new Error(row?.sentence ?? "the export is empty");
  const { text: own = "", ...others } = row.own ?? {};
  return { to: row.to, text: own, ...others };
}

it("a message is the same after plan, request and export, whatever it has", async () => {
  const service = {
    address: readAddress("https://sms.example.com", "test"),
    path: sendPath,
    credentials: { kind: "key", key: readKey("sk_test_a", "test") },
  } as const;
  const holds = fc.asyncProperty(message, async (draft) => {
    const body: Readonly<Record<string, string>> = JSON.parse(wireRequest(service, membersOf(draft), "sms").body);
    expect(messageFrom((name) => body[name])).toEqual(draft);
    expect(Object.keys(body).filter((name) => !memberNames.includes(name))).toEqual([]);
    expect((await planned(draft)).plannedMessage).toEqual({ ...draft, index: 0, line: 1, segments: 1 });
    expect(await exported(draft)).toEqual(draft);
  });
  await fc.assert(holds, { seed, numRuns: trials("FIELDS", 25, 100) });
});

it("two messages that differ in some fields differ in plan and fingerprint, in these alone", async () => {
  const names = Object.keys(fields);
  const holds = fc.asyncProperty(message, message, fc.subarray(names), async (was, other, changed) => {
    const from = (draft: Message, name: string) => Object.entries(draft).filter(([key]) => key === name);
    const is: Message = Object.assign(
      { to: was.to, text: was.text },
      ...names.map((name) => Object.fromEntries(from(changed.includes(name) ? other : was, name))),
    );
    const expected = names.filter((name) => JSON.stringify(from(was, name)) !== JSON.stringify(from(is, name))).length;
    const [before, now] = [fieldTexts(was), fieldTexts(is)];
    expect({
      fingerprints: [...before].filter(([noun, value]) => now.get(noun) !== value).length,
      isSamePlan: (await planned(was)).sum === (await planned(is)).sum,
    }).toEqual({ fingerprints: expected, isSamePlan: expected === 0 });
  });
  await fc.assert(holds, { seed, numRuns: trials("FIELDS", 25, 100) });
});

it("the log of requests shows of a private value how long it is, also in an answer", async () => {
  const holds = fc.property(message, (draft) => {
    const members = membersOf(draft);
    const body = JSON.stringify(members);
    const lines: string[] = [];
    const log = wireLog(
      (line) => lines.push(line),
      (shown) => shown,
    )();
    log({ kind: "request", request: { origin: "https://a.example", path: sendPath, headers: {}, body } });
    const head = { url: "https://a.example", status: 400, headers: {} };
    log({ kind: "exchange", exchange: { kind: "answered", answer: head, body: new TextEncoder().encode(body) } });
    const isShown = (value: string) => lines.some((line) => line.includes(value));
    const values = Object.entries(members).filter(([, { length }]) => length >= 8);
    expect(values.filter(([name, value]) => isShown(value) && privateMembers.includes(name))).toEqual([]);
    expect(isShown(`[${draft.text.length} characters]`)).toBe(true);
  });
  const shown = memberNames.filter((name) => !privateMembers.includes(name));
  expect(shown).toEqual(["to", "senderIdName", "senderId"]);
  fc.assert(holds, { seed, numRuns: trials("FIELDS", 25, 100) });
});
