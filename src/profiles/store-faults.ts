import { type SmsError, usageError } from "../errors.ts";

/** The credentials can be read or changed by somebody else; `command` mends that. */
export function insecure(reason: string, command: string): SmsError {
  return usageError(
    "INSECURE_STORE",
    `the credentials are refused: ${reason}`,
    `mend it with \`${command}\``,
  );
}

/** The file of credentials is not what `sms` writes. */
export function damaged(path: string, reason: string): SmsError {
  return usageError(
    "DAMAGED_STORE",
    `${path} is damaged: ${reason}`,
    `mend it by hand, or move it away with \`mv ${quoted(path)} ${quoted(`${path}.damaged`)}\` and log in again with \`sms login\``,
  );
}

/** The file of credentials was written by a later `sms`. */
export function newer(path: string): SmsError {
  return usageError("NEWER_STORE", `${path} was written by a newer version of sms`, "use that version");
}

/** The file or its folder is out of reach. */
export function unreachable(path: string, code: string): SmsError {
  return usageError(
    "UNREACHABLE_STORE",
    `${path} cannot be used (${code})`,
    "make sure that it is yours to use, or name another folder in SMS_CONFIG_DIR",
  );
}

/** A path as one word of a POSIX shell. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
