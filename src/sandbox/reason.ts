import { shownKey } from "../key.ts";
import { usableKeys } from "./account.ts";
import type { HttpRequest } from "./http-request.ts";
import type { Answer, Handled } from "./reply.ts";
import { type Setup, sendPaths } from "./setup.ts";

/** Why a request was answered as it was, in one sentence for the developer who sent it. */
export function reasonOf(request: HttpRequest, handled: Handled, setup: Setup): string {
  const { reply, segments, send: { fault, mode } = {} } = handled;
  if (fault !== undefined) return faultReason(handled, fault);
  if (!request.isWhole) return "The connection ended before the whole body came";
  if (reply.kind !== "answer") return "";
  if (segments !== undefined) {
    const by = mode === "account" ? "by the account" : `with a ${mode} key`;
    return `Accepted ${by}: ${segments} ${segments === 1 ? "segment" : "segments"}`;
  }
  return refusalReason(request, reply, setup);
}

function refusalReason(request: HttpRequest, { error = "", errorCode }: Answer, setup: Setup) {
  switch (errorCode) {
    case "UNAUTHORIZED":
      return credentialsReason(request, setup);
    case "NOT_FOUND":
      return pathReason(request, setup);
    case "METHOD_NOT_ALLOWED":
      return `${request.method} is not allowed here: send with POST ${setup.paths.join(" or ")}`;
    case "INSUFFICIENT_CREDITS":
      return `${error}: ${setup.credits} left`;
    case "RATE_LIMITED":
      return `${error}: the account may send ${setup.rate} a minute`;
    case "SENDER_NOT_AUTHORIZED":
      return `${error}: this sandbox has ${setup.senders.map(({ name }) => name).join(", ")}`;
    default:
      return error;
  }
}

function faultReason({ reply, segments }: Handled, fault: string): string {
  const cause = /^\d{6}$/.test(fault) ? `The number is +254700${fault}` : `The fault ${fault} was drawn`;
  const accepted = segments === undefined ? "the message was not accepted" : "the message was accepted";
  const answers = {
    answer:
      reply.kind === "answer" && segments === undefined ? `answered with ${reply.status}` : "answered without JSON",
    half: "the answer was cut half-way",
    cut: "the connection was cut",
    hang: "never answered",
    stream: "",
  };
  return `${cause}: ${accepted}, and ${answers[reply.kind]}`;
}

function credentialsReason({ authorization }: HttpRequest, setup: Setup): string {
  const keys = usableKeys(setup);
  const [, scheme = "", given = ""] = /^(bearer|basic) +(.+)$/i.exec(authorization) ?? [];
  if (scheme === "") {
    return `No key came in the header Authorization, and none is read elsewhere: send "Authorization: Bearer ${keys[0] ?? "KEY"}"`;
  }
  if (scheme.toLowerCase() === "basic") {
    return `The e-mail address or the password is not that of the account, ${setup.account.email}`;
  }
  if (setup.keys.some(({ key, revoked }) => revoked && key === given)) return `The key ${shownKey(given)} was revoked`;
  const shown = /^sk_(test|live)_/.test(given) ? `The key ${shownKey(given)}` : "What follows Bearer";
  return `${shown} is no key of this sandbox, whose ${keys.length === 1 ? "key is" : "keys are"} ${keys.join(" and ")}`;
}

function pathReason({ path }: HttpRequest, { paths }: Setup): string {
  const isOtherForm = sendPaths.some((known) => known === path);
  const hint = isOtherForm ? "; paths in --config can have both forms" : "";
  return `Nothing is served at this path: send with POST ${paths.join(" or ")}${hint}`;
}
