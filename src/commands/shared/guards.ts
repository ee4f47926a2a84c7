import { SmsError } from "../../errors.ts";
import { type Guard, holdOfAll } from "../../guards/guard.ts";
import { isNumbers, type OnlyToList } from "../../guards/only-to.ts";
import type { Host } from "../../host.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import type { FindCountry } from "../../recipients/check.ts";

/** What is waited for while guards are opened. */
export const readingLists = "Reading the lists of numbers";

/** The flags that hold recipients back. */
export interface GuardFlags {
  readonly onlyTo?: string;
  readonly exclude?: string;
}

/**
 * Returns the guards of a command, by its flags, the environment and the profile. Each narrows what the others allow. Throws a
 * usage error for a list that cannot be read. `country` is that of numbers without +.
 */
export async function openGuards(
  flags: GuardFlags,
  chosen: ChosenProfile | undefined,
  country: FindCountry | undefined,
  host: Host,
): Promise<readonly Guard[]> {
  const onlyTo = onlyToLists(flags, chosen, host);
  if (flags.exclude === undefined && onlyTo.length === 0) return [];
  const { readLists } = await import("./number-lists.ts");
  return readLists(flags.exclude, onlyTo, country, host);
}

/** Throws an error of kind `limit` if a guard holds everything back now. */
export function requireOpen(guards: readonly Guard[], { now }: Host): void {
  const hold = holdOfAll(guards, now());
  if (hold === undefined) return;
  const { reason, errorCode, hint } = hold;
  throw new SmsError("limit", reason, { errorCode, hint, outcome: "unsent" });
}

function onlyToLists({ onlyTo }: GuardFlags, chosen: ChosenProfile | undefined, host: Host): readonly OnlyToList[] {
  const variable = host.environment["SMS_ONLY_TO"];
  const setting = chosen?.profile?.defaults.onlyTo;
  const change = (way: string) => `leave it out of the recipients, ${way}`;
  const lists: OnlyToList[] = [];
  if (onlyTo !== undefined) {
    lists.push({ value: onlyTo, source: `--only-to ${onlyTo}`, wayOn: change("or add it to that list") });
  }
  if (variable) {
    const source = isNumbers(variable) ? "SMS_ONLY_TO" : `SMS_ONLY_TO (${variable})`;
    lists.push({ value: variable, source, wayOn: change("add it to that list, or unset SMS_ONLY_TO") });
  }
  if (setting !== undefined) {
    const own = `the only-to of profile ${JSON.stringify(chosen?.name)}`;
    const source = isNumbers(setting) ? own : `${own} (${setting})`;
    lists.push({ value: setting, source, wayOn: change("add it to that list, or `sms profiles set only-to`") });
  }
  return lists;
}
