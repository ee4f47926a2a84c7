import type { ApiKey } from "../key.ts";

export type Credentials = { readonly kind: "key"; readonly key: ApiKey } | Account;

export interface Account {
  readonly kind: "account";
  readonly email: string;
  readonly password: string;
  readonly bodyFields?: BodyFields;
}

/** Some services take both in these fields of the request body, undocumented (docs/internals/service-interface.md, 5). */
export interface BodyFields {
  readonly email: string;
  readonly password: string;
}

export interface Payer {
  /** This tells accounts apart and reveals no secret. */
  readonly account: string;
  /** A key without a name has its source, such as SMS_API_KEY. */
  readonly key: string;
  readonly profile?: string;
}

export type Mode = "test" | "live" | "account" | "sandbox";

export function isLive(mode: Mode): boolean {
  return mode === "live" || mode === "account";
}

export function modeOf(credentials: Credentials): Exclude<Mode, "sandbox"> {
  return credentials.kind === "key" ? credentials.key.mode : "account";
}

export function authenticationOf(credentials: Credentials) {
  if (credentials.kind === "account" && credentials.bodyFields !== undefined) {
    const { email, password, bodyFields } = credentials;
    return { bodyFields: { [bodyFields.email]: email, [bodyFields.password]: password } };
  }
  const scheme = credentials.kind === "key" ? "Bearer" : "Basic";
  return { headers: { authorization: `${scheme} ${secretsOf(credentials).token}` } };
}

/** The password is apart because it may be a common word. */
export function secretsOf(credentials: Credentials): { readonly token: string; readonly password?: string } {
  if (credentials.kind === "key") return { token: credentials.key.secret };
  const { email, password } = credentials;
  return { token: Buffer.from(`${email}:${password}`, "utf8").toString("base64"), password };
}
