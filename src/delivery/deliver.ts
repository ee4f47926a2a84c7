import type { Outcome } from "../core/outcome.ts";
import type { Host, Interruption } from "../host.ts";
import { judge } from "../service/answer.ts";
import type { Exchange } from "../service/exchange.ts";
import type { WireRequest } from "../service/request.ts";
import { exchange, type openDispatcher } from "../service/transport.ts";
import { retryWait } from "./retry.ts";

/** What happens on the way of one message, in order, for whoever shows it. */
export type DeliveryEvent =
  | { readonly kind: "request"; readonly request: WireRequest }
  | { readonly kind: "exchange"; readonly exchange: Exchange }
  /** Nothing was sent; another try follows after `ms`. */
  | { readonly kind: "waiting"; readonly ms: number; readonly outcome: Outcome };

/** How far one delivery may go. */
export interface DeliveryLimits {
  /** Milliseconds from the first try to the last byte, retries and the waits between them included. */
  readonly timeout: number;
  /** Tries after the first, for what was provably not sent. */
  readonly retries: number;
}

/** What a delivery needs of the world. */
export interface DeliveryParts extends Pick<Host, "now" | "sleep" | "random"> {
  readonly dispatcher: Awaited<ReturnType<typeof openDispatcher>>;
  readonly interruption: Interruption;
}

/**
 * Delivers one message: attempts it, and again only while it is provably unsent and its limits allow. Yields what
 * happens, returns what became of it; does not throw for anything the network does.
 */
export async function* deliver(
  request: WireRequest,
  to: string,
  limits: DeliveryLimits,
  parts: DeliveryParts,
): AsyncGenerator<DeliveryEvent, Outcome> {
  const end = parts.now() + limits.timeout;
  const { stop, leave } = parts.interruption;
  const delivered = new AbortController();
  const deadline = new AbortController();
  void parts.sleep(limits.timeout, delivered.signal).then(() => deadline.abort());
  try {
    for (let attempt = 1; ; attempt++) {
      yield { kind: "request", request };
      const result = await exchange(parts.dispatcher, request, { deadline: deadline.signal, stop, leave });
      yield { kind: "exchange", exchange: result };
      const outcome = judge(result, to, parts.now());
      if (outcome.kind !== "unsent" || attempt > limits.retries || stop.aborted) return outcome;
      const ms = retryWait(outcome.retry, attempt + 1, end - parts.now(), parts.random());
      if (ms === undefined) return outcome;
      yield { kind: "waiting", ms, outcome };
      await parts.sleep(ms, AbortSignal.any([stop, deadline.signal]));
      if (stop.aborted || deadline.signal.aborted) return outcome;
    }
  } finally {
    delivered.abort();
  }
}
