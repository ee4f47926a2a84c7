/** What the credentials file holds: the profiles by name, and which one is in use. */
export interface Store {
  readonly version: 1;
  /** The profile in use; it need not exist yet. */
  readonly active: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** A service, who pays there, and the defaults of a send to it. */
export interface Profile {
  /** Absent until a login names one; a send then needs SMS_BASE_URL. */
  readonly baseUrl?: string;
  /** The path of the send operation under the base URL. */
  readonly path: string;
  readonly credentials: StoredCredentials;
  readonly defaults: Defaults;
  /** The keys by name, the one in use and the retired ones among them. */
  readonly keys: Readonly<Record<string, StoredKey>>;
}

/** Who pays: a key of the profile by its name, the account itself, or nobody yet. */
type StoredCredentials =
  | { readonly kind: "none" }
  | { readonly kind: "key"; readonly name: string }
  | StoredAccount;

/** The account's own e-mail address and password. */
export interface StoredAccount {
  readonly kind: "account";
  readonly email: string;
  readonly password: string;
  /** The names under which both stand in the request's body; absent: they go as Basic. */
  readonly bodyFields?: { readonly email: string; readonly password: string };
}

/** A key as it is kept; its mode is read from its prefix. */
export interface StoredKey {
  readonly secret: string;
  /** When it was added, ISO 8601 in UTC. */
  readonly added: string;
  /** Replaced by a rotation, and kept until it is revoked and removed. */
  readonly retired: boolean;
}

/** What a send takes where flags and environment are silent. */
export interface Defaults {
  /** The name of a sender ID. */
  readonly sender?: string;
  /** ISO country in which numbers without `+` are read. */
  readonly country?: string;
  /** That of a tier, or requests a minute. */
  readonly rate?: "free" | "starter" | "professional" | number;
}

/** What there is before the first login. */
export const emptyStore: Store = { version: 1, active: "default", profiles: {} };
