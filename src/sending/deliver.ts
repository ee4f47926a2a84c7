import type { Outcome } from "../message/outcome.ts";
import type { Host, Interruption } from "../host.ts";
import { judge } from "../service/answer.ts";
import type { openDispatcher } from "../service/connection.ts";
import { type DeliveryEvent, exchange } from "../service/exchange.ts";
import type { WireRequest } from "../service/request.ts";
import { waitBeforeRetry } from "./retry.ts";

export interface DeliveryLimits {
  /** Milliseconds from the first try to the last byte, retries and the waits between them included. */
  readonly timeout: number;
  readonly retries: number;
  /** Throws if the message may not go now. Asked just before each request. */
  readonly check: () => Promise<void>;
}

interface DeliveryParts extends Pick<Host, "now" | "sleep" | "random"> {
  readonly dispatcher: Awaited<ReturnType<typeof openDispatcher>>;
  readonly interruption: Interruption;
  readonly redact: (text: string) => string;
}

/**
 * Delivers one message, and tries again only while it is provably unsent. Network errors become outcomes. Throws what `check`
 * throws: nothing was sent by then.
 */
export async function* deliver(
  request: WireRequest,
  to: string,
  limits: DeliveryLimits,
  parts: DeliveryParts,
): AsyncGenerator<DeliveryEvent, Outcome> {
  const end = parts.now() + limits.timeout;
  const { stop, leave } = parts.interruption;
  const finished = new AbortController();
  const deadline = new AbortController();
  void parts.sleep(limits.timeout, finished.signal).then(() => deadline.abort());
  try {
    await limits.check();
    for (let attempt = 1; ; attempt++) {
      yield { kind: "request", request };
      const result = await exchange(parts.dispatcher, request, { deadline: deadline.signal, stop, leave });
      yield { kind: "exchange", exchange: result };
      const outcome = judge(result, to, parts.now(), parts.redact);
      if (stop.aborted) return outcome;
      const time = { kind: "total", left: end - parts.now() } as const;
      const ms = waitBeforeRetry(outcome, attempt, limits.retries, time, parts.random());
      if (ms === undefined) return outcome;
      yield { kind: "waiting", ms, outcome };
      await parts.sleep(ms, AbortSignal.any([stop, deadline.signal]));
      if (stop.aborted || deadline.signal.aborted) return outcome;
      await limits.check();
    }
  } finally {
    finished.abort();
  }
}
