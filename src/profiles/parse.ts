import { isObject, parseJson } from "../message/json.ts";
import { readKey } from "../message/key.ts";
import { emptyStore, isName, type Store } from "./stored.ts";

/** A parsed credentials file. `reason` never quotes the file. */
export type Parsed =
  | { readonly kind: "store"; readonly store: Store }
  | { readonly kind: "newer" }
  | { readonly kind: "damaged"; readonly reason: string };

export function parseStore(text: string): Parsed {
  if (text.trim() === "") return damaged("it is empty");
  if (/^(<{7}|>{7}) /m.test(text)) return damaged("it contains merge conflict markers");
  const value = parseJson(text);
  if (value === undefined) return damaged("it is not JSON or is cut off");
  if (isObject(value) && Number(value["version"]) > emptyStore.version) return { kind: "newer" };
  return isStore(value) ? { kind: "store", store: value } : damaged("its structure is not what sms writes");
}

export function formatStore(store: Store): string {
  return `${JSON.stringify(store, undefined, 2)}\n`;
}

function damaged(reason: string): Parsed {
  return { kind: "damaged", reason };
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value !== "";

const isDate: Check = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));

const isFlag: Check = (value) => typeof value === "boolean";

const isRate: Check = (value) => typeof value === "number" && value > 0;

const isSecret: Check = (value) => {
  try {
    return typeof value === "string" && readKey(value, "").secret === value;
  } catch {
    return false;
  }
};

const isStoredKey = shape({ secret: isSecret, added: isDate, retired: isFlag, rotatedFrom: optional(isText) });

const isDefaults = shape({
  sender: optional(isText),
  country: optional(isText),
  rate: optional(isRate),
  onlyTo: optional(isText),
  hours: optional(isText),
  zone: optional(isText),
  history: optional(oneOf("on", "off")),
});

const isAccount = shape({
  kind: oneOf("account"),
  email: isText,
  password: isText,
  bodyFields: optional(shape({ email: isText, password: isText })),
});

const isKeyCommand = shape({ kind: oneOf("command"), command: isText });

const hasProfileFields = shape({
  baseUrl: optional(isText),
  path: isText,
  defaults: isDefaults,
  keys: byName(isStoredKey),
});

function isProfile(value: unknown): boolean {
  if (!isObject(value) || !hasProfileFields(value)) return false;
  const { credentials, keys } = value;
  if (!isObject(credentials) || !isObject(keys)) return false;
  const isKeyOfProfile = credentials["kind"] === "key" && Object.hasOwn(keys, String(credentials["name"]));
  return credentials["kind"] === "none" || isKeyOfProfile || isKeyCommand(credentials) || isAccount(credentials);
}

function isStore(value: unknown): value is Store {
  return shape({ version: oneOf(emptyStore.version), active: isText, profiles: byName(isProfile) })(value);
}

function oneOf(...allowed: readonly unknown[]): Check {
  return (value) => allowed.includes(value);
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

/** Ignores other fields, which a later version of sms may have added. */
function shape(fields: Readonly<Record<string, Check>>): Check {
  return (value) => isObject(value) && Object.entries(fields).every(([field, check]) => check(value[field]));
}

function byName(check: Check): Check {
  return (value) => isObject(value) && Object.entries(value).every(([name, member]) => isName(name) && check(member));
}
