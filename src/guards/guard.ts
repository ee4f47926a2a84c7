/** The rules that can hold something back, by their names in `leftOut`. */
export type GuardName = "onlyTo" | "optedOut" | "excluded" | "hours" | "dailyCredits";

export interface Hold {
  readonly guard: GuardName;
  /**
   * `leave-out`: this recipient alone is not sent to. `refuse`: a usage error before anything is sent. `stop`: nothing is sent
   * from now on, and the rest can be resumed.
   */
  readonly effect: "leave-out" | "refuse" | "stop";
  /** Names the rule and where it came from, in words to follow `line 3: `. */
  readonly reason: string;
  readonly errorCode: string;
  readonly hint: string;
}

/** One rule about who is sent to, or when. It says yes, or what it holds back and why. */
export interface Guard {
  /** What it does and where it came from (flag, variable, profile), for the plan; absent if that is nothing now. */
  readonly rule?: string;
  /** Returns why nothing is sent to a number, given as `numberKey`. */
  readonly hold?: (number: number) => Hold | undefined;
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

/** Returns why nothing is sent to a number, by the first guard that holds it back. */
export function holdOf(guards: readonly Guard[], number: number): Hold | undefined {
  for (const { hold } of guards) {
    const held = hold?.(number);
    if (held !== undefined) return held;
  }
  return undefined;
}

/** Returns why nothing at all is sent now, by the first guard that holds everything back. */
export function holdOfAll(guards: readonly Guard[], now: number): Hold | undefined {
  for (const { holdAll } of guards) {
    const held = holdAll?.(now);
    if (held !== undefined) return held;
  }
  return undefined;
}
