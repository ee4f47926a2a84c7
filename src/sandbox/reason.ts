import { shownKey } from "../message/key.ts";
import { usableKeys } from "./account.ts";
import type { HttpRequest } from "./http-request.ts";
import type { Answer, Handled } from "./reply.ts";
import { bodyProblem, type Fields } from "./send-request.ts";
import { type AccountSetup, sendPaths } from "./setup.ts";

/** Why a request was answered as it was, in one sentence for the developer who sent it. */
export function reasonOf(request: HttpRequest, handled: Handled, setup: AccountSetup, fields?: Fields): string {
  const { reply, segments, send: { fault, mode } = {} } = handled;
  if (fault !== undefined) return faultReason(handled, fault);
  if (!request.isWhole) return bodyReason(request);
  if (reply.kind !== "answer") return "";
  if (segments !== undefined) {
    const by = mode === "account" ? "by the account" : `with a ${mode} key`;
    return `Accepted ${by}: ${segments} ${segments === 1 ? "segment" : "segments"}`;
  }
  return refusalReason(request, reply, setup, fields);
}

function refusalReason(request: HttpRequest, { error = "", errorCode }: Answer, setup: AccountSetup, fields?: Fields) {
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
      return `${error}: the account may send ${setup.rate ?? `what the ${setup.tier} tier allows`} a minute`;
    case "SENDER_NOT_AUTHORIZED":
      return `${error}: this sandbox has ${setup.senders.map(({ name }) => name).join(", ")}`;
    case "INVALID_REQUEST":
      return fields === undefined ? bodyProblem(request, error, setup) : fieldReason(error, fields);
    default:
      return error;
  }
}

function bodyReason({ body, headers }: HttpRequest): string {
  const length = headers.find(([name]) => /^content-length$/i.test(name))?.[1];
  const came =
    length === undefined || body === undefined ? "" : `: ${body.length} of the ${length} bytes of its Content-Length`;
  return `The connection ended before the whole body came${came}`;
}

function faultReason({ reply, segments }: Handled, fault: string): string {
  const cause = /^\d{6}$/.test(fault) ? `The number ends in ${fault}` : `The fault ${fault} was drawn`;
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

function credentialsReason({ authorization, headers, query }: HttpRequest, setup: AccountSetup): string {
  const keys = usableKeys(setup);
  const expected = `Authorization: Bearer ${keys[0] ?? "KEY"}`;
  const [scheme = "", ...rest] = authorization.split(/ +/);
  const given = rest.join(" ");
  if (authorization === "") {
    const other = headers.find(([name, value]) => /(?<!idempotency-)key|token|auth/i.test(name) && value !== "")?.[0];
    if (other !== undefined) return `The header ${other} is not read: the key belongs in "${expected}"`;
    const isInQuery = [...query.keys()].some((name) => /key|token|auth/i.test(name));
    return isInQuery
      ? `A key in the address is not read: it belongs in the header "${expected}"`
      : `There are no credentials: add the header "${expected}"`;
  }
  if (/^sk_(test|live)_/.test(authorization)) return `"Bearer " is missing before the key in the Authorization header`;
  if (scheme.toLowerCase() === "basic") {
    return `The e-mail address or the password is not that of the account, ${setup.account.email}`;
  }
  if (scheme.toLowerCase() !== "bearer") return `The Authorization header must begin with "Bearer " or "Basic "`;
  if (given === "") return `There is no key after "Bearer" in the Authorization header`;
  if (setup.keys.some(({ key, revoked }) => revoked && key === given)) return `The key ${shownKey(given)} was revoked`;
  const shown = /^sk_(test|live)_/.test(given) ? `The key ${shownKey(given)}` : "What follows Bearer";
  return `${shown} is no key of this sandbox, whose ${keys.length === 1 ? "key is" : "keys are"} ${keys.join(" and ")}`;
}

function pathReason({ path }: HttpRequest, { paths }: AccountSetup): string {
  const isOtherForm = sendPaths.some((known) => known === path);
  const hint = isOtherForm ? "; `sms sandbox --path both` serves both forms" : "";
  return `Nothing is served at this path: send with POST ${paths.join(" or ")}${hint}`;
}

/** The sentence of a refusal with the value that it is about. */
function fieldReason(error: string, { values }: Fields): string {
  const [name = ""] = /^(?:to|message|senderIdName|senderId)(?= must)/.exec(error) ?? [];
  return name === "" ? error : `${error}; it is ${shownValue(values[name])}`;
}

function shownValue(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 40).toWellFormed()}… (${text.length - 2} characters)` : text;
}
