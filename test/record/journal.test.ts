import { describe, expect, it } from "vitest";
import { journalWriter } from "../../src/record/folder/journal.ts";
import { decodeEntry, encodeEntry } from "../../src/record/journal-entry.ts";
import { runWriter } from "../../src/record/run-writer.ts";
import { usageError } from "../../src/errors.ts";
import { history } from "./entries.ts";
import { emptyDay } from "./samples.ts";

const released = '["time",0]\n["withdrawn",1]\n';

describe("a journal that is written", () => {
  function recorded(options: { readonly most?: number; readonly failing?: string } = {}) {
    const calls: string[] = [];
    const file: Parameters<typeof journalWriter>[0] = {
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
    return { calls, journal: journalWriter(file, "/runs/a/journal.ndjson") };
  }

  it("flushes once for all that came together, before it says that any of it lasts", async () => {
    const { calls, journal } = recorded();
    const order: string[] = [];
    await Promise.all([
      journal.record({ kind: "withdrawn", indexes: [1] }, 5).then(() => order.push("a", ...calls)),
      journal.record({ kind: "intent", indexes: [2] }, 5.7).then(() => order.push("b")),
      journal.record({ kind: "intent", indexes: [3] }, 6),
    ]);
    const lines = ['["time",5]', '["withdrawn",1]', '["intent",2]', '["time",6]', '["intent",3]', ""].join("\n");

    expect(order).toEqual(["a", lines, "(flush)", "b"]);
  });

  it("does not flush for results alone, but before it closes", async () => {
    const { calls, journal } = recorded();
    await journal.record({ kind: "withdrawn", indexes: [1] }, 0);
    expect(calls).toEqual([released]);
    await journal.close();
    expect(calls).toEqual([released, "(flush)", "(close)"]);
  });

  it("writes what a short write left over", async () => {
    const { calls, journal } = recorded({ most: 10 });
    await journal.record({ kind: "intent", indexes: [1] }, 0);
    expect(calls).toEqual(['["time",0]', '\n["intent"', ",1]\n", "(flush)"]);
  });

  it.each(["write", "flush"])("writes nothing more after a failed %s, and names the file", async (failing) => {
    const { calls, journal } = recorded({ failing });
    const wanted = {
      kind: "incomplete",
      errorCode: "RUN_NOT_RECORDED",
      message: expect.stringContaining("/runs/a/journal.ndjson"),
    };

    await expect(journal.record({ kind: "intent", indexes: [1] }, 0)).rejects.toMatchObject(wanted);
    const before = [...calls];
    await expect(journal.record({ kind: "withdrawn", indexes: [1] }, 0)).rejects.toMatchObject(wanted);
    await expect(journal.close()).rejects.toMatchObject(wanted);
    expect(calls).toEqual([...before, "(close)"]);
  });

  it("fails what gathered while the flush failed, too", async () => {
    const { calls, journal } = recorded({ failing: "flush" });
    const first = journal.record({ kind: "intent", indexes: [1] }, 0);
    const second = new Promise<void>((resolve, reject) => {
      setTimeout(() => journal.record({ kind: "withdrawn", indexes: [1] }, 0).then(resolve, reject), 5);
    });
    const results = await Promise.allSettled([first, second]);

    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(calls).toEqual(['["time",0]\n["intent",1]\n', "(flush)"]);
  });
});

it("a writer takes back no intent that was not written, if the day of its credits is damaged by then", async () => {
  const all: string[] = [];
  const writer = runWriter({
    what: "record run a",
    write: async (lines, _isLasting, day) => {
      if (day === undefined) all.push(...lines);
      return { isBooked: day === undefined };
    },
    book: async (_booking, write: (day?: string) => Promise<unknown>) => {
      await write("as another process has left it");
      throw usageError("SPENDING_DAMAGED", "the day is damaged", "");
    },
  });
  const booking = { account: "a", next: () => emptyDay, granted: () => 1, fail: () => {} };

  await writer.record({ kind: "intent", indexes: [1] }, 0, booking);

  expect(all).toEqual(['["time",0]\n']);
});

describe("an entry of a journal", () => {
  it.each([...history, { kind: "time", at: 1_763_776_800_123 }] as const)(
    "is read back as it was written: $kind",
    (entry) => {
      expect(decodeEntry(encodeEntry(entry).trimEnd())).toEqual(entry);
    },
  );

  it.each([
    "",
    "null",
    "[]",
    '["intent"]',
    '["intent",-1]',
    '["intent","1"]',
    '["time"]',
    '["accepted",1]',
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
