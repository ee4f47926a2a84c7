import { isUtf8 } from "node:buffer";
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson, byName, isDate, isFlag, isNumber, isText, oneOf, optional, shape } from "../json.ts";
import type { Account, BodyFields } from "../service/credentials.ts";
import { keyPattern } from "../key.ts";
import { shellWord } from "../words/shell-word.ts";
import { type SmsError, usageError } from "../errors.ts";
import { errorCode, ifThere } from "../files/file-system.ts";
import { type Purpose, requirePrivateFile, requirePrivateFolder } from "../files/privacy.ts";
import { type Defaults, emptyStore, isName, type Profile, type ProfileKey, type Store } from "./stored.ts";

export function storePath(folder: string): string {
  return join(folder, "credentials.json");
}

/** Throws, quoting nothing, if the credentials are damaged or others than `uid` can read them. */
export function readStore(folder: string, uid: number | undefined): Store | undefined {
  const path = storePath(folder);
  const read = <T>(work: () => T) => {
    try {
      return ifThere(work);
    } catch (error) {
      throw unreachable(path, errorCode(error));
    }
  };
  const stats = read(() => lstatSync(path));
  if (stats === undefined) return undefined;
  // If only we can use the folder, nobody can swap the file between lstat and read.
  requirePrivateFolder(folder, uid, credentialsPurpose);
  requirePrivateFile(path, stats, uid, credentialsPurpose);
  const bytes = read(() => readFileSync(path));
  return bytes && parseStore(bytes, path);
}

function parseStore(bytes: Uint8Array, path: string): Store {
  // A lenient decoder would silently alter a password.
  const value = isUtf8(bytes) ? parseJson(new TextDecoder().decode(bytes)) : undefined;
  if (isObject(value) && Number(value["version"]) > emptyStore.version)
    throw usageError("NEWER_STORE", `${path} was written by a newer version of sms`, "update sms");
  if (isStore(value)) return value;
  const away = `mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}`;
  const hint = `repair it, or move it away with \`${away}\` and log in again with \`sms login\``;
  throw usageError("DAMAGED_STORE", `${path} is damaged: it is not what sms writes`, hint);
}

export function formatStore(store: Store): string {
  return `${JSON.stringify(store, undefined, 2)}\n`;
}

export const credentialsPurpose: Purpose = {
  errorCode: "INSECURE_STORE",
  refusal: "refused to use the stored credentials",
  instead: "SMS_CONFIG_DIR to a folder of your own",
};

export function unreachable(path: string, code: string): SmsError {
  const hint = "check its owner and permissions, or set SMS_CONFIG_DIR to another folder";
  return usageError("UNREACHABLE_STORE", `${path} cannot be used (${code})`, hint);
}

const isFilled = (value: unknown) => isText(value) && value !== "";

const isRate = (value: unknown) => isNumber(value) && value > 0;

const isCredits = (value: unknown) => isNumber(value) && value >= 0;

const isKey = shape<ProfileKey>({
  secret: (value) => isText(value) && keyPattern.test(value),
  baseUrl: isFilled,
  added: isDate,
  retired: isFlag,
  rotatedFrom: optional(isFilled),
});

const isDefaults = shape<Defaults>({
  sender: optional(isFilled),
  country: optional(isFilled),
  rate: optional(isRate),
  onlyTo: optional(isFilled),
  hours: optional(isFilled),
  zone: optional(isFilled),
  history: optional(oneOf("on", "off")),
  notifyTo: optional(isFilled),
  dailyCredits: optional(isCredits),
  lowBalance: optional(isCredits),
  record: optional(isFilled),
});

const isAccount = shape<Account>({
  kind: oneOf("account"),
  email: isFilled,
  password: isFilled,
  bodyFields: optional(shape<BodyFields>({ email: isFilled, password: isFilled })),
});

const isKeyCommand = shape<Extract<Profile["credentials"], { kind: "command" }>>({
  kind: oneOf("command"),
  command: isFilled,
});

const hasMembers = shape<Profile>({
  baseUrl: optional(isFilled),
  path: isFilled,
  formerName: optional(isFilled),
  credentials: isObject,
  defaults: isDefaults,
  keys: named(isKey),
});

function isProfile(value: unknown): boolean {
  if (!hasMembers(value)) return false;
  const { credentials, keys } = value;
  const isKeyOfProfile = credentials.kind === "key" && Object.hasOwn(keys, credentials.name);
  return credentials.kind === "none" || isKeyOfProfile || isKeyCommand(credentials) || isAccount(credentials);
}

export const isStore = shape<Store>({
  version: oneOf(emptyStore.version),
  active: isFilled,
  profiles: named(isProfile),
});

function named(check: (value: unknown) => boolean) {
  return (value: unknown) => byName(check)(value) && Object.keys(Object(value)).every(isName);
}
