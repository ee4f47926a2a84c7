import { profileOption } from "../words/shell-word.ts";
import { variable } from "../profiles/variable.ts";
import { dailyLimit, type DailyLimit, type DailyTerms } from "./daily-limit.ts";
import { readZone } from "./hours.ts";
import { invalidOption } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Presenter } from "../terminal/presenter.ts";
import { countText, plural } from "../words/count.ts";
import { balanceText } from "../terminal/text.ts";
import type { ChosenProfile } from "../profiles/resolve.ts";
import { machineZone } from "../profiles/defaults.ts";
import { requireRecord } from "../profiles/record.ts";

export interface Spending {
  /** Undefined if a day has no limit, or if nobody pays. */
  readonly daily: DailyLimit | undefined;
  /** Warns of a low balance on a receipt, and of receipts above their estimates, which no reservation could foresee. */
  readonly warn: (balance: number | undefined, presenter: Pick<Presenter, "trace">) => Promise<void>;
}

/** Opens it; an account that is undefined pays nothing. Throws a usage error for a variable that is no limit. */
export async function openSpending(account: string | undefined, chosen: ChosenProfile, host: Host): Promise<Spending> {
  const terms = dailyTerms(chosen, host);
  let daily: DailyLimit | undefined;
  if (terms !== undefined && account !== undefined) {
    const keeper = await requireRecord(host, "the day's limit", chosen).account();
    daily = dailyLimit(keeper, account, terms, host.wallClock);
  }
  const { lowBalance = 0 } = chosen.profile?.defaults ?? {};
  return {
    daily,
    warn: async (balance = Infinity, { trace }) => {
      if (balance < lowBalance) trace(`Warning: the balance is low: ${balanceText(balance, lowBalance)}`);
      // The message is accepted, even if the day cannot be read.
      const day = await daily?.today().catch(() => undefined);
      if (day === undefined || day.spent <= day.limit) return;
      const [spent, limit] = [plural(day.spent, "credit"), countText(day.limit)];
      trace(`Warning: receipts were above their estimates: ${spent} of ${limit} are spent today`);
    },
  };
}

/** Returns the lower limit of the environment and the profile, and its zone; undefined if there is none. Throws as `openSpending`. */
export function dailyTerms({ name, profile }: ChosenProfile, host: Host): DailyTerms | undefined {
  const named = "SMS_DAILY_CREDITS";
  const given = variable(host.environment, named);
  const ofEnvironment = given === undefined ? Infinity : readCredits(named, given);
  const { dailyCredits: ofProfile = Infinity, zone } = profile?.defaults ?? {};
  const credits = Math.min(ofEnvironment, ofProfile);
  if (credits === Infinity) return undefined;
  const source = ofEnvironment <= ofProfile ? named : `profile ${JSON.stringify(name)}`;
  return {
    credits,
    source,
    zone: readZone(zone ?? machineZone(host, source, { name, profile }), source),
    raise: (to) =>
      [
        ...(ofEnvironment < to ? [`${named}=${to}`] : []),
        ...(ofProfile < to ? [`\`sms profiles set daily-credits ${to}${profileOption(name)}\``] : []),
      ].join(" and "),
  };
}

/** Reads a number of credits, as options take it. Throws a usage error that names what has it. */
function readCredits(name: string, text: string): number {
  const credits = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (credits <= 1_000_000_000) return credits;
  throw invalidOption(
    `${name} takes a whole number of credits, not ${JSON.stringify(text)}`,
    "give one from 0 to 1000000000",
  );
}
