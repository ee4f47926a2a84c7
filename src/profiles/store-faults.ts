import { shellWord } from "../core/shell-word.ts";
import { type SmsError, usageError } from "../errors.ts";
import type { Purpose } from "../files/privacy.ts";

export const credentialsPurpose: Purpose = {
  errorCode: "INSECURE_STORE",
  refusal: "refused to use the stored credentials",
  instead: "a folder of your own in SMS_CONFIG_DIR",
};

export function damaged(path: string, reason: string): SmsError {
  return usageError(
    "DAMAGED_STORE",
    `${path} is damaged: ${reason}`,
    `repair it, or move it away with \`mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}\` and log in again with \`sms login\``,
  );
}

export function newer(path: string): SmsError {
  return usageError("NEWER_STORE", `${path} was written by a newer version of sms`, "update sms");
}

export function unreachable(path: string, code: string): SmsError {
  return usageError(
    "UNREACHABLE_STORE",
    `${path} cannot be used (${code})`,
    "check its owner and permissions, or set SMS_CONFIG_DIR to another folder",
  );
}
