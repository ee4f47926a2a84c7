import type { WireEvent } from "../../service/exchange.ts";
import type { Host } from "../../host.ts";
import type { SendEvent } from "../engine.ts";
import type { Presenter } from "../../terminal/context.ts";

const longMs = 5_000;

/** A second signal that comes sooner is the first one again, so nothing is shown for so long. */
const stillAwaitedMs = 150;

/** The send ends after `timeout` milliseconds at the latest. */
export function showSend(
  { to, timeout }: { readonly to: string; readonly timeout: number },
  presenter: Presenter,
  { now, sleep, interruption }: Pick<Host, "now" | "sleep" | "interruption">,
) {
  const log = presenter.wireLog?.();
  let began = now();
  const { stop } = interruption();
  let isAwaited = false;
  let retryAt: number | undefined;
  let holdEnd: string | undefined;
  const sayAwaited = async () => {
    await sleep(stillAwaitedMs);
    const way = presenter.showsWaits ? "Press Ctrl-C again to leave." : "A second signal leaves at once.";
    if (isAwaited) presenter.note(`Waiting for the answer: the request has begun. ${way}`);
  };
  const onStop = () => void sayAwaited();
  stop.addEventListener("abort", onStop);
  const secondsTo = (time: number) => Math.max(0, Math.ceil((time - now()) / 1000));
  return {
    event: (event: WireEvent | Extract<SendEvent, { kind: "on-hold" }>) => {
      if (event.kind === "on-hold") {
        holdEnd = event.until.text;
        return presenter.note(onHoldText(event));
      }
      log?.(event);
      if (holdEnd !== undefined) began = now();
      holdEnd = undefined;
      isAwaited = event.kind === "request";
      retryAt = undefined;
      if (event.kind !== "waiting") return;
      retryAt = now() + event.ms;
      const seconds = (event.ms / 1000).toFixed(1);
      presenter.note(`Not sent yet: ${event.failure.error}; trying again in ${seconds} s`);
    },
    status: () => {
      if (holdEnd !== undefined) return `Waiting until ${holdEnd}`;
      if (retryAt !== undefined) return `Trying again in ${secondsTo(retryAt)} s`;
      if (now() - began < longMs) return `Sending to ${to}`;
      return `Sending to ${to}: no answer yet, giving up in ${secondsTo(began + timeout)} s`;
    },
    /** A watch sends for months under one signal, which would keep every text. */
    close: () => stop.removeEventListener("abort", onStop),
  };
}

export function onHoldText({ hold, until }: Extract<SendEvent, { kind: "on-hold" }>): string {
  return `Waiting until ${until.text}: ${hold.sentence}.`;
}
