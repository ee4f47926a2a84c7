import { type Address, readAddress, requireSafeFor } from "../core/address.ts";
import type { Credentials } from "../core/credentials.ts";
import { readKey } from "../core/key.ts";
import { SmsError, usageError } from "../errors.ts";
import type { Host } from "../host.ts";

/** The service and the credentials that a command uses, and where each came from. */
export interface Resolved {
  readonly address: Address;
  readonly credentials: Credentials;
  readonly sources: { readonly baseUrl: string; readonly credentials: string };
}

type Environment = Host["environment"];

/**
 * Finds the base URL and the credentials in the environment. Throws a usage error where they are malformed, more than
 * one says who pays, or a secret would travel openly; `no-credentials` where there are none. An empty variable counts
 * as absent.
 */
export async function resolve(environment: Environment): Promise<Resolved> {
  const [credentials, source] = await credentialsFrom(environment);
  const baseUrl = environment["SMS_BASE_URL"];
  if (!baseUrl) {
    throw usageError(
      "NO_BASE_URL",
      "there is no base URL",
      "set SMS_BASE_URL to the service's address, or try out with --sandbox",
    );
  }
  const address = readAddress(baseUrl, "SMS_BASE_URL");
  requireSafeFor(credentials, address);
  return { address, credentials, sources: { baseUrl: "SMS_BASE_URL", credentials: source } };
}

async function credentialsFrom(environment: Environment): Promise<readonly [Credentials, string]> {
  const {
    SMS_API_KEY: key,
    SMS_API_KEY_FILE: keyFile,
    SMS_EMAIL: email,
    SMS_PASSWORD: password,
  } = environment;
  const given = [
    key && "SMS_API_KEY",
    keyFile && "SMS_API_KEY_FILE",
    (email || password) && "SMS_EMAIL and SMS_PASSWORD",
  ].filter((name) => Boolean(name));
  // Which of two accounts pays is not ours to guess.
  if (given.length > 1) {
    throw usageError(
      "AMBIGUOUS_CREDENTIALS",
      `${given.join(" and ")} are all set, and each says who pays`,
      "unset all but one of them",
    );
  }
  if (key) return [{ kind: "key", key: readKey(key, "SMS_API_KEY") }, "SMS_API_KEY"];
  if (keyFile) {
    const text = await readKeyFile(keyFile);
    return [{ kind: "key", key: readKey(text, "the file of SMS_API_KEY_FILE") }, "SMS_API_KEY_FILE"];
  }
  if (email || password) {
    return [readAccount(email, password), "SMS_EMAIL and SMS_PASSWORD"];
  }
  throw noCredentials("there are no credentials", "set SMS_API_KEY to an API key, or try out with --sandbox");
}

async function readKeyFile(path: string): Promise<string> {
  try {
    const { readFile } = await import("node:fs/promises");
    return await readFile(path, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw noCredentials(`the file of SMS_API_KEY_FILE cannot be read (${reason}): ${path}`);
  }
}

function readAccount(email: string | undefined, password: string | undefined): Credentials {
  if (!email) throw noCredentials("SMS_PASSWORD is set, but SMS_EMAIL is not", "set both");
  if (!password) throw noCredentials("SMS_EMAIL is set, but SMS_PASSWORD is not", "set both");
  // Basic ends the user name at the first colon (RFC 7617, 2).
  if (/[:\p{Cc}]/u.test(email) || /\p{Cc}/u.test(password)) {
    throw usageError("INVALID_ACCOUNT", "SMS_EMAIL or SMS_PASSWORD has a character that cannot be sent");
  }
  return { kind: "account", email, password };
}

function noCredentials(message: string, hint?: string): SmsError {
  return new SmsError("no-credentials", message, {
    errorCode: "NO_CREDENTIALS",
    ...(hint !== undefined && { hint }),
  });
}
