// profiles: who sends and pays, from the environment and the stored profiles.

import {
  type Address,
  addressText,
  certificateWarning,
  readAddress,
  requireSafeFor,
  sendPath,
} from "../service/address.ts";
import type { Credentials } from "../service/credentials.ts";
import { readKey } from "../key.ts";
import {
  variable,
  environmentCredentials,
  type LocatedCredentials,
  type CredentialsHost,
  type SourcedCredentials,
  unreadVariables,
} from "./environment.ts";
import { SmsError, usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import {
  emptyStore,
  findProfile,
  isAddressOf,
  newProfile,
  type Profile,
  requireOwnKey,
  requireProfile,
  type Store,
} from "./stored.ts";
import { configFolder, type StoreHost } from "./folders.ts";
import type { CommandHost } from "./key-command.ts";
import { readStore } from "./read.ts";
import type { Presenter } from "../terminal/context.ts";

export interface Located extends LocatedCredentials {
  readonly profile: string;
  readonly address: Address;
  readonly path: string;
  readonly sources: { readonly baseUrl: string; readonly credentials: string };
  /** If the profile has another base URL or none, people see this one with its source. */
  readonly otherService: string | undefined;
  readonly warnings: readonly string[];
}

export interface Resolved extends Located {
  readonly credentials: Credentials;
}

export function credentialsSource({ key, keyCommand, profile, sources }: Omit<Located, "credentials">): string {
  if (sources.credentials !== "profile") return sources.credentials;
  const what = keyCommand === undefined ? "account" : "key command";
  return `${key === undefined ? `the ${what}` : `key ${JSON.stringify(key.name)}`} of profile ${JSON.stringify(profile)}`;
}

export interface ProfileInUse extends Profile {
  readonly name: string;
  readonly isStored: boolean;
}

export function loadStore(host: StoreHost): Store {
  const folder = configFolder(host);
  return (folder === undefined ? undefined : readStore(folder, host.uid)) ?? emptyStore;
}

export function profilesByBaseUrl(host: StoreHost): ReadonlyMap<string, string> {
  const entries = Object.entries(loadStore(host).profiles);
  return new Map(entries.flatMap(([name, { baseUrl }]) => (baseUrl === undefined ? [] : [[baseUrl, name] as const])));
}

/** Throws `UNKNOWN_PROFILE` if nothing is stored under a name that somebody gave, unless the profile `mayBeNew`. */
export function profileInUse(host: StoreHost, option: string | undefined, mayBeNew = false): ProfileInUse {
  const store = loadStore(host);
  const name = option ?? variable(host.environment, "SMS_PROFILE");
  const find = name === undefined || mayBeNew ? findProfile : requireProfile;
  const profile = find(store, name ?? store.active);
  const isStored = profile !== undefined;
  return { ...(isStored ? applicable(profile, host.environment) : newProfile), name: name ?? store.active, isStored };
}

/** Throws `UNKNOWN_PROFILE`. */
export function storedProfile(host: StoreHost, option: string | undefined): ProfileInUse {
  const profile = profileInUse(host, option);
  if (!profile.isStored) requireProfile(loadStore(host), profile.name);
  return profile;
}

/** If the profile was removed or renamed meanwhile, it still applies. */
export function reread(profile: ProfileInUse, host: StoreHost): ProfileInUse {
  const current = findProfile(loadStore(host), profile.name);
  return current === undefined ? profile : { ...profile, ...applicable(current, host.environment) };
}

/** If the environment leads to another account, the defaults of the profile's account do not apply. Lists always do. */
function applicable(profile: Profile, environment: Host["environment"]): Profile {
  if (isOwnAccount(profile, environment)) return profile;
  const { sender: _, rate: __, hours: ___, dailyCredits: ____, ...defaults } = profile.defaults;
  return { ...profile, defaults };
}

function isOwnAccount(profile: Profile, environment: Host["environment"]): boolean {
  const otherUrl = environment["SMS_BASE_URL"]?.trim();
  if (!otherUrl || profile.baseUrl === undefined) return true;
  const secret = environment["SMS_API_KEY"]?.trim();
  if (Object.values(profile.keys).some((key) => key.secret === secret)) return true;
  try {
    return isAddressOf(profile, readAddress(otherUrl, "SMS_BASE_URL"));
  } catch {
    // The reader of the base URL reports its faults.
    return false;
  }
}

/** Throws `no-credentials` if this base URL has none, and a usage error for bad, missing or exposed values. */
export async function locate(host: CredentialsHost, profile: ProfileInUse): Promise<Located> {
  const { environment } = host;
  const fromEnvironment = await environmentCredentials(host);
  const { source, warning, ...access } = fromEnvironment ?? storedCredentials(profile);
  const address = (fromEnvironment === undefined ? ownAddress : addressFor)(profile, environment);
  if (access.credentials !== undefined) requireSafeFor(access.credentials, address, environment);
  const isOwn = isAddressOf(profile, address);
  const path = address.path ?? (isOwn ? profile.path : sendPath);
  const baseUrlSource = environment["SMS_BASE_URL"] ? "SMS_BASE_URL" : "profile";
  const warnings = [warning, ...unreadVariables(environment), certificateWarning(address, environment)];
  return {
    profile: profile.name,
    address,
    path,
    ...access,
    sources: { baseUrl: baseUrlSource, credentials: source },
    otherService: isOwn && path === profile.path ? undefined : `${addressText(address)} (from ${baseUrlSource})`,
    warnings: warnings.filter((text) => text !== undefined),
  };
}

/** Throws as `locate` and `keyFromCommand`. */
export async function resolve(
  host: CommandHost & CredentialsHost,
  profile: ProfileInUse,
  presenter: KeyCommandPresenter,
): Promise<Resolved> {
  const service = await locate(host, profile);
  const { address, keyCommand, sources } = service;
  if (service.credentials !== undefined) return { ...service, credentials: service.credentials };
  if (keyCommand === undefined) throw noCredentials(profile);
  const source = sources.credentials === "profile" ? `profile ${JSON.stringify(profile.name)}` : "SMS_API_KEY_CMD";
  const credentials = await runKeyCommand(keyCommand, source, host, presenter);
  requireSafeFor(credentials, address, host.environment);
  return { ...service, credentials };
}

type KeyCommandPresenter = Pick<Presenter, "showsWaits" | "note">;

/** The key command has the terminal for itself, so no spinner turns meanwhile. */
export async function runKeyCommand(
  command: string,
  source: string,
  host: CommandHost,
  presenter: KeyCommandPresenter,
): Promise<Credentials> {
  const { keyFromCommand } = await import("./key-command.ts");
  if (presenter.showsWaits) presenter.note(`Running the key command in ${source}.`);
  return { kind: "key", key: await keyFromCommand(command, source, host) };
}

function storedCredentials(profile: ProfileInUse): SourcedCredentials {
  const { credentials } = profile;
  const source = "profile";
  switch (credentials.kind) {
    case "none":
      throw noCredentials(profile);
    case "account":
      return { credentials, source };
    case "command":
      return { credentials: undefined, keyCommand: credentials.command, source };
    case "key": {
      const { name } = credentials;
      const { secret, added } = requireOwnKey(profile, name);
      const key = readKey(secret, `key ${JSON.stringify(name)}`);
      return { credentials: { kind: "key", key }, key: { name, added }, source };
    }
  }
}

export function addressFor({ baseUrl: ownUrl }: Profile, environment: Host["environment"]): Address {
  const baseUrl = variable(environment, "SMS_BASE_URL");
  if (baseUrl !== undefined) return readAddress(baseUrl, "SMS_BASE_URL");
  if (ownUrl !== undefined) return readAddress(ownUrl, "the profile");
  throw usageError(
    "NO_BASE_URL",
    "there is no base URL",
    unreadVariables(environment)[0] ?? "log in with `sms login`, set SMS_BASE_URL, or try `sms send --sandbox`",
  );
}

/** Throws `no-credentials` (`OTHER_BASE_URL`) if SMS_BASE_URL names another one, and a usage error `NO_BASE_URL`. */
export function ownAddress(profile: ProfileInUse, environment: Host["environment"]): Address {
  const { name, baseUrl } = profile;
  const address = addressFor(profile, environment);
  if (isAddressOf(profile, address)) return address;
  const elsewhere = addressText(address);
  const whose = `profile ${JSON.stringify(name)}`;
  const [message, hint] =
    baseUrl === undefined
      ? [
          `${whose} has no base URL of its own, so its credentials are not sent to ${elsewhere} (from SMS_BASE_URL)`,
          `log in with \`sms login --base-url ${elsewhere}\`, or set SMS_API_KEY`,
        ]
      : [
          `the credentials of ${whose} are only sent to ${baseUrl}, and SMS_BASE_URL is ${elsewhere}`,
          "unset SMS_BASE_URL, set SMS_API_KEY, or choose another profile with --profile",
        ];
  throw new SmsError("no-credentials", "OTHER_BASE_URL", message, hint);
}

/** Nobody has logged in, and no variable was meant to have credentials. */
export class NotLoggedInError extends SmsError {}

function noCredentials({ name, isStored }: ProfileInUse): SmsError {
  const message = isStored ? `profile ${JSON.stringify(name)} has no credentials` : "there are no credentials";
  const hint = "log in with `sms login`, set SMS_API_KEY, or try `sms send --sandbox`";
  return new NotLoggedInError("no-credentials", "NO_CREDENTIALS", message, hint);
}
