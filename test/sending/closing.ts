import type { Guard } from "../../src/guards/guard.ts";

/** From this instant on the guard holds everything back. */
export function closing(at: number): Guard {
  const reason = { brief: "late", reason: "it is late", errorCode: "OUTSIDE_HOURS", hint: "" };
  const hold = { guard: "hours", effect: "stop", ...reason } as const;
  return { rule: "", holdAll: (now) => (now >= at ? hold : undefined) };
}
