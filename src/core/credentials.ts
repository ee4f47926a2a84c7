import type { ApiKey } from "./key.ts";

/** How a request says who pays: an API key, or the account's own e-mail address and password. */
export type Credentials =
  | { readonly kind: "key"; readonly key: ApiKey }
  | {
      readonly kind: "account";
      readonly email: string;
      readonly password: string;
      /** The names under which they go in the request body, where they do not go as Basic. */
      readonly bodyFields?: BodyFields;
    };

/** The names that the service gives to account credentials in a request body; which they are is the account's to know. */
export interface BodyFields {
  readonly email: string;
  readonly password: string;
}

/** What a send under these credentials does, as results name it. */
export type Mode = "test" | "live" | "account" | "sandbox";

/** The mode of a send to the real service: an account delivers and is charged, as a live key is. */
export function modeOf(credentials: Credentials): Exclude<Mode, "sandbox"> {
  return credentials.kind === "key" ? credentials.key.mode : "account";
}

/** What a request carries to say who pays: Bearer for a key, Basic (RFC 7617, in UTF-8) or fields of the body for an account. */
export function authenticationOf(credentials: Credentials): {
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyFields: Readonly<Record<string, string>>;
} {
  if (credentials.kind === "key") {
    return { headers: { authorization: `Bearer ${credentials.key.secret}` }, bodyFields: {} };
  }
  const { email, password, bodyFields } = credentials;
  if (bodyFields === undefined) {
    return { headers: { authorization: `Basic ${basicToken(email, password)}` }, bodyFields: {} };
  }
  return { headers: {}, bodyFields: { [bodyFields.email]: email, [bodyFields.password]: password } };
}

/** What must never be printed of these credentials: long random text, and a password, which may be a word. */
export function secretsOf(credentials: Credentials): { readonly token: string; readonly password?: string } {
  if (credentials.kind === "key") return { token: credentials.key.secret };
  const { email, password } = credentials;
  return { token: basicToken(email, password), password };
}

function basicToken(email: string, password: string): string {
  return Buffer.from(`${email}:${password}`, "utf8").toString("base64");
}
