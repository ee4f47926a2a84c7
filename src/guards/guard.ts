import type { Hold, RowGuard } from "../recipients/hold.ts";

/** One rule about who is sent to, or when. It says yes, or what it holds back and why. */
export interface Guard extends RowGuard {
  /** What it does and where it came from (flag, variable, profile), for the plan; absent if that is nothing now. */
  readonly rule?: string;
  /** Returns why nothing at all is sent now, in milliseconds since 1970. */
  readonly holdAll?: (now: number) => Hold | undefined;
  /** Whether what it reads is as it was, as far as that can be told without waiting; absent if it reads nothing that changes. */
  readonly isCurrent?: () => boolean;
  /** Returns the guard as it is now. Throws if what it reads cannot be read any more. */
  readonly renew?: () => Promise<Guard>;
}

export function rulesOf(guards: readonly Guard[]): readonly string[] {
  return guards.flatMap(({ rule }) => rule ?? []);
}

/** Returns why nothing at all is sent now, by the first guard that holds everything back. */
export function holdOfAll(guards: readonly Guard[], now: number): Hold | undefined {
  for (const { holdAll } of guards) {
    const held = holdAll?.(now);
    if (held !== undefined) return held;
  }
  return undefined;
}
