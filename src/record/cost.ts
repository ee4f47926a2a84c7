import { isNumber, isText, isTextOrNull, oneOf, shape } from "../json.ts";
import type { Amounts, Cost, HistoryEntry } from "./history.ts";

export function noAmounts(): Amounts {
  return { messages: 0, segments: 0, credits: 0, kes: 0, uncertain: { messages: 0, credits: 0 } };
}

export function costsOf(entries: readonly HistoryEntry[]): readonly Cost[] {
  const costs = new Map<string, Cost>();
  for (const { at, key, profile, run, mode, sender, outcome, segments, totalCredits, totalCostKes } of entries) {
    if (outcome !== "accepted" && outcome !== "uncertain") continue;
    const day = at.slice(0, 10);
    const id = JSON.stringify([day, key, profile, run, mode, sender]);
    const cost = costs.get(id) ?? { day, key, profile, run, mode, sender, ...noAmounts() };
    costs.set(id, cost);
    if (outcome === "uncertain") {
      cost.uncertain.messages++;
      cost.uncertain.credits += segments;
    } else {
      cost.messages++;
      cost.segments += segments;
      cost.credits += totalCredits ?? segments;
      cost.kes += totalCostKes ?? 0;
    }
  }
  return [...costs.values()];
}

/** If `since` is within one of their days, the costs cannot tell, and this is undefined. */
export function costsSince(costs: readonly Cost[], since: number): readonly Cost[] | undefined {
  const start = new Date(since).toISOString();
  const isCut = ({ day }: Cost) => start.startsWith(day) && !start.endsWith("T00:00:00.000Z");
  return costs.some(isCut) ? undefined : costs.filter(({ day }) => day >= start.slice(0, 10));
}

export function entriesSince(entries: readonly HistoryEntry[], since: number): readonly HistoryEntry[] {
  return entries.filter(({ at }) => Date.parse(at) >= since);
}

export function addTo(sum: Amounts, { messages, segments, credits, kes, uncertain }: Amounts): void {
  sum.messages += messages;
  sum.segments += segments;
  sum.credits += credits;
  sum.kes += kes;
  sum.uncertain.messages += uncertain.messages;
  sum.uncertain.credits += uncertain.credits;
}

export function isCosts(value: unknown): value is readonly Cost[] {
  return Array.isArray(value) && value.every(isCost);
}

const isCost = shape<Cost>({
  day: isText,
  key: isTextOrNull,
  profile: isTextOrNull,
  run: isTextOrNull,
  mode: oneOf("test", "live", "account", "sandbox"),
  sender: isTextOrNull,
  messages: isNumber,
  segments: isNumber,
  credits: isNumber,
  kes: isNumber,
  uncertain: shape<Amounts["uncertain"]>({ messages: isNumber, credits: isNumber }),
});
