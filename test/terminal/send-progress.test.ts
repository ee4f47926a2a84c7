import type { WireEvent } from "../../src/service/exchange.ts";
import { describe, expect, it } from "vitest";
import type { Presenter } from "../../src/terminal/context.ts";
import { showSend } from "../../src/sending/views/send-progress.ts";

const failure = { kind: "rate-limited", error: "Slow down", errorCode: "RATE_LIMITED" } as const;
const post = { origin: "http://127.0.0.1", path: "/", headers: {}, body: "{}" };
const request: WireEvent = { kind: "request", request: post };
const exchange: WireEvent = { kind: "exchange", exchange: { kind: "unreached", why: { kind: "stopped" } } };

function sending(showsWaits = true) {
  const time = { now: 0 };
  const notes: string[] = [];
  const stop = new AbortController();
  let wake: () => void = () => {};
  const presenter = { showsWaits, note: (text: string) => void notes.push(text) } as Partial<Presenter> as Presenter;
  const { event, status, close } = showSend({ to: "+254712345678", timeout: 30_000 }, presenter, {
    now: () => time.now,
    sleep: () => new Promise((resolve) => (wake = resolve)),
    interruption: () => ({ stop: stop.signal, leave: new AbortController().signal }),
  });
  event(request);
  const interrupt = () => stop.abort("SIGINT");
  const wakeUp = () => new Promise((resolve) => (wake(), setImmediate(resolve)));
  return { time, notes, event, status, close, interrupt, wakeUp };
}

describe("a send", () => {
  it("names the recipient, and from 5 s on counts the time-out down", () => {
    const { time, status } = sending();
    expect(status()).toBe("Sending to +254712345678");
    time.now = 4_900;
    expect(status()).toBe("Sending to +254712345678");
    time.now = 5_100;
    expect(status()).toBe("Sending to +254712345678: no answer yet, giving up in 25 s");
    time.now = 31_000;
    expect(status()).toMatch(/giving up in 0 s$/);
  });

  it("says that nothing was sent and counts down to the next try", () => {
    const { time, notes, event, status } = sending();
    event(exchange);
    event({ kind: "waiting", ms: 12_000, failure });
    expect(notes).toEqual(["Not sent yet: Slow down; trying again in 12.0 s"]);
    time.now = 4_000;
    expect(status()).toBe("Trying again in 8 s");
    time.now = 12_000;
    event(request);
    expect(status()).toMatch(/^Sending to/);
  });
});

describe("the first signal during a send", () => {
  it("is answered while the service's answer is awaited, and the way to leave is named", async () => {
    for (const [isTerminal, way] of [
      [true, "Press Ctrl-C again to leave."],
      [false, "A second signal leaves at once."],
    ] as const) {
      const { interrupt, wakeUp, notes } = sending(isTerminal);
      interrupt();
      await wakeUp();
      expect(notes).toEqual([`Waiting for the answer: the request has begun. ${way}`]);
    }
  });

  it("is no longer listened for once the send is over", async () => {
    const { close, interrupt, wakeUp, notes } = sending();
    close();
    interrupt();
    await wakeUp();
    expect(notes).toEqual([]);
  });

  it("needs no answer if the request had not begun", async () => {
    const { notes, event, interrupt, wakeUp } = sending();
    interrupt();
    event(exchange);
    await wakeUp();
    expect(notes).toEqual([]);
  });
});
