import type { ApiKey } from "../key.ts";

export type Credentials =
  | { readonly kind: "key"; readonly key: ApiKey }
  | {
      readonly kind: "account";
      readonly email: string;
      readonly password: string;
      readonly bodyFields?: BodyFields;
    };

/** The service does not document these fields (docs/internals/service-interface.md, 5). */
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

/** The password is apart because it may be a common word. */
export function secretsOf(credentials: Credentials): { readonly token: string; readonly password?: string } {
  if (credentials.kind === "key") return { token: credentials.key.secret };
  const { email, password } = credentials;
  return { token: basicToken(email, password), password };
}

function basicToken(email: string, password: string): string {
  return Buffer.from(`${email}:${password}`, "utf8").toString("base64");
}
