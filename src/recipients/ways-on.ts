import { SmsError } from "../errors.ts";
import { profileOption } from "../words/shell-word.ts";

/** Throws the error of the reading with another hint, if it has one. */
export function explainedBy<Value>(change: (hint: string) => string, reading: Promise<Value>): Promise<Value> {
  return reading.catch((error: unknown) => {
    if (!(error instanceof SmsError) || error.hint === undefined) throw error;
    const { kind, errorCode, message, details, faults, isSlip, cause } = error;
    throw new SmsError(kind, errorCode, message, { hint: change(error.hint), details, faults, isSlip, cause });
  });
}

/** For a command that takes no --country. */
export function withoutCountryOption(hint: string): string {
  return hint.replace(/give (?:its country with )?--country/, "set SMS_COUNTRY to");
}

/** A setting of a profile takes no --country. */
export function explainedForSetting<Value>(profile: string, reading: Promise<Value>): Promise<Value> {
  const ofProfile = (hint: string) =>
    withoutCountryOption(hint).replace("country CC`", `country CC${profileOption(profile)}\``);
  return explainedBy(ofProfile, reading);
}
