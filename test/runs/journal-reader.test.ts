import { describe, expect, it } from "vitest";
import { Journal, openJournalFile } from "../../src/record/folder/journal.ts";
import { encodeEntry } from "../../src/record/journal-entry.ts";
import { readJournal, readResults } from "../../src/record/folder/journal-reader.ts";
import { history, journalOf, newLedger } from "./journals.ts";
import { begunRun, drafts } from "./running.ts";

const whole = history.map(encodeEntry).join("");

describe("a journal that is read back", () => {
  it("gives the outcomes and what was charged", async () => {
    const ledger = newLedger();
    expect(await readJournal(journalOf(whole), ledger)).toBe(Buffer.byteLength(whole));
    expect([0, 1, 2, 3, 4, 5].map((index) => ledger.outcomeOf(index))).toEqual([
      "rejected",
      "accepted",
      "accepted",
      "uncertain",
      "pending",
      "pending",
    ]);
    expect(ledger.tally()).toEqual({
      due: 2,
      accepted: 2,
      rejected: 1,
      unsent: 0,
      uncertain: 1,
      pending: 2,
      segments: 4,
      totalCredits: 2,
      totalCostKes: 1.6,
      unpriced: 1,
      newBalance: 98,
    });
    // Charged 2, expected 2 for the receipt without credits, 2 in doubt.
    expect(ledger.exposure).toBe(6);
  });

  it("cut at any byte counts the whole lines before the cut, and an intent without a result as uncertain", async () => {
    const bytes = Buffer.from(whole);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const path = journalOf(bytes.subarray(0, cut));
      const lines = bytes.toString("latin1", 0, cut).split("\n").length - 1;
      const expected = newLedger();
      for (const entry of history.slice(0, lines)) expect(expected.apply(entry)).toBe(true);
      const ledger = newLedger();
      const length = await readJournal(path, ledger);
      expect({ cut, tally: ledger.tally() }).toEqual({ cut, tally: expected.tally() });
      expect(length).toBe(Buffer.byteLength(history.slice(0, lines).map(encodeEntry).join("")));

      const journal = new Journal(openJournalFile(path, length), path);
      await journal.writeLasting(encodeEntry({ kind: "intent", indexes: [5] }));
      await journal.close();
      const again = newLedger();
      await readJournal(path, again);
      expect(again.tally().uncertain).toBe(expected.tally().uncertain + 1);
    }
  });

  it("cut at any byte never loses what an intent on the disk may have sent", async () => {
    const bytes = Buffer.from(whole);
    const lengthOf = (lines: number) => Buffer.byteLength(history.slice(0, lines).map(encodeEntry).join(""));
    const intended = [
      [0, lengthOf(1)],
      [3, lengthOf(4)],
    ] as const;
    for (let cut = 0; cut <= bytes.length; cut++) {
      const ledger = newLedger();
      await readJournal(journalOf(bytes.subarray(0, cut)), ledger);
      for (const [index, from] of intended) {
        if (cut < from) continue;
        expect(["accepted", "rejected", "uncertain"]).toContain(ledger.outcomeOf(index));
      }
    }
  });

  it.each([
    ["a broken line in the middle", whole.replace('["accepted",1', '["acc'), 2],
    ["a broken line at the end", `${whole}["intent",`.concat("\n"), 10],
    ["zeros in the middle", whole.replace('["intent",3,4]', "\0".repeat(14)), 4],
    ["a line that is missing", whole.replace('["intent",3,4]\n', ""), 5],
    ["a message that is not in the plan", '["intent",6]\n', 1],
    ["an intent for what was accepted", `${whole}["intent",1]\n`, 10],
    ["a result without an intent", '["accepted",0,{"messageId":"m"}]\n', 1],
    ["a result that comes twice", `${whole}["accepted",2,{"messageId":"m"}]\n`, 10],
  ])("is refused for %s", async (_, text, line) => {
    await expect(readJournal(journalOf(text), newLedger())).rejects.toMatchObject({
      errorCode: "RUN_DAMAGED",
      message: expect.stringContaining(`line ${line} `),
    });
  });

  it("may hold released entries", async () => {
    const text = [
      '["intent",0,1,2,3]',
      '["accepted",0,{"messageId":"msg_1","segments":2,"totalCredits":2,"totalCostKes":1.6,"newBalance":98}]',
      '["released",2,3]',
      '["intent",2]',
      "",
    ].join("\n");
    const ledger = newLedger(4);
    expect(await readJournal(journalOf(text), ledger)).toBe(text.length);
    expect([0, 1, 2, 3].map((index) => ledger.outcomeOf(index))).toEqual([
      "accepted",
      "uncertain",
      "uncertain",
      "pending",
    ]);
  });
});

describe("the results of a run", () => {
  async function resultsOf(count: number, journal: string) {
    const { plan } = await begunRun(drafts(count));
    const results = [];
    for await (const { outcome } of readResults({ plan, journal: journalOf(journal) }, newLedger(count)))
      results.push(outcome);
    return results;
  }

  const receipt = (id: string) => ({ messageId: id });
  const sent = (index: number, id: string) => `["accepted",${index},${JSON.stringify(receipt(id))}]\n`;
  const refused = '["unsent",0,{"kind":"unreachable","error":"no","errorCode":"UNREACHABLE"}]\n';
  const inDoubt = { kind: "uncertain", failure: { errorCode: "NO_ANSWER" } };

  it("are in doubt for an intent without a result, and none for a message that was never tried or taken back", async () => {
    expect(await resultsOf(3, '["intent",0,1]\n["released",1]\n')).toMatchObject([inDoubt, undefined, undefined]);
  });

  it("are those of the last try", async () => {
    expect(await resultsOf(1, `["intent",0]\n${refused}`)).toMatchObject([{ kind: "unsent" }]);
    expect(await resultsOf(1, `["intent",0]\n${refused}["intent",0]\n`)).toMatchObject([inDoubt]);
    expect(await resultsOf(1, `["intent",0]\n${refused}["intent",0]\n${sent(0, "m")}`)).toMatchObject([
      { kind: "accepted", receipt: receipt("m") },
    ]);
  });

  it("are found in whatever order they came", async () => {
    const count = 40;
    // Far enough apart that they are not read at once.
    const id = (index: number) => `${"m".repeat(20_000)}${index}`;
    const order = Array.from({ length: count }, (_, index) => (index * 7) % count);
    const intents = `["intent",${order.join(",")}]\n`;
    const results = await resultsOf(count, intents + order.map((index) => sent(index, id(index))).join(""));
    expect(results.map((outcome) => outcome?.kind === "accepted" && outcome.receipt.messageId)).toEqual(
      Array.from({ length: count }, (_, index) => id(index)),
    );
  });
});
