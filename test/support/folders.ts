import { join } from "node:path";

/** The variables by which `sms` keeps credentials and state in this folder. */
export function foldersIn(folder: string) {
  return { SMS_CONFIG_DIR: join(folder, "config"), SMS_STATE_DIR: join(folder, "state") };
}
