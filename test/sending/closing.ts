import type { Guard } from "../../src/guards/guard.ts";

/** Returns a guard that holds everything back from an instant on, in milliseconds since 1970. */
export function closing(at: number): Guard {
  const reason = { brief: "late", reason: "it is late", errorCode: "OUTSIDE_HOURS", hint: "" };
  const hold = { guard: "hours", effect: "stop", ...reason } as const;
  return { rule: "", holdAll: (now) => (now >= at ? hold : undefined) };
}
