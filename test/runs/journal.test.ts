import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Journal, type JournalFile, openJournalFile } from "../../src/runs/journal.ts";
import { decodeEntry, encodeEntry, type JournalEntry } from "../../src/runs/journal-entry.ts";
import { readJournal } from "../../src/runs/journal-reader.ts";
import { Ledger } from "../../src/runs/ledger.ts";

const failure = { kind: "refused", error: "no “€”", errorCode: "ACME_NO", httpStatus: 400 } as const;
const receipt = { messageId: "msg_1", segments: 2, totalCredits: 2, totalCostKes: 1.6, newBalance: 98 };

const history: readonly JournalEntry[] = [
  { kind: "intent", indexes: [0, 1, 2] },
  { kind: "accepted", index: 1, receipt },
  { kind: "rejected", index: 0, failure },
  { kind: "intent", indexes: [3, 4] },
  { kind: "unsent", index: 2, failure: { ...failure, kind: "unreachable" } },
  { kind: "released", indexes: [4] },
  { kind: "intent", indexes: [2] },
  { kind: "uncertain", index: 3, failure: { ...failure, kind: "no-answer" } },
  { kind: "accepted", index: 2, receipt: { messageId: "msg_2" } },
];

function journalOf(bytes: string | Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), "sms-journal-")), "journal.ndjson");
  writeFileSync(path, bytes);
  return path;
}

function newLedger(messages = 6): Ledger {
  return new Ledger(new Uint8Array(messages).fill(2));
}

const whole = history.map(encodeEntry).join("");

describe("an entry of a journal", () => {
  it.each(history)("is read back as it was written: $kind", (entry) => {
    expect(decodeEntry(encodeEntry(entry).trimEnd())).toEqual(entry);
  });

  it.each([
    "",
    "{}",
    "null",
    "[]",
    '["intent"]',
    '["intent",-1]',
    '["intent",1.5]',
    '["intent","1"]',
    '["accepted",1]',
    '["accepted",1,{}]',
    '["accepted",1,{"messageId":"m","totalCredits":"2"}]',
    '["accepted",1,{"messageId":"m"',
    '["rejected",1,{"kind":"refused"}]',
    '["rejected",1,{"kind":"toString","error":"","errorCode":""}]',
    '["lost",1,{}]',
    "\0\0\0\0",
  ])("is not %j", (line) => {
    expect(decodeEntry(line)).toBeUndefined();
  });
});

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
      accepted: 2,
      rejected: 1,
      unsent: 0,
      uncertain: 1,
      pending: 2,
      segments: 4,
      totalCredits: 2,
      totalCostKes: 1.6,
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

  it("cut at any byte never forgets what an intent on the disk may have sent", async () => {
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
});

describe("a ledger", () => {
  it("gives a message back to what it was where its intent is released", () => {
    const ledger = newLedger(1);
    const intent = { kind: "intent", indexes: [0] } as const;
    ledger.apply(intent);
    ledger.apply({ kind: "uncertain", index: 0, failure: { ...failure, kind: "no-answer" } });
    ledger.apply(intent);
    ledger.apply({ kind: "released", indexes: [0] });
    expect(ledger.outcomeOf(0)).toBe("uncertain");
    expect(ledger.exposure).toBe(2);
  });

  it("keeps counting an attempt that was left in doubt when another follows", () => {
    const ledger = newLedger(1);
    ledger.apply({ kind: "intent", indexes: [0] });
    ledger.apply({ kind: "intent", indexes: [0] });
    ledger.apply({ kind: "accepted", index: 0, receipt });
    expect(ledger.tally()).toMatchObject({ accepted: 1, uncertain: 0, totalCredits: 2 });
    expect(ledger.exposure).toBe(4);
  });

  it("adds up costs without the dust of binary fractions", () => {
    const ledger = newLedger(3);
    ledger.apply({ kind: "intent", indexes: [0, 1, 2] });
    for (const index of [0, 1, 2])
      ledger.apply({ kind: "accepted", index, receipt: { messageId: "m", totalCostKes: 0.8 } });
    expect(ledger.tally().totalCostKes).toBe(2.4);
  });
});

describe("a journal that is written", () => {
  function recorded(options: { readonly most?: number; readonly failing?: string } = {}) {
    const calls: string[] = [];
    const file: JournalFile = {
      write: (bytes) => {
        const part = bytes.subarray(0, options.most ?? bytes.length);
        calls.push(Buffer.from(part).toString());
        if (options.failing === "write") throw new Error("ENOSPC: no space left on device, write");
        return part.length;
      },
      datasync: async () => {
        calls.push("(flush)");
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (options.failing === "flush") throw new Error("EIO: i/o error, fdatasync");
      },
      close: () => void calls.push("(close)"),
    };
    return { calls, journal: new Journal(file, "/runs/a/journal.ndjson") };
  }

  it("flushes once for all that came together, before it says that any of it lasts", async () => {
    const { calls, journal } = recorded();
    const order: string[] = [];
    await Promise.all([
      journal.write("a\n").then(() => order.push("a", ...calls)),
      journal.writeLasting("b\n").then(() => order.push("b")),
      journal.writeLasting("c\n"),
    ]);
    expect(order).toEqual(["a", "a\nb\nc\n", "(flush)", "b"]);
  });

  it("does not flush for results alone, but before it closes", async () => {
    const { calls, journal } = recorded();
    await journal.write("a\n");
    expect(calls).toEqual(["a\n"]);
    await journal.close();
    expect(calls).toEqual(["a\n", "(flush)", "(close)"]);
  });

  it("writes what a short write left over", async () => {
    const { calls, journal } = recorded({ most: 4 });
    await journal.writeLasting("0123456789\n");
    expect(calls).toEqual(["0123", "4567", "89\n", "(flush)"]);
  });

  it.each(["write", "flush"])(
    "writes nothing more after a failed %s, and names the file",
    async (failing) => {
      const { calls, journal } = recorded({ failing });
      const wanted = {
        kind: "fault",
        errorCode: "RUN_NOT_RECORDED",
        message: expect.stringContaining("/runs/a/journal.ndjson"),
      };
      await expect(journal.writeLasting("a\n")).rejects.toMatchObject(wanted);
      const before = [...calls];
      await expect(journal.write("b\n")).rejects.toMatchObject(wanted);
      await expect(journal.close()).rejects.toMatchObject(wanted);
      expect(calls).toEqual([...before, "(close)"]);
    },
  );

  it("fails what gathered while the flush failed, too", async () => {
    const { calls, journal } = recorded({ failing: "flush" });
    const first = journal.writeLasting("a\n");
    const second = new Promise<void>((resolve, reject) => {
      setTimeout(() => journal.write("b\n").then(resolve, reject), 5);
    });
    const results = await Promise.allSettled([first, second]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(calls).toEqual(["a\n", "(flush)"]);
  });

  it("cuts off what stands behind the whole lines when it is opened", async () => {
    const path = journalOf("whole\ntorn");
    const journal = new Journal(openJournalFile(path, 6), path);
    await journal.write("next\n");
    await journal.close();
    expect(readFileSync(path, "utf8")).toBe("whole\nnext\n");
  });
});
