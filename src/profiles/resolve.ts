import { type Address, readAddress, requireSafeFor, sendPath } from "../core/address.ts";
import type { Credentials } from "../core/credentials.ts";
import { readKey } from "../core/key.ts";
import { SmsError, usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import { environmentCredentials, type GivenCredentials } from "./environment.ts";
import { findProfile, requireProfile } from "./find.ts";
import { configFolder } from "./folders.ts";
import { readStore } from "./read.ts";
import { emptyStore, type Profile, type Store } from "./stored.ts";

type Environment = Host["environment"];

/** The address and credentials that a command uses, and where each came from. */
export interface Resolved {
  readonly profile: string;
  readonly address: Address;
  /** The path of the send operation under the base path. */
  readonly path: string;
  readonly credentials: Credentials;
  /** The stored key in use; undefined for an account or credentials from the environment. */
  readonly key: { readonly name: string; readonly added: string } | undefined;
  /** The name of an environment variable, or `profile`. */
  readonly sources: { readonly baseUrl: string; readonly credentials: string };
}

/** The source of the credentials in words, such as `key "prod" of profile "default"`. */
export function credentialsSource({ key, profile, sources }: Pick<Resolved, "key" | "profile" | "sources">): string {
  if (sources.credentials !== "profile") return sources.credentials;
  const of = `profile ${JSON.stringify(profile)}`;
  return key === undefined ? `the account of ${of}` : `key ${JSON.stringify(key.name)} of ${of}`;
}

/** The profile to use; undefined if it is not stored yet. */
export interface ChosenProfile {
  readonly name: string;
  readonly profile: Profile | undefined;
}

/** The stored profiles, possibly none. Throws as `readStore` does. */
export function loadStore({
  environment,
  home,
  platform,
  uid,
}: Pick<Host, "environment" | "home" | "platform" | "uid">): Store {
  return readStore(configFolder(environment, platform, home()), uid) ?? emptyStore;
}

/** The profile in `--profile`, in SMS_PROFILE, or the active one. Throws a usage error `UNKNOWN_PROFILE`. */
export function chooseProfile(store: Store, environment: Environment, option: string | undefined): ChosenProfile {
  const name = option ?? (environment["SMS_PROFILE"] || undefined);
  if (name !== undefined) return { name, profile: requireProfile(store, name) };
  return { name: store.active, profile: findProfile(store, store.active) };
}

/**
 * Resolves address and credentials; the environment takes precedence over the profile, and an empty variable counts as
 * unset. Throws `no-credentials` if there are none, and a usage error for malformed or ambiguous values, for no base URL
 * and for a secret over plain http.
 */
export async function resolve(environment: Environment, { name, profile }: ChosenProfile): Promise<Resolved> {
  const given = await environmentCredentials(environment);
  const stored = given === undefined ? storedCredentials(profile) : undefined;
  const found = given ?? stored;
  if (found === undefined) throw noCredentials(name, profile);
  const { address, source } = addressFrom(environment, profile);
  requireSafeFor(found.credentials, address);
  return {
    profile: name,
    address,
    path: profile?.baseUrl === address.origin + address.basePath ? profile.path : sendPath,
    credentials: found.credentials,
    key: stored?.key,
    sources: { baseUrl: source, credentials: found.source },
  };
}

function storedCredentials(profile: Profile | undefined): (GivenCredentials & Pick<Resolved, "key">) | undefined {
  const stored = profile?.credentials;
  if (profile === undefined || stored === undefined || stored.kind === "none") return undefined;
  if (stored.kind === "account") return { credentials: stored, key: undefined, source: "profile" };
  const key = profile.keys[stored.name];
  if (key === undefined) return undefined;
  const credentials: Credentials = {
    kind: "key",
    key: readKey(key.secret, `key ${JSON.stringify(stored.name)}`),
  };
  return { credentials, key: { name: stored.name, added: key.added }, source: "profile" };
}

function addressFrom(environment: Environment, profile: Profile | undefined) {
  const given = environment["SMS_BASE_URL"];
  if (given) return { address: readAddress(given, "SMS_BASE_URL"), source: "SMS_BASE_URL" };
  if (profile?.baseUrl !== undefined) {
    return { address: readAddress(profile.baseUrl, "the profile"), source: "profile" };
  }
  throw usageError(
    "NO_BASE_URL",
    "there is no base URL",
    "log in with `sms login`, set SMS_BASE_URL, or try --sandbox",
  );
}

function noCredentials(name: string, profile: Profile | undefined): SmsError {
  const message =
    profile === undefined ? "there are no credentials" : `profile ${JSON.stringify(name)} has no credentials`;
  return new SmsError("no-credentials", message, {
    errorCode: "NO_CREDENTIALS",
    hint: "log in with `sms login`, set SMS_API_KEY, or try --sandbox",
  });
}
