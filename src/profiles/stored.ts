/** The content of the credentials file. */
export interface Store {
  readonly version: 1;
  /** The name of the active profile, which may not exist yet. */
  readonly active: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** A service, its credentials and the defaults of a send. */
export interface Profile {
  /** Absent until a login sets it; until then a send needs SMS_BASE_URL. */
  readonly baseUrl?: string;
  /** The path of the send operation under the base URL. */
  readonly path: string;
  readonly credentials: StoredCredentials;
  readonly defaults: Defaults;
  /** All keys by name, retired ones included. */
  readonly keys: Readonly<Record<string, StoredKey>>;
}

/** The credentials in use; a key by its name. */
type StoredCredentials =
  | { readonly kind: "none" }
  | { readonly kind: "key"; readonly name: string }
  | StoredKeyCommand
  | StoredAccount;

/** A command that prints the key, in place of the key. */
export interface StoredKeyCommand {
  readonly kind: "command";
  readonly command: string;
}

export interface StoredAccount {
  readonly kind: "account";
  readonly email: string;
  readonly password: string;
  /** Sends both in the request body under these names instead of as HTTP Basic. */
  readonly bodyFields?: { readonly email: string; readonly password: string };
}

export interface StoredKey {
  readonly secret: string;
  /** When it was added, ISO 8601 in UTC. */
  readonly added: string;
  /** Replaced, but kept until it is revoked and removed. */
  readonly retired: boolean;
  /** The fingerprint of the first key in the line of rotations; absent if this key replaced none. */
  readonly rotatedFrom?: string;
}

/** Used when neither flags nor environment give a value. */
export interface Defaults {
  /** A sender ID by name. */
  readonly sender?: string;
  /** ISO country in which numbers without `+` are read. */
  readonly country?: string;
  /** Requests per minute. */
  readonly rate?: number;
  /** The only numbers to send to: an absolute path of a file, or numbers separated by commas. */
  readonly onlyTo?: string;
  /** The hours of live sends, as HH:MM-HH:MM. */
  readonly hours?: string;
  /** The IANA name of the time zone of these hours; without it they are in the zone of the machine. */
  readonly zone?: string;
  /** Whether single messages are added to the history. */
  readonly history?: "on" | "off";
}

/** The defaults that `sms profiles set` changes. */
export const settings = ["sender", "country", "rate", "only-to", "hours", "zone", "history"] as const;

export const emptyStore: Store = { version: 1, active: "default", profiles: {} };
