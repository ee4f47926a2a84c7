import { createHash } from "node:crypto";
import { type Credentials, secretsOf } from "../core/credentials.ts";

/** Returns what tells one key or account from another and gives none away: an account counts by its e-mail address alone. */
export function fingerprint(credentials: Credentials): string {
  if (credentials.kind === "key") return earlierFingerprint(credentials);
  return hash([credentials.kind, credentials.email]);
}

/** Returns the fingerprint of version 0.1, in which the password of an account counted. */
export function earlierFingerprint(credentials: Credentials): string {
  return hash([credentials.kind, secretsOf(credentials)]);
}

/** 32 bits of SHA-256: too few to find out a key, since millions of keys have the same. */
function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 8);
}
