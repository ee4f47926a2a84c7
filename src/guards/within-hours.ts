import { usageError } from "../errors.ts";
import type { Guard } from "./guard.ts";
import { type Hours, hoursText, isOpen, localText, nextClosing, nextOpening } from "./hours.ts";

/** Holds everything back outside these hours. Throws a usage error `NO_COMMON_HOURS` if they have none in common. */
export function withinHours(all: readonly [Hours, ...Hours[]], now: number): Guard {
  const rule = all.map(ruleOf).join(" and ");
  if (nextOpening(all, now) === undefined) {
    throw usageError("NO_COMMON_HOURS", `no time is within ${rule}`, "give other hours with --between");
  }
  // Asked for each message, and the answer changes twice a day.
  let [openedAt, closesAt] = [Infinity, -Infinity];
  return {
    rule,
    holdAll: (at) => {
      if (at >= openedAt && at < closesAt) return undefined;
      if (isOpen(all, at)) {
        [openedAt, closesAt] = [at, nextClosing(all, at)];
        return undefined;
      }
      return {
        guard: "hours",
        effect: "stop",
        reason: `it is ${localText(all[0].zone, at)} in ${all[0].zone.name}, and the hours are ${rule}`,
        errorCode: "OUTSIDE_HOURS",
        hint: openingText(all, at),
      };
    },
  };
}

function ruleOf(hours: Hours): string {
  return `${hoursText(hours)} (${hours.source})`;
}

function openingText(all: readonly [Hours, ...Hours[]], at: number): string {
  const opening = nextOpening(all, at);
  const [{ zone }] = all;
  return opening === undefined ? "they do not open again" : `they open at ${localText(zone, opening)} in ${zone.name}`;
}
