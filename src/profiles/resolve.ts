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

/** The service and the credentials that a command uses, and where each came from. */
export interface Resolved {
  /** The name of the profile. */
  readonly profile: string;
  readonly address: Address;
  /** The path of the send operation under the base path. */
  readonly path: string;
  readonly credentials: Credentials;
  /** The stored key, where it is one. */
  readonly key: { readonly name: string; readonly added: string } | undefined;
  /** A variable of the environment, or `profile`. */
  readonly sources: { readonly baseUrl: string; readonly credentials: string };
}

/** Where credentials came from, as a person is told it. */
export function credentialsSource({
  key,
  profile,
  sources,
}: Pick<Resolved, "key" | "profile" | "sources">): string {
  if (sources.credentials !== "profile") return sources.credentials;
  const of = `profile ${JSON.stringify(profile)}`;
  return key === undefined ? `the account of ${of}` : `key ${JSON.stringify(key.name)} of ${of}`;
}

/** A profile by its name; undefined where nothing is stored under it. */
export interface ChosenProfile {
  readonly name: string;
  readonly profile: Profile | undefined;
}

/** The stored profiles; none where nothing was ever stored. Throws where the store is refused. */
export function loadStore({
  environment,
  home,
  platform,
  uid,
}: Pick<Host, "environment" | "home" | "platform" | "uid">): Store {
  return readStore(configFolder(environment, platform, home()), uid) ?? emptyStore;
}

/** The profile of `--profile`, of SMS_PROFILE, or the one in use. Throws a usage error for one named that is not there. */
export function chooseProfile(
  store: Store,
  environment: Environment,
  named: string | undefined,
): ChosenProfile {
  const asked = named ?? (environment["SMS_PROFILE"] || undefined);
  if (asked !== undefined) return { name: asked, profile: requireProfile(store, asked) };
  return { name: store.active, profile: findProfile(store, store.active) };
}

/**
 * Finds what a command uses, by the environment before the profile. Throws a usage error where something is malformed,
 * more than one thing says who pays, or a secret would travel openly; `no-credentials` where there are none. An empty
 * variable counts as absent.
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

interface StoredFinding extends GivenCredentials {
  readonly key: Resolved["key"];
}

function storedCredentials(profile: Profile | undefined): StoredFinding | undefined {
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
    "log in with `sms login`, set SMS_BASE_URL to the service's address, or try out with --sandbox",
  );
}

function noCredentials(name: string, profile: Profile | undefined): SmsError {
  const message =
    profile === undefined ? "there are no credentials" : `profile ${JSON.stringify(name)} has no credentials`;
  return new SmsError("no-credentials", message, {
    errorCode: "NO_CREDENTIALS",
    hint: "log in with `sms login`, set SMS_API_KEY to an API key, or try out with --sandbox",
  });
}
