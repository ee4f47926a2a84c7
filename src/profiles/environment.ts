import type { Account, Credentials } from "../service/credentials.ts";
import { readKey } from "../key.ts";
import { nearest } from "../words/nearest.ts";
import { shellWord } from "../words/shell-word.ts";
import { SmsError, usageError } from "../errors.ts";
import { readLimited } from "../files/file-system.ts";
import type { Host } from "../host.ts";

const mostBytes = 4096;

export const credentialVariables = [
  "SMS_API_KEY",
  "SMS_API_KEY_FILE",
  "SMS_API_KEY_CMD",
  "SMS_EMAIL",
  "SMS_PASSWORD",
] as const;

export interface LocatedCredentials {
  /** A key command gives its credentials only when it has run. */
  readonly credentials: Credentials | undefined;
  readonly keyCommand?: string;
  /** Only a stored key has a name. */
  readonly key?: { readonly name: string; readonly added: string };
}

/** A source is the name of an environment variable, or `profile`. */
export interface SourcedCredentials extends LocatedCredentials {
  readonly source: string;
  readonly warning?: string;
}

const ours = /^SMS_/;

const variables = [
  "BASE_URL",
  "PROFILE",
  ...credentialVariables.map((name) => name.replace(ours, "")),
  "SENDER",
  "COUNTRY",
  "EXPECT",
  "ONLY_TO",
  "NOTIFY_TO",
  "DAILY_CREDITS",
  "HISTORY",
  "RECORD",
  "CONFIG_DIR",
  "STATE_DIR",
  "SANDBOX_TOKEN",
];

/** A variable that nothing reads may be meant to hold messages back. */
export function unreadVariables(environment: Host["environment"]): readonly string[] {
  return Object.keys(environment).flatMap((name) => {
    if (!ours.test(name) || variables.includes(name.replace(ours, ""))) return [];
    const meant = nearest(name.replace(ours, ""), variables);
    // A longer name is of another program, such as the password of its database.
    const isNear = meant !== undefined && name.length <= meant.length + 5;
    return [`sms does not read ${name}${isNear ? `: did you mean SMS_${meant}?` : ""}`];
  });
}

/**
 * Who sets a variable with the name of such an option believes that the variable holds messages back. Throws a usage error
 * `UNREAD_VARIABLE`.
 */
export function refuseHoldingBack(environment: Host["environment"], options: readonly string[]): void {
  for (const option of [...options, "--test"]) {
    const name = option.replace("--", "").replaceAll("-", "_").toUpperCase();
    if (variables.includes(name) || environment[`SMS_${name}`] === undefined) continue;
    const hint = `unset it; the option of \`sms send\` is ${option.replace("test", "expect")}`;
    throw usageError("UNREAD_VARIABLE", `SMS_${name} is set, and sms does not read it`, hint);
  }
}

/** If sms ignored the key, the profile might charge another account, or be live where the key is not. */
function refuseUnreadKey(environment: Host["environment"]): void {
  const isKey = (text = "") => /^\s*sk_(test|live)_/.test(text);
  const name = Object.keys(environment).find((each) => ours.test(each) && isKey(environment[each]));
  if (name === undefined) return;
  throw noCredentials(`${name} has an API key, and sms does not read it`, `set SMS_API_KEY instead, or unset ${name}`);
}

export type CredentialsHost = Pick<Host, "environment" | "readFile" | "uid">;

/** Throws if the credentials are malformed, incomplete, unreadable or given twice. */
export async function environmentCredentials(host: CredentialsHost): Promise<SourcedCredentials | undefined> {
  const { environment, readFile, uid } = host;
  const values = credentialVariables.map((name) => environment[name]?.trim());
  const [key, keyFile, keyCommand, email, password] = values;
  const account = "SMS_EMAIL and SMS_PASSWORD";
  const names = {
    SMS_API_KEY: key,
    SMS_API_KEY_FILE: keyFile,
    SMS_API_KEY_CMD: keyCommand,
    [account]: email || password,
  };
  const kinds = Object.entries(names).flatMap(([name, value]) => (value ? [name] : []));
  // Each may charge another account.
  if (kinds.length > 1) {
    const hint = "unset all but one of them";
    throw usageError("AMBIGUOUS_CREDENTIALS", `more than one kind of credentials is set: ${kinds.join(", ")}`, hint);
  }
  if (key) return keyFrom(key, "SMS_API_KEY", "SMS_API_KEY");
  if (keyFile) {
    const text = await readKeyFile(keyFile, readFile);
    const warning = await warningOfReaders(keyFile, uid);
    return { ...keyFrom(text, "the file in SMS_API_KEY_FILE", "SMS_API_KEY_FILE"), warning };
  }
  if (keyCommand) return { credentials: undefined, keyCommand, source: "SMS_API_KEY_CMD" };
  if (email || password) return { credentials: readAccount(email, password), source: account };
  // The profile may charge another account.
  const empty = credentialVariables[values.indexOf("")];
  if (empty !== undefined) throw noCredentials(`${empty} is set but empty`, emptyHint);
  refuseUnreadKey(environment);
  return undefined;
}

function keyFrom(text: string, where: string, source: string): SourcedCredentials {
  return { credentials: { kind: "key", key: readKey(text, where) }, source };
}

async function readKeyFile(path: string, readFile: Host["readFile"]): Promise<string> {
  if (/^\s*sk_(test|live)_/.test(path))
    throw noCredentials("SMS_API_KEY_FILE is an API key, not the path of a file", "set SMS_API_KEY to the key");
  try {
    return Buffer.from(await readLimited(readFile(path), path, mostBytes)).toString();
  } catch (error) {
    if (error instanceof SmsError && error.errorCode !== "TOO_LONG") throw error;
    const { unreadableFile } = await import("../files/unreadable-file.ts");
    const { message } = unreadableFile(error, path, "SMS_API_KEY_FILE") ?? {
      message: `the file in SMS_API_KEY_FILE has over ${mostBytes} bytes: ${path}`,
    };
    throw noCredentials(message, "set SMS_API_KEY_FILE to the path of a file that contains an API key");
  }
}

/** Containers mount secrets so that others can read them, and systemd uses an ACL: a refusal would be too strict. */
async function warningOfReaders(path: string, uid: number | undefined): Promise<string | undefined> {
  const { stat } = await import("node:fs/promises");
  const stats = await stat(path);
  if (uid === undefined || !stats.isFile()) return undefined;
  if ((stats.mode & (stats.uid === uid ? 0o044 : 0o004)) === 0) return undefined;
  const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
  return `other users can read the file in SMS_API_KEY_FILE (mode ${mode}): \`chmod 600 ${shellWord(path)}\``;
}

function readAccount(email: string | undefined, password: string | undefined): Credentials {
  const fault = (value: string | undefined) => (value === undefined ? "not" : "empty");
  if (!email) throw noCredentials(`SMS_PASSWORD is set, but SMS_EMAIL is ${fault(email)}`, "set both");
  if (!password) throw noCredentials(`SMS_EMAIL is set, but SMS_PASSWORD is ${fault(password)}`, "set both");
  return checkedAccount(email, password);
}

/** If HTTP Basic cannot carry one of them, this throws a usage error `INVALID_ACCOUNT` that quotes neither. */
export function checkedAccount(email: string, password: string): Account {
  if (password === "")
    throw usageError("INVALID_ACCOUNT", "the password is empty", "give it as a line on standard input");
  // In Basic, the user name ends at the first colon (RFC 7617, 2).
  if (!/^[^:\0-\x1F\x7F-\x9F]+$/.test(email) || !/^[^\0-\x1F\x7F-\x9F]+$/.test(password))
    throw usageError("INVALID_ACCOUNT", "the e-mail address or the password has a character that cannot be sent");
  return { kind: "account", email, password };
}

function noCredentials(message: string, hint: string): SmsError {
  return new SmsError("no-credentials", "NO_CREDENTIALS", message, hint);
}

/** Throws a usage error `EMPTY_VARIABLE` if only white space is there. */
export function variable(environment: Host["environment"], name: `SMS_${string}`): string | undefined {
  const value = environment[name]?.trim();
  if (value === "") throw usageError("EMPTY_VARIABLE", `${name} is set but empty`, emptyHint);
  return value;
}

const emptyHint = "is the secret missing in this job? Set it, or unset the variable";
