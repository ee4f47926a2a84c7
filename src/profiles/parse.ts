import { readKey } from "../core/key.ts";
import { isName } from "./name.ts";
import { emptyStore, type Store } from "./stored.ts";

/** What a text may be: a store, one of a later version of sms, or none, and why, in words that quote nothing of it. */
export type Parsed =
  | { readonly kind: "store"; readonly store: Store }
  | { readonly kind: "newer" }
  | { readonly kind: "damaged"; readonly reason: string };

/** Reads the text of the credentials file. */
export function parseStore(text: string): Parsed {
  if (text.trim() === "") return damaged("it is empty");
  if (/^(<{7}|>{7}) /m.test(text)) return damaged("a merge left its conflict markers in it");
  const value = parseJson(text);
  if (value === undefined) return damaged("it is not JSON, or was cut off");
  if (isRecord(value) && Number(value["version"]) > emptyStore.version) return { kind: "newer" };
  return isStore(value) ? { kind: "store", store: value } : damaged("it is not what sms writes");
}

/** The text of the credentials file. */
export function formatStore(store: Store): string {
  return `${JSON.stringify(store, undefined, 2)}\n`;
}

function damaged(reason: string): Parsed {
  return { kind: "damaged", reason };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error quotes the text around the fault, which may be a key.
    return undefined;
  }
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value !== "";

const isDate: Check = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));

const isFlag: Check = (value) => typeof value === "boolean";

const isRate: Check = (value) =>
  (typeof value === "number" && value > 0) || oneOf("free", "starter", "professional")(value);

const isSecret: Check = (value) => {
  try {
    return typeof value === "string" && readKey(value, "").secret === value;
  } catch {
    return false;
  }
};

const isStoredKey = shape({ secret: isSecret, added: isDate, retired: isFlag });

const isDefaults = shape({
  sender: optional(isText),
  country: optional(isText),
  rate: optional(isRate),
});

const isAccount = shape({
  kind: oneOf("account"),
  email: isText,
  password: isText,
  bodyFields: optional(shape({ email: isText, password: isText })),
});

const isProfileButCredentials = shape({
  baseUrl: optional(isText),
  path: isText,
  defaults: isDefaults,
  keys: named(isStoredKey),
});

function isProfile(value: unknown): boolean {
  if (!isRecord(value) || !isProfileButCredentials(value)) return false;
  const { credentials, keys } = value;
  if (!isRecord(credentials) || !isRecord(keys)) return false;
  const isKeyOfProfile = credentials["kind"] === "key" && Object.hasOwn(keys, String(credentials["name"]));
  return credentials["kind"] === "none" || isKeyOfProfile || isAccount(credentials);
}

function isStore(value: unknown): value is Store {
  return shape({ version: oneOf(emptyStore.version), active: isText, profiles: named(isProfile) })(value);
}

function oneOf(...allowed: readonly unknown[]): Check {
  return (value) => allowed.includes(value);
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

/** Fields it does not name pass: a later version of sms may add some, and loses none of them to this one. */
function shape(fields: Readonly<Record<string, Check>>): Check {
  return (value) => isRecord(value) && Object.entries(fields).every(([field, check]) => check(value[field]));
}

function named(check: Check): Check {
  return (value) =>
    isRecord(value) && Object.entries(value).every(([name, one]) => isName(name) && check(one));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
