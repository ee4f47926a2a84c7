import { readKey } from "../core/key.ts";
import type { Profile, Store } from "./stored.ts";

/** Returns the stored profiles without their secrets; `mode` is null without credentials and for a key command. */
export function profileEntries({ profiles, active }: Store) {
  return Object.entries(profiles).map(([name, profile]) => ({
    name,
    baseUrl: profile.baseUrl ?? null,
    mode: modeOfProfile(profile),
    ...(profile.credentials.kind === "command" && { keyCommand: profile.credentials.command }),
    keys: Object.keys(profile.keys).length,
    ...(profile.defaults.onlyTo !== undefined && { onlyTo: profile.defaults.onlyTo }),
    active: name === active,
  }));
}

function modeOfProfile({ credentials, keys }: Profile): "account" | "live" | "test" | null {
  if (credentials.kind !== "key") return credentials.kind === "account" ? "account" : null;
  const key = keys[credentials.name];
  return key === undefined ? null : readKey(key.secret, "the key in use").mode;
}
