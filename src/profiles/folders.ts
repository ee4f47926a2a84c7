import { posix, win32 } from "node:path";
import { usageError } from "../errors.ts";
import { variable } from "./environment.ts";
import type { StateFolder } from "../files/state-folder.ts";
import type { Host } from "../host.ts";

export type StoreHost = Pick<Host, "environment" | "home" | "platform" | "uid">;

export function configFolder(host: StoreHost): string | undefined {
  return folderOf("config", host);
}

export function stateFolder(host: StoreHost): StateFolder | undefined {
  const path = folderOf("state", host);
  return path === undefined ? undefined : { path, uid: host.uid };
}

const places = {
  config: { windows: ["APPDATA", "Roaming"], mac: "sms", others: ".config/sms" },
  state: { windows: ["LOCALAPPDATA", "Local"], mac: "sms/state", others: ".local/state/sms" },
} as const;

/** Our variable comes before XDG's, which must be absolute and is not for Windows. */
function folderOf(kind: keyof typeof places, { environment, home, platform }: StoreHost): string | undefined {
  const name = kind.toUpperCase();
  const ours = variable(environment, `SMS_${name}_DIR`);
  if (ours !== undefined) return ours;
  const { windows, mac, others } = places[kind];
  if (platform === "win32") {
    const [appData, folder] = windows;
    return within(win32, environment[appData] || within(win32, home(), "AppData", folder), "sms");
  }
  const xdg = environment[`XDG_${name}_HOME`];
  if (xdg !== undefined && posix.isAbsolute(xdg)) return posix.join(xdg, "sms");
  return within(posix, home(), platform === "darwin" ? `Library/Application Support/${mac}` : others);
}

function within(path: typeof posix, folder: string | undefined, ...names: readonly string[]): string | undefined {
  return folder === undefined ? undefined : path.join(folder, ...names);
}

export type Recorded = "runs" | "opt-outs" | "the day's limit" | "keys of --once" | "the history";

export function noFolder(what: Recorded | "credentials" | "lists"): Error {
  const missing = what === "credentials" || what === "lists" ? "SMS_CONFIG_DIR" : "SMS_STATE_DIR";
  const hint = `set ${missing} to a folder, or set HOME`;
  return usageError("NO_HOME", `there is no folder for ${what}: this user has no home folder`, hint);
}
