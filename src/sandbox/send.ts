import { shownKey } from "../key.ts";
import type { openAccount } from "./account.ts";
import type { openFaults } from "./faults.ts";
import type { HttpRequest } from "./http-request.ts";
import type { openLog } from "./log.ts";
import { redactedText } from "./redaction.ts";
import {
  type AccountMode,
  type Answer,
  type Handled,
  insufficientCredits,
  invalidRequest,
  json,
  type Reply,
  type SandboxMessage,
  type SendDetails,
  senderNotAuthorized,
  tooManyRequests,
  unauthorized,
} from "./reply.ts";
import { type RequestFields, readFields, validate } from "./send-request.ts";
import { isSandboxKey, sandboxKeys, sandboxLogin, type Setup } from "./setup.ts";

/** A refused send may have fields that are longer than a message. */
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
  const body = readFields(request);
  const ofAccount = request.fields.authorization === undefined ? fieldsOfAccount(body) : undefined;
  const fields = ofAccount ?? body;
  const caller = ofAccount === undefined ? authenticate(request.fields.authorization) : ({ mode: "account" } as const);
  const handled = handle(service, caller, fields);
  const reason = shortened(handled.reason ?? "");
  const isCheck = isCheckOf(fields) || undefined;
  const requested = handled.accepted === undefined && "values" in fields ? requestedOf(fields.values) : {};
  return { ...handled, reason, delayMs: service.faults.latencyMs(), send: { isCheck, ...requested, ...handled.send } };
}

function handle(
  { account, faults, senders, takesAnySender }: SandboxService,
  caller: Caller | string,
  fields: RequestFields | Answer,
): Handled {
  if (typeof caller === "string") return { reply: unauthorized, reason: caller };
  const refuse = (reply: Answer, why?: string) => {
    const reason = [reply.error, why].filter(Boolean).join(": ");
    return { reply, reason, send: caller };
  };
  const waitSeconds = account.admit();
  const { balance, rate } = account.summary();
  if (waitSeconds > 0) return refuse(tooManyRequests(waitSeconds), `the account may send ${rate} a minute`);
  if ("status" in fields) return refuse(fields);
  if (isCheckOf(fields)) {
    const reply = invalidRequest("to and message are missing");
    return { reply, reason: "The credentials are taken; a check sends no message", send: caller };
  }
  const valid = validate(fields, senders, takesAnySender);
  if (valid === senderNotAuthorized)
    return refuse(valid, `this sandbox has ${senders.map(({ name }) => name).join(", ")}`);
  if ("status" in valid) return refuse(valid);
  const fault = faults.next(valid.to);
  const send = { ...caller, fault: fault?.name };
  if (typeof fault?.effect === "object")
    return { reply: fault.effect, reason: faultReason(fault.effect, fault.name, false), send };
  const message = account.accept(valid, caller.mode, { key: caller.key, fault: fault?.name });
  if (message === undefined) return refuse(insufficientCredits, `${balance} left`);
  const answer = receipt(message, account.summary().balance);
  const reply = fault === undefined ? answer : fault.effect(answer);
  const reason = fault === undefined ? acceptedReason(message) : faultReason(reply, fault.name, true);
  const { to, senderId } = message;
  return { reply, reason, accepted: message, send: { ...send, to, senderId } };
}

function isCheckOf(fields: RequestFields | Answer): boolean {
  return "values" in fields && Object.keys(fields.values).length === 0;
}

function acceptedReason({ mode, segments }: SandboxMessage): string {
  const by = mode === "account" ? "by the account" : `with a ${mode} key`;
  return `Accepted ${by}: ${segments} ${segments === 1 ? "segment" : "segments"}`;
}

function faultReason(reply: Reply, fault: string, isAccepted: boolean): string {
  const { kind } = reply;
  const cause = /^\d{6}$/.test(fault) ? `the number is +254700${fault}` : `the fault ${fault} was drawn`;
  const answers = {
    answer: "error" in reply ? "the answer was an error" : "the answer was not JSON",
    half: "the answer was cut half-way",
    cut: "the connection was cut",
    hang: "never answered",
  };
  if (isAccepted) return `Accepted, but ${answers[kind]}: ${cause}`;
  return `${kind === "cut" ? "Not accepted, and the connection was cut" : "Refused on purpose"}: ${cause}`;
}

function receipt(message: SandboxMessage, newBalance: number): Answer {
  const { messageId, segments, totalCredits, totalCostKes, to, senderId } = message;
  const cost = { segments, totalCredits, totalCostKes, newBalance };
  return json(200, { success: true, messageId, ...cost, status: "queued", to, senderId });
}

function requestedOf({ to, message, senderIdName, senderId }: RequestFields["values"]): SendDetails {
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

/** Returns the fields beside those of the account, whose names the service does not tell; undefined without both. */
function fieldsOfAccount(body: RequestFields | Answer): RequestFields | undefined {
  if ("status" in body) return undefined;
  const { email, password } = sandboxLogin;
  const entries = Object.entries(body.values);
  const others = entries.filter(([, value]) => value !== email && value !== password);
  const isOfAccount =
    entries.length - others.length === 2 &&
    [email, password].every((text) => entries.some(([, value]) => value === text));
  return isOfAccount ? { values: Object.fromEntries(others) } : undefined;
}

/** Returns the reason if the credentials are refused. */
function authenticate(authorization = ""): Caller | string {
  const [, scheme = "", credentials = ""] = /^(bearer|basic) +(.+)$/i.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case "bearer": {
      if (isSandboxKey(credentials))
        return { mode: credentials.startsWith("sk_live_") ? "live" : "test", key: shownKey(credentials) };
      const name = /^sk_(test|live)_/.test(credentials) ? `The key ${shownKey(credentials)}` : "What follows Bearer";
      return `${name} is no key of this sandbox, whose keys are ${sandboxKeys.join(" and ")}`;
    }
    case "basic": {
      const { email, password } = sandboxLogin;
      if (credentials === Buffer.from(`${email}:${password}`).toString("base64")) return { mode: "account" };
      return `The e-mail address or the password is not that of the account, ${email}`;
    }
    default:
      return `No key came in the header Authorization, and no account in the body: send "Authorization: Bearer ${sandboxKeys[0]}"`;
  }
}
