import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Attempt, Backlog } from "../../src/sending/backlog.ts";
import type { PlannedMessage } from "../../src/record/plan.ts";
import { drafts } from "./running.ts";

const planned = drafts(10).map((draft, index): PlannedMessage => ({ ...draft, index }));

/** A backlog over these messages, which counts how many were read and the reads that ended, and how. */
function open(messages: readonly PlannedMessage[], most: number, fault?: Error) {
  const seen = { read: 0, ends: [] as unknown[], isClosed: false };
  async function* source() {
    try {
      for (const message of messages) {
        seen.read++;
        yield message;
      }
      if (fault !== undefined) throw fault;
    } finally {
      seen.isClosed = true;
    }
  }
  return { backlog: new Backlog(source(), most, (error) => void seen.ends.push(error)), seen };
}

/** The index of the message that is next, once what can be read has been. */
async function next(backlog: Backlog): Promise<number | undefined> {
  backlog.peek();
  await setImmediate();
  return backlog.peek()?.message.index;
}

function retryOf(message: PlannedMessage | undefined): Attempt {
  if (message === undefined) throw new Error("there is no message");
  return { message, number: 2, answersAtFirstTry: 0, last: undefined };
}

describe("a backlog", () => {
  it("gives each message once, in order, with the answers so far, and is empty then", async () => {
    const { backlog } = open(planned.slice(0, 3), 2);
    const attempts: unknown[] = [];
    for (let answers = 5; (await next(backlog)) !== undefined; answers++) {
      expect(backlog.isEmpty).toBe(false);
      attempts.push(backlog.take(answers));
    }
    expect(attempts).toEqual(
      [0, 1, 2].map((index) => ({ message: planned[index], number: 1, answersAtFirstTry: 5 + index, last: undefined })),
    );
    expect({ isEmpty: backlog.isEmpty, more: backlog.take(0) }).toEqual({ isEmpty: true, more: undefined });
    backlog.retry(retryOf(planned[0]));
    expect(backlog.isEmpty).toBe(false);
  });

  it("gives what was put back first, then retries in their order, then messages; a drop of retries keeps messages", async () => {
    const { backlog } = open(planned, 4);
    await next(backlog);
    const attempts = [backlog.take(0), backlog.take(0)].flatMap((attempt) => attempt ?? []);
    for (const index of [7, 8, 9]) backlog.retry(retryOf(planned[index]));
    backlog.putBack(attempts);
    expect(backlog.peek()?.message.index).toBe(0);
    expect(Array.from({ length: 4 }, () => backlog.take(0)?.message.index)).toEqual([0, 1, 7, 8]);
    expect(backlog.dropReturned().map(({ message }) => message.index)).toEqual([9]);
    expect(backlog.take(0)?.message.index).toBe(2);
  });

  it("reports a fault of its source once, after what was read before it", async () => {
    const fault = new Error("line 3 is broken");
    const { backlog, seen } = open(planned.slice(0, 2), 4, fault);
    expect(await next(backlog)).toBe(0);
    await next(backlog);
    expect(seen.ends).toEqual([fault]);
    expect([backlog.take(0), backlog.take(0)].map((attempt) => attempt?.message.index)).toEqual([0, 1]);
    expect(backlog.isEmpty).toBe(true);
  });

  it("closes its source, and reads nothing more", async () => {
    const { backlog, seen } = open(planned, 2);
    await next(backlog);
    await backlog.close();
    backlog.take(0);
    backlog.take(0);
    await next(backlog);
    expect(seen).toMatchObject({ read: 2, isClosed: true });
    expect(backlog.isEmpty).toBe(true);
  });
});
