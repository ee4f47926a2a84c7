import { readAddress } from "../core/address.ts";
import type { Credentials } from "../core/credentials.ts";
import { ageInDays, type ApiKey, readKey, shownKey } from "../core/key.ts";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import { fingerprint } from "./fingerprint.ts";
import { requireKey } from "./find.ts";
import { stateFolder } from "./folders.ts";
import type { ChosenProfile } from "./resolve.ts";
import { payerId, readState } from "./state.ts";
import type { Profile } from "./stored.ts";

/** Returns the keys of a profile with mode, age and last use, without their secrets. */
export function keyEntries(
  profile: Profile | undefined,
  host: Pick<Host, "environment" | "home" | "now" | "platform" | "uid">,
) {
  if (profile === undefined) return [];
  const { baseUrl, credentials, keys } = profile;
  const address = baseUrl === undefined ? undefined : readAddress(baseUrl, "the profile");
  const folder = stateFolder(host);
  return Object.entries(keys).map(([name, { secret, added, retired }]) => {
    const key = readKey(secret, `key ${JSON.stringify(name)}`);
    const state = address === undefined ? {} : readState(folder, payerId(address, { kind: "key", key }));
    return {
      name,
      mode: key.mode,
      shown: shownKey(secret),
      added,
      ageDays: ageInDays(added, host.now()),
      lastUsed: state.lastUsed ?? null,
      active: credentials.kind === "key" && credentials.name === name,
      retired,
    };
  });
}

/** Returns the key of that name, or the key in use without a name. Throws a usage error `UNKNOWN_KEY` if there is none. */
export function storedKey(
  { name: profileName, profile }: ChosenProfile,
  named: string | undefined,
): { readonly name: string; readonly key: ApiKey } {
  const inUse = profile?.credentials.kind === "key" ? profile.credentials.name : undefined;
  const name = named ?? inUse;
  if (profile === undefined || name === undefined) {
    throw usageError(
      "UNKNOWN_KEY",
      `profile ${JSON.stringify(profileName)} has no key in use`,
      "`sms keys add NAME` adds one",
    );
  }
  return { name, key: readKey(requireKey(profile, name).secret, `key ${JSON.stringify(name)}`) };
}

/**
 * Returns a fingerprint of credentials that a rotation of their key does not change. Only the profile knows that one key
 * replaced another: the new key of another login is another key.
 */
export function lastingFingerprint(profile: Profile | undefined, credentials: Credentials): string {
  const secret = credentials.kind === "key" ? credentials.key.secret : undefined;
  const stored = Object.values(profile?.keys ?? {}).find((key) => key.secret === secret);
  return stored?.rotatedFrom ?? fingerprint(credentials);
}
