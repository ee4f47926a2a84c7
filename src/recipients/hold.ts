export interface Hold {
  readonly guard: string;
  /**
   * `leave-out`: this recipient alone is not sent to. `refuse`: a usage error before anything is sent. `stop`: nothing is sent
   * from now on, and the rest can be resumed.
   */
  readonly effect: "leave-out" | "refuse" | "stop";
  /** Names the rule and where it came from, in words to follow `line 3: `. */
  readonly reason: string;
  readonly errorCode: string;
  readonly hint: string;
  /** Set if the row counts as not in the list: with another hold of this kind it would be another run. */
  readonly isUnlisted?: true;
  /** When it ends by itself, in milliseconds since 1970 and in words; absent if nobody can say. */
  readonly until?: { readonly at: number; readonly text: string };
}

/** What may hold a row back by its number. The room of the guards has the rest of what a guard can. */
export interface RowGuard {
  readonly hold?: (number: number) => Hold | undefined;
}

export function holdOf(guards: readonly RowGuard[], number: number): Hold | undefined {
  for (const { hold } of guards) {
    const held = hold?.(number);
    if (held !== undefined) return held;
  }
  return undefined;
}
