import { shownKey } from "../key.ts";
import type { AccountSummary } from "./account.ts";
import type { HttpRequest } from "./http-request.ts";
import type { Answer, Handled } from "./reply.ts";
import { sandboxLogin, sendPaths } from "./setup.ts";

/** The reason for an answer, in one sentence for the developer who sent the request. */
export function reasonOf(request: HttpRequest, handled: Handled, account: AccountSummary): string {
  const { reply, accepted, send: { fault } = {} } = handled;
  if (fault !== undefined) return faultReason(handled, fault);
  if (!request.isWhole) return "The connection ended before the whole body came";
  if (reply.kind !== "answer") return "";
  if (accepted === undefined) return refusalReason(request, reply, account);
  const { mode, segments } = accepted;
  const by = mode === "account" ? "by the account" : `with a ${mode} key`;
  return `Accepted ${by}: ${segments} ${segments === 1 ? "segment" : "segments"}`;
}

function refusalReason(request: HttpRequest, { error = "", errorCode }: Answer, account: AccountSummary) {
  switch (errorCode) {
    case "UNAUTHORIZED":
      return credentialsReason(request, account.keys);
    case "NOT_FOUND":
      return `Nothing is served at this path: send with POST ${sendPaths.join(" or ")}`;
    case "METHOD_NOT_ALLOWED":
      return `${request.method} is not allowed here: send with POST ${sendPaths.join(" or ")}`;
    case "INSUFFICIENT_CREDITS":
      return `${error}: ${account.balance} left`;
    case "RATE_LIMITED":
      return `${error}: the account may send ${account.rate} a minute`;
    case "SENDER_NOT_AUTHORIZED":
      return `${error}: this sandbox has ${account.senders.join(", ")}`;
    default:
      return error;
  }
}

function faultReason({ reply, accepted }: Handled, fault: string): string {
  const cause = /^\d{6}$/.test(fault) ? `the number is +254700${fault}` : `the fault ${fault} was drawn`;
  const answers = {
    answer: "the answer was not JSON",
    half: "the answer was cut half-way",
    cut: "the connection was cut",
    hang: "never answered",
  };
  if (accepted !== undefined) return `Accepted, but ${answers[reply.kind]}: ${cause}`;
  return `${reply.kind === "cut" ? "Not accepted, and the connection was cut" : "Refused on purpose"}: ${cause}`;
}

function credentialsReason({ authorization }: HttpRequest, keys: readonly string[]): string {
  const [, scheme = "", secret = ""] = /^(bearer|basic) +(.+)$/i.exec(authorization) ?? [];
  if (scheme === "") {
    return `No key came in the header Authorization, and none is read elsewhere: send "Authorization: Bearer ${keys[0]}"`;
  }
  if (scheme.toLowerCase() === "basic") {
    return `The e-mail address or the password is not that of the account, ${sandboxLogin.email}`;
  }
  const shown = /^sk_(test|live)_/.test(secret) ? `The key ${shownKey(secret)}` : "What follows Bearer";
  return `${shown} is no key of this sandbox, whose keys are ${keys.join(" and ")}`;
}
