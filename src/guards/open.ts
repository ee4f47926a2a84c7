// guards: what holds a message back. Everything that sends opens the guards of rows first, then all guards.

import type { Hold, RowGuards } from "../recipients/hold.ts";
import { numberKey } from "../message/number-set.ts";
import { variable } from "../profiles/environment.ts";
import { SmsError, usageError } from "../errors.ts";
import type { GuardInput, GuardInputAt, Guard, GuardName, Planned, Barrier, RowGuardName } from "./guard.ts";
import { withoutOptOuts } from "./opt-outs.ts";
import type { Host } from "../host.ts";
import { openRecord } from "../profiles/record.ts";

type Makers<Name extends GuardName, Input> = Readonly<Record<Name, (input: Input) => Promise<readonly Guard[]>>>;

const makersOfLists: Makers<Exclude<RowGuardName, "optedOut">, GuardInput> = {
  excluded: async (input) => {
    const { exclude = [] } = input.options;
    const guards: Guard[] = [];
    for (const list of exclude) guards.push(await (await import("./lists.ts")).openExcluded(list, input));
    return guards;
  },
  onlyTo: async (input) => {
    const ofEnvironment = variable(input.context.host.environment, "SMS_ONLY_TO");
    if ((input.options.onlyTo ?? ofEnvironment ?? input.profile.defaults.onlyTo) === undefined) return [];
    return (await import("./lists.ts")).openOnlyTo(input, ofEnvironment);
  },
};

const makersOfRecord: Makers<"optedOut", GuardInput> = {
  optedOut: async ({ profile, context: { host } }) => {
    const optOuts = await (await openRecord(host, profile))?.optOuts();
    return optOuts === undefined ? [] : [withoutOptOuts(await optOuts.numbers())];
  },
};

/** These guards judge no row, since all rows were read before. */
const makersOfSends: Makers<Exclude<GuardName, RowGuardName>, GuardInputAt> = {
  maxCredits: async ({ options: { maxCredits } }) => {
    return maxCredits === undefined ? [] : [(await import("./spending.ts")).within(maxCredits)];
  },
  hours: async (input) => {
    const { options, payingProfile } = input;
    if ((options.between ?? payingProfile?.defaults.hours) === undefined) return [];
    return (await import("./hours.ts")).openHours(input);
  },
  lowBalance: async ({ payingProfile }) => {
    const { lowBalance } = payingProfile?.defaults ?? {};
    return lowBalance === undefined ? [] : [(await import("./spending.ts")).lowBalance(lowBalance)];
  },
  dailyCredits: async (input) => {
    const { payingProfile, context } = input;
    const limit = context.host.environment["SMS_DAILY_CREDITS"] ?? payingProfile?.defaults.dailyCredits;
    if (payingProfile === undefined || limit === undefined) return [];
    return (await import("./spending.ts")).openDailyCredits(input, payingProfile);
  },
};

export const readingLists = "Reading the lists of numbers";

/** The guards that judge rows, which are opened once. */
export interface OpenRowGuards extends RowGuards {
  readonly guardsOfLists: readonly Guard[];
  readonly guardsOfRecord: () => Promise<readonly Guard[]>;
}

/** Each guard narrows what the others allow. Throws a usage error for a list that cannot be read. */
export async function openRowGuards(input: GuardInput): Promise<OpenRowGuards> {
  const guardsOfLists = await openAll(makersOfLists, input);
  let optOuts: Promise<readonly Guard[]> | undefined;
  return { guardsOfLists, guardsOfRecord: () => (optOuts ??= openAll(makersOfRecord, input)) };
}

/** Throws a usage error for an option of a guard that cannot be read, before the credentials are found. */
export async function checkGuardOptions(input: GuardInput): Promise<void> {
  await openAll(makersOfSends, { ...input, live: undefined });
}

/** Opens the guards of sends as well, once it is known who pays. */
export async function openGuards(rowGuards: OpenRowGuards, input: GuardInputAt): Promise<readonly Guard[]> {
  return [...rowGuards.guardsOfLists, ...(await rowGuards.guardsOfRecord()), ...(await openAll(makersOfSends, input))];
}

async function openAll<Input>(
  makers: Readonly<Record<string, (input: Input) => Promise<readonly Guard[]>>>,
  input: Input,
): Promise<readonly Guard[]> {
  const guards: Guard[] = [];
  for (const make of Object.values(makers)) guards.push(...(await make(input)));
  return guards;
}

interface Sendable extends Planned {
  /** Only a single message has this, since the rows of a run were judged before. */
  readonly to?: string;
  /** If the message goes at another time, the hours may allow that time. */
  readonly isLater?: boolean;
  readonly wait?: boolean;
}

/** Throws if a guard holds the plan back, unless `wait` is set and the hold ends by itself. Nothing is reserved. */
export async function requireAllowed(
  guards: readonly Guard[],
  { to, isLater, wait, ...planned }: Sendable,
  { wallClock }: Pick<Host, "wallClock">,
): Promise<void> {
  let { first } = planned;
  const requireItEnds = (hold: Hold | undefined) => {
    if (hold === undefined) return;
    if (!wait || hold.until === undefined) throw heldBack(hold);
    // After the wait the first message may go on another day.
    first = 0;
  };
  for (const former of guards) {
    const guard = former.isCurrent?.() === false ? ((await former.renew?.()) ?? former) : former;
    if (to !== undefined) requireItEnds(guard.hold?.(numberKey(to)));
    if (!isLater) requireItEnds(guard.holdAll?.(wallClock()));
    requireItEnds(await guard.holdPlan?.({ ...planned, first }));
  }
}

export async function warnOfSpending(
  guards: readonly Guard[],
  balance: number | undefined,
  { always }: { readonly always: (text: string) => void },
): Promise<void> {
  for (const guard of guards) {
    const text = await guard.warning?.(balance ?? Infinity);
    if (text !== undefined) always(`Warning: ${text}`);
  }
}

export function errorOf(barrier: Barrier): SmsError {
  return barrier.kind === "held" ? heldBack(barrier.hold) : barrier.error;
}

function heldBack({ effect, sentence, errorCode, hint }: Hold): SmsError {
  if (effect !== "stop") return usageError(errorCode, sentence, hint);
  return new SmsError("limit", errorCode, sentence, { hint, outcome: "unsent" });
}
