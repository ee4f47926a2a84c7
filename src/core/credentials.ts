import type { ApiKey } from "./key.ts";

/** How a request says who pays: an API key, or the account's own e-mail address and password. */
export type Credentials =
  | { readonly kind: "key"; readonly key: ApiKey }
  | { readonly kind: "account"; readonly email: string; readonly password: string };

/** What a send under these credentials does, as results name it. */
export type Mode = "test" | "live" | "account" | "sandbox";

/** The mode of a send to the real service: an account delivers and is charged, as a live key is. */
export function modeOf(credentials: Credentials): Exclude<Mode, "sandbox"> {
  return credentials.kind === "key" ? credentials.key.mode : "account";
}

/** What the Authorization header carries: Bearer for a key, Basic (RFC 7617, in UTF-8) for an account. */
export function authorizationOf(credentials: Credentials): {
  readonly scheme: string;
  readonly token: string;
} {
  if (credentials.kind === "key") return { scheme: "Bearer", token: credentials.key.secret };
  const { email, password } = credentials;
  return { scheme: "Basic", token: Buffer.from(`${email}:${password}`, "utf8").toString("base64") };
}

/** What must never be printed of these credentials, in whichever form. */
export function secretsOf(credentials: Credentials): readonly string[] {
  const { token } = authorizationOf(credentials);
  return credentials.kind === "key" ? [token] : [token, credentials.password];
}
