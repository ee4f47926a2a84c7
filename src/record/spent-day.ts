import { parseJson, isDate, isNumber, isText, shape } from "../json.ts";
import { rounded } from "../message/outcome.ts";
import type { Reservation, Settlement, SpendingKeeper, SpentDay } from "./account.ts";

/** What is reserved for a message whose outcome is not known yet. */
interface Held {
  readonly holder: string;
  readonly index: number;
  readonly segments: number;
  readonly credits: number;
}

/** The latest day of an account, as its file or its row has it. */
interface DayState {
  readonly date: string;
  readonly spent: number;
  /** Credits of messages that may have been sent. */
  readonly kept: number;
  readonly creditsPerSegment: number;
  readonly held: readonly Held[];
}

/** Where the latest day of each account is kept, as a text. */
export interface DayStore {
  /** Returns undefined for an account that has no day yet. */
  readonly read: (account: string) => Promise<string | undefined>;
  /** Replaces a text while nobody else can change it. The new one survives a power cut. */
  readonly change: <Result>(
    account: string,
    edit: (text: string | undefined) => { readonly text: string; readonly result: Result },
  ) => Promise<Result>;
  /** Returns what refuses a text that is not what sms wrote. */
  readonly damaged: (account: string) => Error;
}

export function spendingIn(store: DayStore): SpendingKeeper {
  const stateFrom = (account: string, text: string | undefined): DayState | undefined => {
    if (text === undefined) return undefined;
    const state = parseJson(text);
    if (!isState(state)) throw store.damaged(account);
    return state;
  };
  const stateOn = async (account: string, today: string) =>
    latestOf(stateFrom(account, await store.read(account)), today);
  return {
    day: async (account, today) => spentOn(await stateOn(account, today)),
    reserve: (account, reservation) =>
      store.change(account, (text) => {
        const { holder, today, settled } = reservation;
        const before = stateFrom(account, text);
        const { state, granted } = reserveIn(latestOf(before && settleIn(before, holder, settled), today), reservation);
        return { text: JSON.stringify(state), result: { ...spentOn(state), granted } };
      }),
    settle: (account, { holder, date }, settlements) =>
      store.change(account, (text) => {
        const state = settleIn(latestOf(stateFrom(account, text), date), holder, { date, settlements });
        return { text: JSON.stringify(state), result: undefined };
      }),
    reservedBy: async (account, holder, today) =>
      (await stateOn(account, today)).held.filter((one) => one.holder === holder).map(({ index }) => index),
  };
}

/** Returns this day, or the latest on record if that is later: a clock or a zone that goes back must not free what is spent. */
function latestOf(known: DayState | undefined, today: string): DayState {
  if (known !== undefined && known.date >= today) return known;
  return { date: today, spent: 0, kept: 0, creditsPerSegment: known?.creditsPerSegment ?? 1, held: [] };
}

function spentOn({ date, spent, kept, creditsPerSegment, held }: DayState): SpentDay {
  return { date, spent, reserved: rounded(kept + creditsOf(held)), creditsPerSegment };
}

function creditsOf(held: readonly Held[]): number {
  return held.reduce((sum, { credits }) => sum + credits, 0);
}

function reserveIn(before: DayState, { holder, limit, messages }: Reservation) {
  // What the same holder has reserved for a message may have been sent.
  const kept = messages.map(({ index }) => ({ kind: "kept", index }) as const);
  const day = settleIn(before, holder, { date: before.date, settlements: kept });
  let used = day.spent + day.kept + creditsOf(day.held);
  const granted: Held[] = [];
  for (const { index, segments } of messages) {
    const credits = rounded(segments * day.creditsPerSegment);
    used = rounded(used + credits);
    if (used > limit) break;
    granted.push({ holder, index, segments, credits });
  }
  return { state: { ...day, held: [...day.held, ...granted] }, granted: granted.length };
}

function settleIn(day: DayState, holder: string, settled: Reservation["settled"]): DayState {
  if (settled?.date !== day.date) return day;
  const settlements = new Map(settled.settlements.map((one) => [one.index, one]));
  let { spent, kept, creditsPerSegment } = day;
  const isLeft = (one: Held): boolean => {
    const settlement: Settlement | undefined = one.holder === holder ? settlements.get(one.index) : undefined;
    if (settlement === undefined) return true;
    if (settlement.kind === "kept") kept = rounded(kept + one.credits);
    if (settlement.kind === "charged") {
      const { credits = one.credits } = settlement;
      spent = rounded(spent + credits);
      if (one.segments > 0) creditsPerSegment = Math.max(creditsPerSegment, credits / one.segments);
    }
    return false;
  };
  const held = day.held.filter(isLeft);
  return { date: day.date, spent, kept, creditsPerSegment, held };
}

const isHeld = shape<Held>({ holder: isText, index: isNumber, segments: isNumber, credits: isNumber });

const isState = shape<DayState>({
  date: isDate,
  spent: isNumber,
  kept: isNumber,
  creditsPerSegment: isNumber,
  held: (value) => Array.isArray(value) && value.every(isHeld),
});
