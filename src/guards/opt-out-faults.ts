import { type SmsError, usageError } from "../errors.ts";

/** Returns the error for a list of opt-outs that there is, or was, and that cannot be used. */
export function unusableList(path: string, why: string): SmsError {
  return usageError(
    "UNUSABLE_OPT_OUTS",
    `the list of opt-outs ${path} cannot be used: ${why}`,
    "restore it from a copy; to begin a new list, remove its folder and add the numbers again",
  );
}
