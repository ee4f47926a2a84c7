import { readAddress } from "../service/address.ts";
import { ageInDays, readKey, shownKey } from "../key.ts";
import type { Host } from "../host.ts";
import { SmsError } from "../errors.ts";
import type { Profile, Store } from "./stored.ts";
import { locate, type ProfileInUse } from "./resolve.ts";
import { keyNameOf, credentialsId } from "./payer.ts";
import { notedOf } from "./record.ts";

export async function keyEntries(profile: ProfileInUse, host: Host) {
  const next = await keyOfNextSend(profile, host);
  const entries = Object.entries(profile.keys).map(async ([name, { secret, baseUrl, added, retired }]) => {
    const key = readKey(secret, `key ${JSON.stringify(name)}`);
    const { lastUsed } = await notedOf(
      credentialsId(readAddress(baseUrl, "the key"), { kind: "key", key }),
      host,
      profile,
    );
    return {
      name,
      mode: key.mode,
      shown: shownKey(secret),
      added,
      ageDays: ageInDays(added, host.now()),
      lastUsed: lastUsed ?? null,
      active: name === next,
      retired,
    };
  });
  return Promise.all(entries);
}

/** If the environment or a key command brings another key, or a send would fail, this is undefined. */
async function keyOfNextSend(profile: ProfileInUse, host: Host): Promise<string | undefined> {
  try {
    const { credentials } = await locate(host, profile);
    return keyNameOf(credentials, profile);
  } catch (error) {
    if (error instanceof SmsError) return undefined;
    throw error;
  }
}

export function turnsLive(before: Profile, after: Profile): boolean {
  const mode = modeOfProfile(after);
  return modeOfProfile(before) === "test" && (mode === "live" || mode === "account");
}

export function profileEntries({ profiles, active }: Store) {
  return Object.entries(profiles).map(([name, profile]) => ({
    name,
    baseUrl: profile.baseUrl ?? null,
    mode: modeOfProfile(profile),
    ...(profile.credentials.kind === "command" && { keyCommand: profile.credentials.command }),
    keys: Object.keys(profile.keys).length,
    sender: profile.defaults.sender ?? null,
    country: profile.defaults.country ?? null,
    ...(profile.defaults.onlyTo !== undefined && { onlyTo: profile.defaults.onlyTo }),
    active: name === active,
  }));
}

function modeOfProfile({ credentials, keys }: Profile): "account" | "live" | "test" | null {
  if (credentials.kind !== "key") return credentials.kind === "account" ? "account" : null;
  const key = keys[credentials.name];
  return key === undefined ? null : readKey(key.secret, "the key in use").mode;
}
