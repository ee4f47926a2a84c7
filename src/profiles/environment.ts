import type { Credentials } from "../core/credentials.ts";
import { readKey } from "../core/key.ts";
import { SmsError, usageError } from "../errors.ts";
import { errorCode } from "../files/error-code.ts";
import type { Host } from "../host.ts";

/** Credentials, and the variable they came from. */
export interface GivenCredentials {
  readonly credentials: Credentials;
  readonly source: string;
}

/**
 * The credentials of the environment; undefined where it has none. Throws a usage error where they are malformed or more
 * than one says who pays; `no-credentials` where half of them is missing.
 */
export async function environmentCredentials(
  environment: Host["environment"],
): Promise<GivenCredentials | undefined> {
  const {
    SMS_API_KEY: key,
    SMS_API_KEY_FILE: keyFile,
    SMS_EMAIL: email,
    SMS_PASSWORD: password,
  } = environment;
  const account = "SMS_EMAIL and SMS_PASSWORD";
  const given = [key && "SMS_API_KEY", keyFile && "SMS_API_KEY_FILE", (email || password) && account].filter(
    (name) => Boolean(name),
  );
  // Which of two accounts pays is not ours to guess.
  if (given.length > 1) {
    throw usageError(
      "AMBIGUOUS_CREDENTIALS",
      `${given.join(" and ")} are all set, and each says who pays`,
      "unset all but one of them",
    );
  }
  if (key) return keyFrom(key, "SMS_API_KEY", "SMS_API_KEY");
  if (keyFile) return keyFrom(await readKeyFile(keyFile), "the file of SMS_API_KEY_FILE", "SMS_API_KEY_FILE");
  if (email || password) return { credentials: readAccount(email, password), source: account };
  return undefined;
}

function keyFrom(text: string, where: string, source: string): GivenCredentials {
  return { credentials: { kind: "key", key: readKey(text, where) }, source };
}

async function readKeyFile(path: string): Promise<string> {
  try {
    const { readFile } = await import("node:fs/promises");
    return await readFile(path, "utf8");
  } catch (error) {
    throw noCredentials(
      `the file of SMS_API_KEY_FILE cannot be read (${errorCode(error)}): ${path}`,
      "name a file that holds an API key",
    );
  }
}

function readAccount(email: string | undefined, password: string | undefined): Credentials {
  if (!email) throw noCredentials("SMS_PASSWORD is set, but SMS_EMAIL is not", "set both");
  if (!password) throw noCredentials("SMS_EMAIL is set, but SMS_PASSWORD is not", "set both");
  return checkedAccount(email, password);
}

/** An account whose e-mail address and password can be sent; else a usage error that quotes neither. */
export function checkedAccount(email: string, password: string): Extract<Credentials, { kind: "account" }> {
  // Basic ends the user name at the first colon (RFC 7617, 2).
  if (!/^[^:\0-\x1F\x7F-\x9F]+$/.test(email) || !/^[^\0-\x1F\x7F-\x9F]+$/.test(password)) {
    throw usageError(
      "INVALID_ACCOUNT",
      "the e-mail address or the password has a character that cannot be sent",
    );
  }
  return { kind: "account", email, password };
}

function noCredentials(message: string, hint: string): SmsError {
  return new SmsError("no-credentials", message, { errorCode: "NO_CREDENTIALS", hint });
}
