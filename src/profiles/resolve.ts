// profiles: who sends and pays, from the environment and the stored profiles.

import {
  type Address,
  certificateWarning,
  isSameAddress,
  readAddress,
  requireSafeFor,
  sendPath,
} from "../service/address.ts";
import type { Credentials } from "../service/credentials.ts";
import { readKey } from "../key.ts";
import { variable } from "./variable.ts";
import { SmsError, usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import { environmentCredentials, type SourcedCredentials, unreadVariables } from "./environment.ts";
import { emptyStore, findProfile, type Profile, requireOwnKey, requireProfile, type Store } from "./stored.ts";
import { configFolder } from "./folders.ts";
import type { CommandHost } from "./key-command.ts";
import { readStore } from "./read.ts";

type Environment = Host["environment"];

export interface Found {
  readonly profile: string;
  readonly address: Address;
  readonly path: string;
  /** A key command gives its credentials only when it has run. */
  readonly credentials: Credentials | undefined;
  readonly keyCommand: string | undefined;
  readonly key: { readonly name: string; readonly added: string } | undefined;
  /** A source is the name of an environment variable, or `profile`. */
  readonly sources: { readonly baseUrl: string; readonly credentials: string };
  /** If the profile has another base URL or none, people see this one with its source. */
  readonly otherService: string | undefined;
  readonly warnings: readonly string[];
}

export interface Resolved extends Found {
  readonly credentials: Credentials;
}

export function credentialsSource({ key, keyCommand, profile, sources }: Omit<Found, "credentials">): string {
  if (sources.credentials !== "profile") return sources.credentials;
  const what = keyCommand === undefined ? "account" : "key command";
  return `${key === undefined ? `the ${what}` : `key ${JSON.stringify(key.name)}`} of profile ${JSON.stringify(profile)}`;
}

/** If no profile is stored yet, `profile` is undefined. */
export interface ChosenProfile {
  readonly name: string;
  readonly profile: Profile | undefined;
}

export type StoreHost = Pick<Host, "environment" | "home" | "platform" | "uid">;

export function loadStore(host: StoreHost): Store {
  const folder = configFolder(host);
  return (folder === undefined ? undefined : readStore(folder, host.uid)) ?? emptyStore;
}

export function profilesByBaseUrl(host: StoreHost): ReadonlyMap<string, string> {
  const entries = Object.entries(loadStore(host).profiles);
  return new Map(entries.flatMap(([name, { baseUrl }]) => (baseUrl === undefined ? [] : [[baseUrl, name] as const])));
}

/** Throws a usage error `UNKNOWN_PROFILE`. */
export function chooseProfile(host: StoreHost, option: string | undefined): ChosenProfile {
  const store = loadStore(host);
  const name = option ?? variable(host.environment, "SMS_PROFILE");
  const profile = name === undefined ? findProfile(store, store.active) : requireProfile(store, name);
  return { name: name ?? store.active, profile: profile && applicable(profile, host.environment) };
}

/** If the environment leads to another account, the defaults of the profile's account do not apply. Lists always do. */
export function applicable(profile: Profile, environment: Environment): Profile {
  if (isOwnAccount(profile, environment)) return profile;
  const { sender: _, rate: __, hours: ___, dailyCredits: ____, ...defaults } = profile.defaults;
  return { ...profile, defaults };
}

function isOwnAccount({ baseUrl, keys }: Profile, environment: Environment): boolean {
  const chosen = environment["SMS_BASE_URL"]?.trim();
  if (!chosen || baseUrl === undefined) return true;
  const secret = environment["SMS_API_KEY"]?.trim();
  if (Object.values(keys).some((key) => key.secret === secret)) return true;
  try {
    return isSameAddress(readAddress(chosen, "SMS_BASE_URL"), readAddress(baseUrl, "the profile"));
  } catch {
    // The reader of the base URL reports its faults.
    return false;
  }
}

/** Throws `no-credentials` if this base URL has none, and a usage error for bad, missing or exposed values. */
export async function locate(
  host: Pick<Host, "environment" | "readFile" | "uid">,
  chosen: ChosenProfile,
): Promise<Found> {
  const { environment } = host;
  const { name, profile } = chosen;
  const fromEnvironment = await environmentCredentials(host);
  const stored = fromEnvironment === undefined ? storedCredentials(profile) : undefined;
  const choice = fromEnvironment ?? stored;
  if (choice === undefined) throw noCredentials(name, profile);
  const address = stored === undefined ? chosenAddress(chosen, environment) : ownAddress(chosen, environment);
  if (choice.credentials !== undefined) requireSafeFor(choice.credentials, address, environment);
  const isOwn = isAddressOf(profile, address);
  const source = environment["SMS_BASE_URL"] ? "SMS_BASE_URL" : "profile";
  return {
    profile: name,
    address,
    path: isOwn && profile !== undefined ? profile.path : sendPath,
    credentials: choice.credentials,
    keyCommand: choice.keyCommand,
    key: stored?.key,
    sources: { baseUrl: source, credentials: choice.source },
    otherService: isOwn ? undefined : `${address.origin}${address.basePath} (from ${source})`,
    warnings: [choice.warning, ...unreadVariables(environment), certificateWarning(address, environment)].filter(
      (warning) => warning !== undefined,
    ),
  };
}

/** Throws as `locate` and `keyFromCommand`. */
export async function resolve(
  host: CommandHost & Pick<Host, "readFile" | "uid">,
  chosen: ChosenProfile,
  announce: (source: string) => void = () => {},
): Promise<Resolved> {
  const service = await locate(host, chosen);
  const { address, keyCommand, sources } = service;
  if (service.credentials !== undefined) return { ...service, credentials: service.credentials };
  if (keyCommand === undefined) throw noCredentials(chosen.name, chosen.profile);
  const { keyFromCommand } = await import("./key-command.ts");
  const source = sources.credentials === "profile" ? `profile ${JSON.stringify(chosen.name)}` : "SMS_API_KEY_CMD";
  announce(source);
  const credentials: Credentials = { kind: "key", key: await keyFromCommand(keyCommand, source, host) };
  requireSafeFor(credentials, address, host.environment);
  return { ...service, credentials };
}

function storedCredentials(profile: Profile | undefined): (SourcedCredentials & Pick<Resolved, "key">) | undefined {
  const stored = profile?.credentials;
  if (profile === undefined || stored === undefined || stored.kind === "none") return undefined;
  if (stored.kind === "account") return { credentials: stored, key: undefined, source: "profile" };
  if (stored.kind === "command") {
    return { credentials: undefined, keyCommand: stored.command, key: undefined, source: "profile" };
  }
  const key = requireOwnKey(profile, stored.name);
  const credentials: Credentials = {
    kind: "key",
    key: readKey(key.secret, `key ${JSON.stringify(stored.name)}`),
  };
  return { credentials, key: { name: stored.name, added: key.added }, source: "profile" };
}

export function chosenAddress({ profile }: ChosenProfile, environment: Environment): Address {
  const baseUrl = variable(environment, "SMS_BASE_URL");
  if (baseUrl !== undefined) return readAddress(baseUrl, "SMS_BASE_URL");
  if (profile?.baseUrl !== undefined) return readAddress(profile.baseUrl, "the profile");
  throw usageError(
    "NO_BASE_URL",
    "there is no base URL",
    unreadVariables(environment)[0] ?? "log in with `sms login`, set SMS_BASE_URL, or try `sms send --sandbox`",
  );
}

/** Throws `no-credentials` (`OTHER_BASE_URL`) if SMS_BASE_URL names another one, and a usage error `NO_BASE_URL`. */
export function ownAddress(chosen: ChosenProfile, environment: Environment): Address {
  const { name, profile } = chosen;
  const address = chosenAddress(chosen, environment);
  if (isAddressOf(profile, address)) return address;
  const elsewhere = address.origin + address.basePath;
  const baseUrl = profile?.baseUrl;
  const whose = `profile ${JSON.stringify(name)}`;
  throw new SmsError(
    "no-credentials",
    baseUrl === undefined
      ? `${whose} has no base URL of its own, so its credentials are not sent to ${elsewhere} (from SMS_BASE_URL)`
      : `the credentials of ${whose} are only sent to ${baseUrl}, and SMS_BASE_URL is ${elsewhere}`,
    {
      errorCode: "OTHER_BASE_URL",
      hint:
        baseUrl === undefined
          ? `log in with \`sms login --base-url ${elsewhere}\`, or set SMS_API_KEY`
          : "unset SMS_BASE_URL, set SMS_API_KEY, or choose another profile with --profile",
    },
  );
}

export function isAddressOf(profile: Profile | undefined, address: Address): boolean {
  return profile?.baseUrl !== undefined && isSameAddress(readAddress(profile.baseUrl, "the profile"), address);
}

/** Nobody has logged in, and no variable was meant to have credentials. */
export class NotLoggedInError extends SmsError {}

function noCredentials(name: string, profile: Profile | undefined): SmsError {
  const message =
    profile === undefined ? "there are no credentials" : `profile ${JSON.stringify(name)} has no credentials`;
  return new NotLoggedInError("no-credentials", message, {
    errorCode: "NO_CREDENTIALS",
    hint: "log in with `sms login`, set SMS_API_KEY, or try `sms send --sandbox`",
  });
}
