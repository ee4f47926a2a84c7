import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Journal, type JournalFile, openJournalFile } from "../../src/record/folder/journal.ts";
import { journalOf } from "./journals.ts";

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

  it.each(["write", "flush"])("writes nothing more after a failed %s, and names the file", async (failing) => {
    const { calls, journal } = recorded({ failing });
    const wanted = {
      kind: "incomplete",
      errorCode: "RUN_NOT_RECORDED",
      message: expect.stringContaining("/runs/a/journal.ndjson"),
    };
    await expect(journal.writeLasting("a\n")).rejects.toMatchObject(wanted);
    const before = [...calls];
    await expect(journal.write("b\n")).rejects.toMatchObject(wanted);
    await expect(journal.close()).rejects.toMatchObject(wanted);
    expect(calls).toEqual([...before, "(close)"]);
  });

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

  it("cuts off what follows the whole lines when it is opened", async () => {
    const path = journalOf("whole\ntorn");
    const journal = new Journal(openJournalFile(path, 6), path);
    await journal.write("next\n");
    await journal.close();
    expect(readFileSync(path, "utf8")).toBe("whole\nnext\n");
  });
});
