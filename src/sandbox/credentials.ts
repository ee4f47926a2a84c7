import type { HttpRequest } from "./http-request.ts";
import { type Answer, ipNotAllowed, unauthorized } from "./reply.ts";
import type { Fields } from "./send-request.ts";
import type { AccountLogin, AccountSetup, SandboxKey } from "./setup.ts";

/** Whom a request is charged to: nobody for a test key, the account for a live key or its own e-mail and password. */
export type Mode = "test" | "live" | "account";

/** Who sends, and the fields that are left once those that said so are taken out. */
export interface Caller {
  readonly kind: "caller";
  readonly mode: Mode;
  readonly fields: Fields | Answer;
}

/** Finds out who sends, by the `Authorization` header or else by fields of the body; or the 401 or 403 that they deserve. */
export function authenticate(
  { authorization, address }: HttpRequest,
  fields: Fields | Answer,
  { keys, account, bodyCredentials }: AccountSetup,
): Caller | Answer {
  if (authorization === "" && bodyCredentials !== null && fields.kind === "fields") {
    return authenticateByBody(fields.values, bodyCredentials, account);
  }
  const [scheme = "", ...credentials] = authorization.split(/ +/);
  const given = credentials.join(" ");
  switch (scheme.toLowerCase()) {
    case "bearer": {
      const key = keys.find((one) => one.key === given && !one.revoked);
      if (key === undefined) return unauthorized();
      if (key.ips.length > 0 && !key.ips.includes(address)) return ipNotAllowed();
      return { kind: "caller", mode: modeOf(key), fields };
    }
    case "basic": {
      const expected = Buffer.from(`${account.email}:${account.password}`).toString("base64");
      return given === expected ? { kind: "caller", mode: "account", fields } : unauthorized();
    }
    default:
      return unauthorized();
  }
}

function modeOf({ key }: SandboxKey): Mode {
  return key.startsWith("sk_live_") ? "live" : "test";
}

function authenticateByBody(
  given: Fields["values"],
  names: AccountLogin,
  account: AccountLogin,
): Caller | Answer {
  const { [names.email]: email, [names.password]: password, ...values } = given;
  if (email !== account.email || password !== account.password) return unauthorized();
  return { kind: "caller", mode: "account", fields: { kind: "fields", values } };
}
