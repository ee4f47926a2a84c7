import { type SmsError, usageError } from "../errors.ts";

const restore = "restore it from a copy; to begin a new list, remove its folder and add the numbers again";

/** Returns the error for a list of opt-outs that there is, or was, and that cannot be used. */
export function unusableList(path: string, why: string, hint = restore): SmsError {
  return usageError("UNUSABLE_OPT_OUTS", `the list of opt-outs ${path} cannot be used: ${why}`, hint);
}

/** Returns the error for a list that the system does not let us read; `code` is why. */
export function unreadableList(path: string, code: string): SmsError {
  return unusableList(path, `it cannot be read (${code})`, "make it, and its folder, yours to read and write");
}
