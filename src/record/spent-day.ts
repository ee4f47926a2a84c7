import { isObject, parseJson } from "../message/json.ts";
import { rounded } from "../message/outcome.ts";
import type { Reservation, Settlement, SpentDay } from "./account.ts";

interface Held {
  readonly segments: number;
  readonly credits: number;
}

/**
 * The spending of a day, from the lines of its file in their order. Whoever reads the same lines comes to the same result, so
 * the order in the file decides who gets the last credits.
 */
export class DayLines {
  hasBegun = false;
  /** Whether the day goes on in the next file: lines after that do not count. */
  isClosed = false;
  /** Whether the first line, which says what the file begins with, is lost. */
  isDamaged = false;
  #spent = 0;
  /** Credits of messages that may have been sent. */
  #kept = 0;
  #rate = 1;
  #held = 0;
  readonly #open = new Map<string, Map<number, Held>>();

  spentOn(date: string): SpentDay {
    const reserved = rounded(this.#kept + this.#held);
    return { date, spent: rounded(this.#spent), reserved, creditsPerSegment: this.#rate };
  }

  openOf(holder: string): readonly number[] {
    return [...(this.#open.get(holder)?.keys() ?? [])];
  }

  /** Applies a line; one that a kill cut short is passed over. Returns the token of its writer and how much was granted. */
  apply(text: string): { readonly token: string; readonly granted: number } | undefined {
    const line = parseJson(text);
    if (!Array.isArray(line) || this.isClosed) return undefined;
    const [kind, token, ...rest] = line as readonly unknown[];
    if (kind === "begin") this.#begin(token);
    else if (kind === "end") this.isClosed = true;
    else if (!this.hasBegun) this.isDamaged = true;
    else if (kind === "reserve") return { token: String(token), granted: this.#reserve(rest) };
    else if (kind === "settle") return { token: String(token), granted: this.#settle(rest) };
    return undefined;
  }

  /** Returns the line with which the next file of the same day begins. */
  snapshot(): string {
    const open = [...this.#open].map(([holder, held]) => [
      holder,
      [...held].map(([index, { segments, credits }]) => [index, segments, credits]),
    ]);
    return JSON.stringify(["begin", { spent: this.#spent, kept: this.#kept, rate: this.#rate, open }]);
  }

  #begin(value: unknown): void {
    // Two processes may begin a file at once, with the same.
    if (this.hasBegun || !isObject(value)) return;
    this.hasBegun = true;
    this.#spent = numberOf(value["spent"]);
    this.#kept = numberOf(value["kept"]);
    this.#rate = Math.max(1, numberOf(value["rate"]));
    for (const [holder, messages] of pairsOf(value["open"])) {
      for (const [index, segments, credits] of pairsOf(messages)) {
        this.#hold(String(holder), numberOf(index), numberOf(segments), numberOf(credits));
      }
    }
  }

  #reserve([holder, limit, messages, rate]: readonly unknown[]): number {
    let granted = 0;
    this.#rate = Math.max(this.#rate, numberOf(rate));
    for (const [index, segments] of pairsOf(messages)) {
      const credits = rounded(numberOf(segments) * this.#rate);
      if (rounded(this.#spent + this.#kept + this.#held + credits) > numberOf(limit)) break;
      this.#hold(String(holder), numberOf(index), numberOf(segments), credits);
      granted++;
    }
    return granted;
  }

  #settle([holder, charged, kept, givenBack]: readonly unknown[]): number {
    const own = String(holder);
    for (const [index, given] of pairsOf(charged)) {
      const held = this.#release(own, numberOf(index));
      if (held === undefined) continue;
      const credits = given === null ? held.credits : numberOf(given);
      this.#spent = rounded(this.#spent + credits);
      if (held.segments > 0) this.#rate = Math.max(this.#rate, credits / held.segments);
    }
    for (const index of listOf(kept)) {
      this.#kept = rounded(this.#kept + (this.#release(own, numberOf(index))?.credits ?? 0));
    }
    for (const index of listOf(givenBack)) this.#release(own, numberOf(index));
    return 0;
  }

  #hold(holder: string, index: number, segments: number, credits: number): void {
    // What the same holder has reserved for this message may have been sent.
    this.#kept = rounded(this.#kept + (this.#release(holder, index)?.credits ?? 0));
    const own = this.#open.get(holder) ?? new Map<number, Held>();
    own.set(index, { segments, credits });
    this.#open.set(holder, own);
    this.#held = rounded(this.#held + credits);
  }

  #release(holder: string, index: number): Held | undefined {
    const own = this.#open.get(holder);
    const held = own?.get(index);
    if (own === undefined || held === undefined) return undefined;
    own.delete(index);
    if (own.size === 0) this.#open.delete(holder);
    this.#held = rounded(this.#held - held.credits);
    return held;
  }
}

export function beginLine(rate: number): string {
  return JSON.stringify(["begin", { spent: 0, kept: 0, rate, open: [] }]);
}

export function reserveLine(token: string, { holder, limit, messages, creditsPerSegment }: Reservation): string {
  const list = messages.map(({ index, segments }) => [index, segments]);
  return JSON.stringify([
    "reserve",
    token,
    holder,
    limit,
    list,
    ...(creditsPerSegment === undefined ? [] : [creditsPerSegment]),
  ]);
}

export function settleLine(token: string, holder: string, settlements: readonly Settlement[]): string {
  const charged = settlements.flatMap((one) => (one.kind === "charged" ? [[one.index, one.credits ?? null]] : []));
  const of = (kind: Settlement["kind"]) => settlements.flatMap((one) => (one.kind === kind ? [one.index] : []));
  return JSON.stringify(["settle", token, holder, charged, of("kept"), of("given-back")]);
}

export const endLine = JSON.stringify(["end"]);

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function pairsOf(value: unknown): readonly (readonly unknown[])[] {
  return listOf(value).map(listOf);
}
