import { posix, win32 } from "node:path";
import type { Host } from "../host.ts";

type Environment = Host["environment"];

/** The folder of the credentials: SMS_CONFIG_DIR, else the platform's usual one (XDG on Unix, which ignores relative paths). */
export function configFolder(environment: Environment, platform: NodeJS.Platform, home: string): string {
  if (environment["SMS_CONFIG_DIR"]) return environment["SMS_CONFIG_DIR"];
  switch (platform) {
    case "win32":
      return win32.join(environment["APPDATA"] || win32.join(home, "AppData", "Roaming"), "sms");
    case "darwin":
      return posix.join(home, "Library", "Application Support", "sms");
    default:
      return posix.join(absolute(environment["XDG_CONFIG_HOME"]) ?? posix.join(home, ".config"), "sms");
  }
}

/** The folder of runs and cached balances: SMS_STATE_DIR, else the platform's usual one. */
export function stateFolder(environment: Environment, platform: NodeJS.Platform, home: string): string {
  if (environment["SMS_STATE_DIR"]) return environment["SMS_STATE_DIR"];
  switch (platform) {
    case "win32":
      return win32.join(environment["LOCALAPPDATA"] || win32.join(home, "AppData", "Local"), "sms");
    case "darwin":
      return posix.join(home, "Library", "Application Support", "sms", "state");
    default:
      return posix.join(absolute(environment["XDG_STATE_HOME"]) ?? posix.join(home, ".local", "state"), "sms");
  }
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && posix.isAbsolute(path) ? path : undefined;
}
