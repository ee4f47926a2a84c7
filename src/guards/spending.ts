import { profileOption } from "../words/shell-word.ts";
import { variable } from "../profiles/environment.ts";
import { dailyLimit, type DailyLimit, type DailySetting, dayAt } from "./daily-limit.ts";
import type { GuardInputAt, Guard } from "./guard.ts";
import { readZone } from "./hours.ts";
import { invalidOption } from "../errors.ts";
import type { Host } from "../host.ts";
import { plural } from "../words/count.ts";
import { balanceText } from "../terminal/text.ts";
import { payerOf } from "../profiles/payer.ts";
import { type ProfileInUse, reread } from "../profiles/resolve.ts";
import { machineZone } from "../profiles/defaults.ts";
import { requireRecord } from "../profiles/record.ts";

/** Undefined if a day has no limit. Throws a usage error for a variable that is no limit. */
export async function dayOf(account: string | undefined, profile: ProfileInUse, host: Host) {
  const setting = dailySetting(profile, host);
  if (setting === undefined) return undefined;
  return account === undefined
    ? dayAt(setting, host.wallClock())
    : (await openDay(account, setting, profile, host)).today();
}

async function openDay(account: string, setting: DailySetting, profile: ProfileInUse, host: Host): Promise<DailyLimit> {
  const keeper = await (await requireRecord(host, "the day's limit", profile)).spending();
  const settingNow = () => dailySetting(reread(profile, host), host) ?? { ...setting, credits: Infinity };
  return dailyLimit({ keeper, account, setting: settingNow });
}

export async function openDailyCredits(
  { live, context: { host } }: GuardInputAt,
  profile: ProfileInUse,
): Promise<readonly Guard[]> {
  const setting = dailySetting(profile, host);
  // A sandbox's live key has an account of its own, so that somebody can try a limit.
  if (setting === undefined || live === undefined) return [];
  return [await openDay(payerOf(live, profile).account, setting, profile, host)];
}

/** The limit also counts what may have been charged for the plan before. */
export function within(maxCredits: number): Guard {
  return {
    rule: undefined,
    holdPlan: ({ segments, exposure }) => {
      if (exposure + segments <= maxCredits) return undefined;
      const cost = exposure === 0 ? "" : `, after ${plural(exposure, "credit")} so far`;
      const hint = "raise the limit, or shorten the text: `sms preview` shows what raises its cost";
      return {
        effect: "stop",
        sentence: `the estimate is ${plural(segments, "credit")}${cost}, over --max-credits ${maxCredits}`,
        errorCode: "OVER_LIMIT",
        hint: exposure === 0 ? hint : "raise the limit",
      };
    },
  };
}

export function lowBalance(least: number): Guard {
  return {
    rule: undefined,
    warning: async (balance) => (balance < least ? `the balance is low: ${balanceText(balance, least)}` : undefined),
  };
}

/** If both set a limit, the lower one applies. Throws as `dayOf`. */
function dailySetting(profile: ProfileInUse, host: Host): DailySetting | undefined {
  const name = "SMS_DAILY_CREDITS";
  const text = variable(host.environment, name);
  const ofEnvironment = text === undefined ? Infinity : readCredits(name, text);
  const { dailyCredits: ofProfile = Infinity, zone } = profile.defaults;
  const credits = Math.min(ofEnvironment, ofProfile);
  if (credits === Infinity) return undefined;
  const source = ofEnvironment <= ofProfile ? name : `profile ${JSON.stringify(profile.name)}`;
  return {
    credits,
    source,
    zone: readZone(zone ?? machineZone(host, source, profile), source),
    raise: (to) =>
      [
        ...(ofEnvironment < to ? [`${name}=${to}`] : []),
        ...(ofProfile < to ? [`\`sms profiles set daily-credits ${to}${profileOption(profile.name)}\``] : []),
      ].join(" and "),
  };
}

function readCredits(name: string, text: string): number {
  const credits = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (credits <= 1_000_000_000) return credits;
  const problem = `${name} takes a whole number of credits, not ${JSON.stringify(text)}`;
  throw invalidOption(problem, "give one from 0 to 1000000000");
}
