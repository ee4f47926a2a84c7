import type { Guard } from "../../src/guards/guard.ts";

/** Returns a guard that holds everything back from an instant on, in milliseconds since 1970. */
export function closing(at: number): Guard {
  const hold = { guard: "hours", effect: "stop", reason: "it is late", errorCode: "OUTSIDE_HOURS", hint: "" } as const;
  return { rule: "", holdAll: (now) => (now >= at ? hold : undefined) };
}
