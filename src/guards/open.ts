import type { Hold } from "../recipients/hold.ts";
import type { FindCountry } from "../message/number.ts";
import { isLive, type Mode } from "../service/credentials.ts";
import { variable } from "../profiles/variable.ts";
import { SmsError, usageError } from "../errors.ts";
import { plural } from "../words/count.ts";
import { type Guard, holdOfAll } from "./guard.ts";
import type { Hours } from "./hours.ts";
import { withoutOptOuts } from "./number-lists.ts";
import type { DailyLimit } from "./daily-limit.ts";
import { openGate, type Refusal } from "./gate.ts";
import type { Host } from "../host.ts";
import type { ChosenProfile } from "../profiles/resolve.ts";
import { payerOf } from "../profiles/payer.ts";
import type { Resolved } from "../profiles/resolve.ts";
import { machineZone } from "../profiles/defaults.ts";
import { openRecord } from "../profiles/record.ts";
import type { Spending } from "./spending.ts";

export const readingLists = "Reading the lists of numbers";

/**
 * Returns the guards of a command, by its flags, the environment, the profile and the opt-outs. Each narrows what the others
 * allow. Throws a usage error for a list that cannot be read. `country` is for numbers without +.
 */
export async function openGuards(
  flags: { readonly onlyTo?: string; readonly exclude?: readonly string[] },
  chosen: ChosenProfile | undefined,
  country: FindCountry | undefined,
  host: Host,
): Promise<readonly Guard[]> {
  const optOuts = await openRecord(host, chosen)?.optOuts();
  const always = optOuts === undefined ? [] : [withoutOptOuts(await optOuts.numbers())];
  const { onlyTo, exclude } = flags;
  const ofEnvironment = variable(host.environment, "SMS_ONLY_TO");
  if ((exclude ?? onlyTo ?? ofEnvironment ?? chosen?.profile?.defaults.onlyTo) === undefined) return always;
  const { readLists } = await import("./lists.ts");
  return [...(await readLists({ exclude, onlyTo, variable: ofEnvironment, chosen }, country, host)), ...always];
}

/**
 * Throws if the guards hold back a message to this number now, and that is not to be waited out. Returns whether it is waited
 * for: the message then goes on another day.
 */
export async function requireFree(
  to: string,
  { guards, wait }: { readonly guards: readonly Guard[]; readonly wait: boolean | undefined },
  { wallClock }: Host,
): Promise<boolean> {
  const { look, refusalOf } = openGate(guards, wallClock);
  await look();
  const refusal = refusalOf(to);
  if (refusal === undefined) return false;
  if (wait && refusal.kind === "held" && refusal.hold.until !== undefined) return true;
  throw errorOf(refusal);
}

export function errorOf(refusal: Refusal): SmsError {
  return refusal.kind === "held" ? heldBack(refusal.hold) : refusal.error;
}

/** Throws an error of kind `limit` if a guard holds everything back now, and that is not to be waited out. Returns whether it is. */
export function requireOpen(guards: readonly Guard[], wait: boolean | undefined, { wallClock }: Host): boolean {
  const hold = holdOfAll(guards, wallClock());
  if (hold === undefined) return false;
  if (wait && hold.until !== undefined) return true;
  throw heldBack(hold);
}

/** Throws an error of kind `limit` for what `holdFor` returns. Reserves nothing. */
export async function requireRoom(
  daily: DailyLimit | undefined,
  ...segments: Parameters<DailyLimit["holdFor"]>
): Promise<void> {
  const hold = await daily?.holdFor(...segments);
  if (hold !== undefined) throw heldBack(hold);
}

/** Opens what is set about the spending of the account; undefined if nothing is. */
export async function spendingOf(
  chosen: ChosenProfile | undefined,
  destination: Resolved & { readonly mode: Mode },
  host: Host,
): Promise<Spending | undefined> {
  const { dailyCredits, lowBalance } = chosen?.profile?.defaults ?? {};
  const isSet = (host.environment["SMS_DAILY_CREDITS"] ?? dailyCredits ?? lowBalance) !== undefined;
  if (chosen === undefined || !isSet) return undefined;
  const { openSpending } = await import("./spending.ts");
  // A sandbox's live key has an account of its own, because its base URL is another: so a limit can be rehearsed.
  return openSpending(
    isLive(destination.mode) ? payerOf(destination, chosen.profile).account : undefined,
    chosen,
    host,
  );
}

function heldBack({ effect, reason, errorCode, hint }: Hold): SmsError {
  if (effect !== "stop") return usageError(errorCode, reason, hint);
  return new SmsError("limit", reason, { errorCode, hint, outcome: "unsent" });
}

/** Throws an error of kind `limit` if the estimate, and what a run may have cost `before`, in credits, is over `--max-credits`. */
export function requireWithin(maxCredits: number | undefined, estimate: number, before = 0): void {
  if (maxCredits === undefined || before + estimate <= maxCredits) return;
  const cost = before === 0 ? "" : `, after ${plural(before, "credit")} so far`;
  const hint = "raise the limit, or shorten the text: `sms preview` shows what raises its cost";
  throw new SmsError(
    "limit",
    `the estimate is ${plural(estimate, "credit")}${cost}, over --max-credits ${maxCredits}`,
    {
      errorCode: "OVER_LIMIT",
      hint: before === 0 ? hint : "raise the limit",
      outcome: "unsent",
    },
  );
}

export const anyTime = "any";

interface SendHours {
  /** None if it may be sent at any time. */
  readonly guards: readonly Guard[];
  /** The hours of `--between` with their zone, for the header of a run. */
  readonly between: string | undefined;
}

/**
 * Returns the hours of a send: of `--between`, else of its run when it `began`; and of the profile for what reaches phones.
 * `--between any` overrides them all. Throws a usage error for hours or a zone that cannot be read.
 */
export async function hoursOf(
  between: string | undefined,
  began: string | undefined,
  chosen: ChosenProfile | undefined,
  mode: Mode,
  host: Host,
): Promise<SendHours> {
  const { hours, zone } = chosen?.profile?.defaults ?? {};
  const own = between === anyTime ? undefined : between;
  const [wanted, ...others] = [
    { text: own ?? began, source: own === undefined ? "as the run began" : "--between" },
    { text: isLive(mode) ? hours : undefined, source: `profile ${JSON.stringify(chosen?.name)}` },
  ].flatMap(({ text, source }) => (text === undefined ? [] : [{ text, source }]));
  if (wanted === undefined) return { guards: [], between: undefined };
  const { hoursText, readHours, readZone, withinHours } = await import("./hours.ts");
  const read = ({ text, source }: typeof wanted) => {
    const [range = "", ...words] = text.split(" ");
    const named = words.length > 0 ? words.join(" ") : (zone ?? machineZone(host, source, chosen));
    return readHours(range, readZone(named, source), source);
  };
  const first = read(wanted);
  const all = [first, ...others.map(read)] as const;
  if (between === anyTime) {
    const rule = (one: Hours) => `at any time: --between any overrides ${hoursText(one)} (${one.source})`;
    return { guards: all.map((one) => ({ rule: rule(one) })), between: undefined };
  }
  return {
    guards: [withinHours(all, host.wallClock())],
    between: own === undefined ? undefined : `${first.text} ${first.zone.name}`,
  };
}
