import { shownKey } from "../key.ts";
import type { openAccount } from "./account.ts";
import type { openFaults } from "./faults.ts";
import type { HttpRequest } from "./http-request.ts";
import type { openLog } from "./log.ts";
import { reasonOf } from "./reason.ts";
import { redactedText } from "./redaction.ts";
import {
  type AccountMode,
  type Answer,
  type Handled,
  insufficientCredits,
  json,
  type Reply,
  type SandboxMessage,
  tooManyRequests,
  unauthorized,
} from "./reply.ts";
import { type RequestFields, readFields, validate } from "./send-request.ts";
import { sandboxKeys, sandboxLogin, type Setup } from "./setup.ts";

/** A refused send may have longer fields than a message. */
const maxLength = 1600;

export interface SandboxService {
  readonly senders: Setup["senders"];
  readonly takesAnySender: boolean;
  readonly account: ReturnType<typeof openAccount>;
  readonly faults: ReturnType<typeof openFaults>;
  readonly log: ReturnType<typeof openLog>;
}

type Act = (service: SandboxService, request: HttpRequest) => Reply | Handled;

export type Routes = Readonly<Record<string, Readonly<Partial<Record<"GET" | "POST" | "DELETE", Act>>>>>;

/** Accepts or refuses a send. Synchronous, so that two sends cannot spend the same credit. */
export function answerSend(service: SandboxService, request: HttpRequest): Handled {
  const fields = readFields(request);
  const handled = handle(service, request, fields);
  const reason = shortened(reasonOf(request, handled, service.account.summary()));
  const requested = handled.accepted === undefined && fields.kind === "fields" ? requestedOf(fields.values) : {};
  return { ...handled, reason, delayMs: service.faults.latencyMs(), send: { ...requested, ...handled.send } };
}

function handle(
  { account, faults, ...service }: SandboxService,
  request: HttpRequest,
  fields: RequestFields | Answer,
): Handled {
  const caller = authenticate(request.authorization);
  if (caller === undefined) return { reply: unauthorized };
  const waitSeconds = account.admit();
  if (waitSeconds > 0) return { reply: tooManyRequests(waitSeconds), send: caller };
  if (fields.kind === "answer") return { reply: fields, send: caller };
  const valid = validate(fields, service.senders, service.takesAnySender);
  if (valid.kind === "answer") return { reply: valid, send: caller };
  const fault = faults.next(valid.to);
  const send = { ...caller, fault: fault?.name };
  if (fault?.kind === "refuse") return { reply: fault.reply, send };
  const accepted = account.accept(valid, caller.mode, { key: caller.key, fault: fault?.name });
  if (accepted === undefined) return { reply: insufficientCredits, send: caller };
  const answer = receipt(accepted, account.summary().balance);
  const { to, senderId } = accepted;
  return { reply: fault === undefined ? answer : fault.break(answer), accepted, send: { ...send, to, senderId } };
}

function receipt(message: SandboxMessage, newBalance: number): Answer {
  const { messageId, segments, totalCredits, totalCostKes, to, senderId } = message;
  return json(200, {
    success: true,
    messageId,
    segments,
    totalCredits,
    totalCostKes,
    newBalance,
    status: "queued",
    to,
    senderId,
  });
}

function requestedOf({ to, message, senderIdName, senderId }: RequestFields["values"]) {
  return { to: shownField(to), senderId: shownField(senderIdName ?? senderId), message: shownField(message) };
}

function shownField(value: unknown): string | undefined {
  return typeof value === "string" ? redactedText(shortened(value)) : undefined;
}

function shortened(text: string): string {
  return (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text).toWellFormed();
}

interface Caller {
  readonly mode: AccountMode;
  readonly key?: string;
}

function authenticate(authorization: string): Caller | undefined {
  const [scheme = "", ...words] = authorization.split(/ +/);
  const credentials = words.join(" ");
  switch (scheme.toLowerCase()) {
    case "bearer":
      if (!sandboxKeys.includes(credentials)) return undefined;
      return { mode: credentials.startsWith("sk_live_") ? "live" : "test", key: shownKey(credentials) };
    case "basic": {
      const expected = Buffer.from(`${sandboxLogin.email}:${sandboxLogin.password}`).toString("base64");
      return credentials === expected ? { mode: "account" } : undefined;
    }
    default:
      return undefined;
  }
}
