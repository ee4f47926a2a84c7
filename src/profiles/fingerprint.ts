import { createHash } from "node:crypto";
import { type Credentials, secretsOf } from "../message/credentials.ts";

/** Returns what tells one key or account from another and gives none away: an account counts by its e-mail address alone. */
export function fingerprint(credentials: Credentials): string {
  return hash([credentials.kind, credentials.kind === "key" ? secretsOf(credentials) : credentials.email]);
}

/** 32 bits of SHA-256: too few to find out a key, since millions of keys have the same. */
function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 8);
}
