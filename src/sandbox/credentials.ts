import { shownKey } from "../message/key.ts";
import type { HttpRequest } from "./http-request.ts";
import { type Answer, refusal, unauthorized } from "./reply.ts";
import type { Fields } from "./send-request.ts";
import type { Mode } from "./history.ts";
import type { AccountSetup } from "./setup.ts";

type Login = AccountSetup["account"];

/** An authenticated request, and its fields without credentials. */
interface Caller {
  readonly kind: "caller";
  readonly mode: Mode;
  readonly key?: string;
  readonly fields: Fields | Answer;
}

/** Authenticates by the `Authorization` header, else by body fields; returns 401 or 403 on failure. */
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
      if (key === undefined) return unauthorized;
      if (key.ips.length > 0 && !key.ips.includes(address)) {
        return refusal(403, "IP_NOT_ALLOWED", "This key may not be used from this IP address");
      }
      return { kind: "caller", mode: modeOf(key), key: shownKey(key.key), fields };
    }
    case "basic": {
      const expected = Buffer.from(`${account.email}:${account.password}`).toString("base64");
      return given === expected ? { kind: "caller", mode: "account", fields } : unauthorized;
    }
    default:
      return unauthorized;
  }
}

function modeOf({ key }: AccountSetup["keys"][number]): Mode {
  return key.startsWith("sk_live_") ? "live" : "test";
}

function authenticateByBody(body: Fields["values"], names: Login, account: Login): Caller | Answer {
  const { [names.email]: email, [names.password]: password, ...values } = body;
  if (email !== account.email || password !== account.password) return unauthorized;
  return { kind: "caller", mode: "account", fields: { kind: "fields", values } };
}
