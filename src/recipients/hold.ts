import type { LeftOutCause } from "../record/left-out.ts";

export interface Hold {
  /** `stop` sends nothing from now on, and the rest can be resumed; `fault` is a usage error before any message. */
  readonly effect: "leave-out" | "fault" | "stop";
  /** Only a hold that leaves out has this. */
  readonly leftOutCause?: LeftOutCause;
  /** The rule and its origin, in words to follow `line 3: `. */
  readonly sentence: string;
  readonly errorCode: string;
  readonly hint: string;
  /** The end in milliseconds since 1970 and in words; absent if nobody can say. */
  readonly until?: { readonly at: number; readonly text: string };
}

/** The room of the guards has the rest of a guard. */
export interface RowGuard {
  readonly hold?: (number: number) => Hold | undefined;
}

export interface RowGuards {
  readonly guardsOfLists: readonly RowGuard[];
  /** The first call reads the opt-outs. A database may have them, so faults of numbers and texts are said before. */
  readonly guardsOfRecord: () => Promise<readonly RowGuard[]>;
}

export function holdOf(guards: readonly RowGuard[], number: number): Hold | undefined {
  return guards.reduce<Hold | undefined>((hold, guard) => hold ?? guard.hold?.(number), undefined);
}
