import { profileOption } from "../words/shell-word.ts";
import { variable } from "../profiles/variable.ts";
import { dailyLimit, type DailyLimit, type DailyTerms, dayAt } from "./daily-limit.ts";
import type { GuardInputAt, Guard } from "./guard.ts";
import { readZone } from "./hours.ts";
import { invalidOption } from "../errors.ts";
import type { Host } from "../host.ts";
import { plural } from "../words/count.ts";
import { balanceText } from "../terminal/text.ts";
import { payerOf } from "../profiles/payer.ts";
import { applicable, type ChosenProfile, loadStore } from "../profiles/resolve.ts";
import { findProfile } from "../profiles/stored.ts";
import { isLive } from "../service/credentials.ts";
import { machineZone } from "../profiles/defaults.ts";
import { requireRecord } from "../profiles/record.ts";

/** Undefined if a day has no limit. Throws a usage error for a variable that is no limit. */
export async function dayOf(account: string | undefined, chosen: ChosenProfile, host: Host) {
  const terms = dailyTerms(chosen, host);
  if (terms === undefined) return undefined;
  return account === undefined ? dayAt(terms, host.wallClock()) : (await openDay(account, terms, chosen, host)).today();
}

async function openDay(account: string, terms: DailyTerms, chosen: ChosenProfile, host: Host): Promise<DailyLimit> {
  const keeper = await requireRecord(host, "the day's limit", chosen).account();
  const termsNow = () => dailyTerms({ ...chosen, ...storedProfile(host, chosen.name) }, host);
  return dailyLimit({
    keeper: await keeper.spending(),
    account,
    terms: () => termsNow() ?? { ...terms, credits: Infinity },
    now: host.wallClock,
  });
}

/** If a profile was removed or renamed meanwhile, its limit still applies. */
function storedProfile(host: Host, name: string): Pick<ChosenProfile, "profile"> | undefined {
  const profile = findProfile(loadStore(host), name);
  return profile && { profile: applicable(profile, host.environment) };
}

export async function openDailyCredits(
  { destination, host }: GuardInputAt,
  chosen: ChosenProfile,
): Promise<readonly Guard[]> {
  const terms = dailyTerms(chosen, host);
  // A sandbox's live key has an account of its own, so that somebody can rehearse a limit.
  if (terms === undefined || destination === undefined || !isLive(destination.mode)) return [];
  return [await openDay(payerOf(destination, chosen.profile).account, terms, chosen, host)];
}

/** The limit also counts what may have been charged for the plan before. */
export function within(maxCredits: number): Guard {
  return {
    kept: String(maxCredits),
    mostCredits: maxCredits,
    holdPlan: ({ segments, exposure }) => {
      if (exposure + segments <= maxCredits) return undefined;
      const cost = exposure === 0 ? "" : `, after ${plural(exposure, "credit")} so far`;
      const hint = "raise the limit, or shorten the text: `sms preview` shows what raises its cost";
      return {
        guard: "maxCredits",
        effect: "stop",
        reason: `the estimate is ${plural(segments, "credit")}${cost}, over --max-credits ${maxCredits}`,
        errorCode: "OVER_LIMIT",
        hint: exposure === 0 ? hint : "raise the limit",
      };
    },
  };
}

export function lowBalance(least: number): Guard {
  return {
    warning: async (balance) => (balance < least ? `the balance is low: ${balanceText(balance, least)}` : undefined),
  };
}

/** If both set a limit, the lower one applies. Throws as `dayOf`. */
function dailyTerms({ name, profile }: ChosenProfile, host: Host): DailyTerms | undefined {
  const named = "SMS_DAILY_CREDITS";
  const text = variable(host.environment, named);
  const ofEnvironment = text === undefined ? Infinity : readCredits(named, text);
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

function readCredits(name: string, text: string): number {
  const credits = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (credits <= 1_000_000_000) return credits;
  throw invalidOption(
    `${name} takes a whole number of credits, not ${JSON.stringify(text)}`,
    "give one from 0 to 1000000000",
  );
}
