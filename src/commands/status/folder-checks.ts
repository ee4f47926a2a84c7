import { existsSync } from "node:fs";
import { SmsError } from "../../errors.ts";
import { errorCode } from "../../files/error-code.ts";
import { requirePrivateFolder } from "../../files/privacy.ts";
import { roomIn } from "../../files/room.ts";
import { requirePrivateState } from "../../files/state-folder.ts";
import { optOuts } from "../../guards/opt-outs.ts";
import type { Host } from "../../host.ts";
import { type Check, failed } from "../../output/checks.ts";
import { countText } from "../../output/text.ts";
import { configFolder, stateFolder } from "../../profiles/folders.ts";
import { loadStore } from "../../profiles/resolve.ts";
import { credentialsPurpose } from "../../profiles/store-faults.ts";

/** The least free room, enough for a run of some 30,000 messages. Bytes. */
const leastRoom = 10_000_000;

/** Checks owner and mode of the folder and the file of the credentials, and that the file is whole. */
export function checkCredentialsFolder(host: Host): Check {
  const folder = configFolder(host);
  return checkFolder("credentials-folder", folder, "SMS_CONFIG_DIR", () => {
    if (folder !== undefined) requirePrivateFolder(folder, host.uid, credentialsPurpose);
    loadStore(host);
  });
}

/** Checks owner and mode of the folder of state and of those in it, and that the list of opt-outs is whole. */
export function checkStateFolder(host: Host): Check {
  const state = stateFolder(host);
  return checkFolder("state-folder", state?.path, "SMS_STATE_DIR", () => {
    if (state === undefined) return;
    for (const name of ["runs", "once", "history"]) requirePrivateState(state, name);
    optOuts(state);
  });
}

/** Checks that runs can be recorded. */
export function checkRoom(host: Host): Check {
  const check = "room";
  const path = stateFolder(host)?.path;
  if (path === undefined) return { check, ok: null, text: "there is no folder to record in" };
  const lacks = (text: string, fix: string): Check => ({
    check,
    ok: false,
    text,
    fix: `${fix}, or name another folder in SMS_STATE_DIR`,
    failure: { kind: "usage", errorCode: "NOT_RECORDABLE" },
  });
  try {
    const room = roomIn(path);
    const text = `${countText(Math.floor(room / 1_000_000))} MB free for ${path}`;
    return room < leastRoom ? lacks(text, "make room there") : { check, ok: true, text };
  } catch (error) {
    return lacks(`nothing can be written in ${path} (${errorCode(error)})`, "check that you may write there");
  }
}

function checkFolder(check: Check["check"], path: string | undefined, variable: string, inspect: () => void): Check {
  try {
    inspect();
    if (path === undefined) {
      return { check, ok: null, text: `none: this user has no home folder, and ${variable} is not set` };
    }
    return { check, ok: true, text: existsSync(path) ? `${path} is for you alone` : `${path} is not there yet` };
  } catch (error) {
    if (error instanceof SmsError) return failed(check, error);
    throw error;
  }
}
