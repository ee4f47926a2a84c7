import { nearest } from "../words/nearest.ts";
import { keyLike } from "../words/key-like.ts";
import { profileOption } from "../words/shell-word.ts";
import { slip, SmsError } from "../errors.ts";
import type { ApiKey } from "../key.ts";
import { type Address, isSameAddress, readAddress, sendPath } from "../service/address.ts";
import type { Account } from "../service/credentials.ts";

export interface Store {
  readonly version: 1;
  readonly active: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export interface Profile {
  readonly baseUrl?: string;
  readonly path: string;
  /** The credits that the profile spent today count under this name. */
  readonly formerName?: string;
  readonly credentials: StoredCredentials;
  readonly defaults: Defaults;
  readonly keys: Readonly<Record<string, ProfileKey>>;
}

type StoredCredentials =
  | { readonly kind: "none" }
  | { readonly kind: "key"; readonly name: string }
  | { readonly kind: "command"; readonly command: string }
  | Account;

export interface ProfileKey {
  readonly secret: string;
  /** The key goes only to this base URL, also if its profile gets another one. */
  readonly baseUrl: string;
  readonly added: string;
  /** A retired key is kept until somebody revokes and removes the key. */
  readonly retired: boolean;
  /** This is the `payerId` of the first key in the line of rotations. */
  readonly rotatedFrom?: string;
}

export interface Defaults {
  readonly sender?: string;
  readonly country?: string;
  readonly rate?: number;
  /** An absolute path of a file, or numbers separated by commas, limits the recipients. */
  readonly onlyTo?: string;
  readonly hours?: string;
  /** Without an IANA zone, these hours are in the zone of the machine. */
  readonly zone?: string;
  readonly history?: "on" | "off";
  /** A number, or an @list of one, to which notify tells how a command ended. */
  readonly notifyTo?: string;
  readonly dailyCredits?: number;
  readonly lowBalance?: number;
  /** The URL may have a password. */
  readonly record?: string;
}

export const emptyStore: Store = { version: 1, active: "default", profiles: {} };

export const newProfile: Profile = { path: sendPath, credentials: { kind: "none" }, defaults: {}, keys: {} };

export function newKey({ secret }: ApiKey, baseUrl: string, now: number): ProfileKey {
  return { secret, baseUrl, added: new Date(now).toISOString(), retired: false };
}

const nameRule = "a name has 1 to 64 printable characters, may contain single spaces, and does not start with a hyphen";

/** A name that contains an API key is refused: somebody pasted the key by mistake. */
export function isName(text: string): boolean {
  return (
    (/^[!-~]+( [!-~]+)*$/.test(text) || isPrintable(text)) &&
    Array.from(text).length <= 64 &&
    !text.startsWith("-") &&
    !keyLike.test(text) &&
    text !== "__proto__"
  );
}

/** Compiling a pattern with Unicode properties takes milliseconds, so this compiles on use. */
function isPrintable(text: string): boolean {
  const word = "[^\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}]+";
  return new RegExp(`^${word}( ${word})*$`, "u").test(text);
}

export const spilledKeyAdvice =
  "others can see a command line, and your shell keeps it: revoke this key in the dashboard (Settings, API Keys), then give a new one to `sms login`, or to `sms keys add NAME` beside others: both ask for it";

/** Throws a usage error `INVALID_NAME` that does not quote the name. */
function requireName(text: string, of: "profile" | "key"): string {
  if (isName(text)) return text;
  if (of === "key" && keyLike.test(text)) throw slip("INVALID_NAME", "this is a key, not its name", spilledKeyAdvice);
  throw slip("INVALID_NAME", `invalid ${of} name`, nameRule);
}

export function findProfile(store: Store, name: string): Profile | undefined {
  return memberOf(store.profiles, requireName(name, "profile"));
}

export function requireProfile(store: Store, name: string): Profile {
  const profile = findProfile(store, name);
  if (profile !== undefined) return profile;
  const login = `sms login${profileOption(name === store.active ? undefined : name)}`;
  const others = Object.keys(store.profiles);
  const hint =
    others.length === 0 ? `\`${login}\` makes one` : meant(name, others, "`sms profiles list` shows the profiles");
  throw slip("UNKNOWN_PROFILE", `there is no profile ${JSON.stringify(name)}`, hint);
}

export function findKey(profile: Profile, name: string): ProfileKey | undefined {
  return memberOf(profile.keys, requireName(name, "key"));
}

export function requireKey(profile: Profile, name: string): ProfileKey {
  const key = findKey(profile, name);
  if (key !== undefined) return key;
  const hint = meant(name, Object.keys(profile.keys), "`sms keys list` shows the keys");
  throw slip("UNKNOWN_KEY", `there is no key ${JSON.stringify(name)}`, hint);
}

export function isAddressOf({ baseUrl }: Profile, address: Address): boolean {
  return baseUrl !== undefined && isSameAddress(readAddress(baseUrl, "the profile"), address);
}

/** Throws as `requireKey`, and `OTHER_BASE_URL` for a key of another base URL. */
export function requireOwnKey(profile: Profile, name: string): ProfileKey {
  const key = requireKey(profile, name);
  const { baseUrl = key.baseUrl } = profile;
  if (isSameAddress(readAddress(key.baseUrl, "the key"), readAddress(baseUrl, "the profile"))) return key;
  const message = `key ${JSON.stringify(name)} is only sent to ${key.baseUrl}, and its profile is at ${baseUrl}`;
  const hint = `log in there under a name of its own: \`sms login --base-url ${key.baseUrl} --profile NAME\``;
  throw new SmsError("no-credentials", "OTHER_BASE_URL", message, hint);
}

function meant(wrong: string, names: readonly string[], listing: string): string {
  const near = nearest(wrong, names);
  return near === undefined ? listing : `did you mean ${JSON.stringify(near)}? ${listing}`;
}

/** A profile or key may be called `constructor`. */
function memberOf<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
