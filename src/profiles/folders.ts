import { posix, win32 } from "node:path";
import { usageError } from "../errors.ts";
import { variable } from "./variable.ts";
import type { StateFolder } from "../files/state-folder.ts";
import type { Host } from "../host.ts";

const macFolder = ["Library", "Application Support"];

type Machine = Pick<Host, "environment" | "home" | "platform">;

/** SMS_CONFIG_DIR comes before XDG_CONFIG_HOME, which must be absolute and is not for Windows. */
export function configFolder({ environment, home, platform }: Machine): string | undefined {
  const given = variable(environment, "SMS_CONFIG_DIR");
  if (given !== undefined) return given;
  switch (platform) {
    case "win32":
      return within(win32, environment["APPDATA"] || within(win32, home(), "AppData", "Roaming"), "sms");
    case "darwin":
      return within(posix, absolute(environment["XDG_CONFIG_HOME"]) ?? within(posix, home(), ...macFolder), "sms");
    default:
      return within(posix, absolute(environment["XDG_CONFIG_HOME"]) ?? within(posix, home(), ".config"), "sms");
  }
}

/** SMS_STATE_DIR comes before XDG_STATE_HOME. */
export function stateFolder(host: Machine & Pick<Host, "uid">): StateFolder | undefined {
  const path = statePath(host);
  return path === undefined ? undefined : { path, uid: host.uid };
}

function statePath({ environment, home, platform }: Machine): string | undefined {
  const given = variable(environment, "SMS_STATE_DIR");
  if (given !== undefined) return given;
  const state = absolute(environment["XDG_STATE_HOME"]);
  switch (platform) {
    case "win32":
      return within(win32, environment["LOCALAPPDATA"] || within(win32, home(), "AppData", "Local"), "sms");
    case "darwin":
      return state === undefined ? within(posix, home(), ...macFolder, "sms", "state") : within(posix, state, "sms");
    default:
      return within(posix, state ?? within(posix, home(), ".local", "state"), "sms");
  }
}

function within(path: typeof posix, folder: string | undefined, ...names: readonly string[]): string | undefined {
  return folder === undefined ? undefined : path.join(folder, ...names);
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && posix.isAbsolute(path) ? path : undefined;
}

export type Recorded = "runs" | "opt-outs" | "the day's limit" | "keys of --once" | "the history";

export function noFolder(what: Recorded | "credentials" | "lists"): Error {
  const missing = what === "credentials" || what === "lists" ? "SMS_CONFIG_DIR" : "SMS_STATE_DIR";
  return usageError(
    "NO_HOME",
    `there is no folder for ${what}: this user has no home folder`,
    `set ${missing} to a folder, or set HOME`,
  );
}
