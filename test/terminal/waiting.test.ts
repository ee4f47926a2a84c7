import { describe, expect, it } from "vitest";
import { type Wait, waitingLines } from "../../src/terminal/waiting.ts";
import { newClock } from "../support/clock.ts";
import { screenOf } from "../support/screen.ts";

/** A terminal on which time passes only by `pass`. */
function terminal(columns = 80) {
  let written = "";
  let leave = () => {};
  const { now, sleep, pass } = newClock();
  const size = { columns };
  const stderr = {
    isTerminal: () => true,
    hasColor: () => false,
    columns: () => size.columns,
    write: (text: string) => void (written += text),
    flush: () => Promise.resolve(),
    failure: () => undefined,
  };
  const departure = new Promise<void>((resolve) => (leave = resolve));
  const host = { now, sleep, departure, beforeSignal: () => () => {}, stderr };
  const waiting = waitingLines(host, false, (text) => text);
  return {
    size,
    leave: () => leave(),
    waiting,
    /** Shows a wait for work that lasts until the function that this returns is called. */
    begin: (wait: Wait) => {
      const { work, end } = lasting();
      const during = waiting.during(wait, work);
      return async () => {
        end();
        await during;
      };
    },
    print: (text: string) => (written += text),
    written: () => written,
    screen: () => screenOf(written, size.columns),
    pass,
  };
}

function lasting() {
  let end: () => void = () => {};
  const work = new Promise<void>((resolve) => (end = resolve));
  return { work: () => work, end: () => end() };
}

describe("a wait", () => {
  it("shows nothing of what is done within 300 ms", async () => {
    const { begin, pass, written } = terminal();

    const end = begin("Sending");
    await pass(250);
    await end();
    await pass(1_000);

    expect(written()).toBe("");
  });

  it("turns a spinner before its sentence, leaves the cursor where it begins, and is gone at its end", async () => {
    const { begin, pass, written, screen } = terminal();
    let count = 0;
    await import("ora");

    const end = begin(() => `Reading: ${++count} rows`);
    await pass(600);
    expect(screen()).toEqual([expect.stringMatching(/^ \S Reading: \d+ rows$/)]);
    const [first] = screen();
    await pass(200);
    expect(screen()).not.toEqual([first]);
    expect(written().endsWith("\r\u001b[?7h")).toBe(true);

    await end();
    expect(screen()).toEqual([]);
    expect(written()).not.toContain("\u001b[?25");
  });

  it("is gone before other output, and comes back below it", async () => {
    const { waiting, begin, pass, print, screen } = terminal();
    const end = begin({ lines: () => ["bar", "countdown"] });
    await pass(400);
    expect(screen()).toEqual([" bar", " countdown"]);

    waiting.clear();
    print("Warning: late\r\n");
    expect(screen()).toEqual(["Warning: late"]);

    await pass(400);
    expect(screen()).toEqual(["Warning: late", " bar", " countdown"]);
    await end();
    expect(screen()).toEqual(["Warning: late"]);
  });

  it("gives way to a question, and to a wait inside it", async () => {
    const { waiting, pass, screen } = terminal();
    const [question, inner] = [lasting(), lasting()];
    const outer = waiting.during({ lines: () => ["planning"] }, async () => {
      await waiting.during(undefined, question.work);
      await waiting.during({ lines: () => ["locking"] }, inner.work);
    });
    await pass(500);
    expect(screen()).toEqual([]);

    question.end();
    await pass(500);
    expect(screen()).toEqual([" locking"]);

    inner.end();
    await outer;
    expect(screen()).toEqual([]);
  });

  it("passes on what its work throws", async () => {
    const { waiting, pass, written } = terminal();
    await expect(waiting.during("Sending", () => Promise.reject(new Error("late")))).rejects.toThrow("late");
    await pass(500);
    expect(written()).toBe("");
  });

  it("is shortened on a narrow terminal, and follows its size", async () => {
    const { begin, pass, size, screen } = terminal(30);
    const end = begin({ lines: (columns) => ["x".repeat(columns), "a sentence that is too long for it 👍"] });
    await pass(400);
    expect(screen()).toEqual([` ${"x".repeat(28)}`, " a sentence that is too long…"]);

    size.columns = 20;
    await pass(200);
    expect(screen()).toEqual([` ${"x".repeat(18)}`, " a sentence that i…"]);
    await end();
  });

  it("is gone once a second signal leaves", async () => {
    const { begin, pass, leave, screen } = terminal();
    const end = begin({ lines: () => ["Sending"] });
    await pass(400);
    expect(screen()).toEqual([" Sending"]);

    leave();
    await pass(400);
    expect(screen()).toEqual([]);
    await end();
  });
});
