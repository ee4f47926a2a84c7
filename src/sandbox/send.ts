import type { openAccount } from "./account.ts";
import type { openFaults } from "./faults.ts";
import type { openFeed } from "./feed.ts";
import type { Mode, SandboxMessage } from "./history.ts";
import type { HttpRequest } from "./http-request.ts";
import { reasonOf } from "./reason.ts";
import {
  type Answer,
  type Handled,
  insufficientCredits,
  json,
  refusal,
  type Reply,
  type SendDetails,
  tooManyRequests,
  unauthorized,
} from "./reply.ts";
import type { openRequestLog } from "./request-log.ts";
import { type Fields, readFields, validate } from "./send-request.ts";
import { shownKey } from "../key.ts";
import type { Setup } from "./setup.ts";

/** Characters of a field of a refused send, of which many are kept. */
const maxLength = 1600;

export interface Service {
  readonly takesAnySender: boolean;
  readonly members: readonly string[];
  readonly account: ReturnType<typeof openAccount>;
  readonly faults: ReturnType<typeof openFaults>;
  readonly requests: ReturnType<typeof openRequestLog>;
  readonly feed: ReturnType<typeof openFeed>;
}

type Act = (service: Service, request: HttpRequest) => Reply | Handled;

export type Routes = Readonly<Record<string, Readonly<Partial<Record<"GET" | "POST" | "DELETE", Act>>>>>;

/** Accepts or refuses a send, and stores it either way. Synchronous, so that two sends cannot spend the same credit. */
export function answerSend(service: Service, request: HttpRequest): Handled {
  const { account, faults, requests } = service;
  const fields = readFields(request);
  const requested = fields.kind === "fields" ? requestedOf(fields.values) : undefined;
  const handled = handle(service, request, fields);
  const { reply, send, segments } = handled;
  const reason = reasonOf(request, handled, account.setup());
  const delay = faults.latency();
  if (requested === undefined) return { ...handled, reason, delay };
  const explained = { ...handled, reason, delay, send: { ...requested, ...send } };
  if (segments !== undefined) return explained;
  const requestId = requests.nextId();
  const status = reply.kind === "answer" ? reply.status : 0;
  const errorCode = reply.kind === "answer" && reply.errorCode !== undefined && { errorCode: reply.errorCode };
  account.refuse({ ...requested, ...send, reason: shortened(reason), status, ...errorCode, requestId });
  return { ...explained, requestId };
}

function handle(service: Service, request: HttpRequest, body: Fields | Answer): Handled {
  const { account, faults } = service;
  const setup = account.setup();
  const caller = authenticate(request, body, setup);
  if (caller.kind === "answer") return { reply: caller };
  const { mode, key, fields } = caller;
  const known: SendDetails = { mode, ...(key !== undefined && { key }) };
  const waitSeconds = account.admit();
  if (waitSeconds > 0) return { reply: tooManyRequests(waitSeconds), send: known };
  if (fields.kind === "answer") return { reply: fields, send: known };
  const valid = validate(fields, { ...service, senders: setup.senders });
  if (valid.kind === "answer") return { reply: valid, send: known };
  const fault = faults.next(valid.to);
  const injected = fault === undefined ? {} : { fault: fault.name };
  if (fault?.kind === "refuse") return { reply: fault.reply, send: { ...known, ...injected } };
  const message = account.accept(valid, mode, { ...(key !== undefined && { key }), ...injected });
  if (message === undefined) return { reply: insufficientCredits, send: known };
  const answer = receipt(message, account.summary().balance);
  const reply = fault === undefined ? answer : fault.break(answer);
  const { messageId, segments, senderId } = message;
  return { reply, segments, send: { ...known, messageId, senderId, ...injected } };
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

/** The readable fields of a send, as much of each as a message may have; undefined without a recipient. */
function requestedOf({ to, message, senderIdName, senderId }: Fields["values"]) {
  if (typeof to !== "string") return undefined;
  const sender = senderIdName ?? senderId;
  return {
    to: shortened(to),
    ...(typeof sender === "string" && { senderId: shortened(sender) }),
    ...(typeof message === "string" && { message: shortened(message) }),
  };
}

function shortened(text: string): string {
  const kept = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  // Half of a surrogate pair would have no address in the inbox.
  return kept.toWellFormed();
}

type Login = Setup["account"];

interface Caller {
  readonly kind: "caller";
  readonly mode: Mode;
  readonly key?: string;
  readonly fields: Fields | Answer;
}

/** Authenticates by the `Authorization` header, else by body fields; returns 401 or 403 on failure. */
function authenticate(
  { authorization, address }: HttpRequest,
  fields: Fields | Answer,
  { keys, account, bodyCredentials }: Setup,
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

function modeOf({ key }: Setup["keys"][number]): Mode {
  return key.startsWith("sk_live_") ? "live" : "test";
}

function authenticateByBody(body: Fields["values"], names: Login, account: Login): Caller | Answer {
  const { [names.email]: email, [names.password]: password, ...values } = body;
  if (email !== account.email || password !== account.password) return unauthorized;
  return { kind: "caller", mode: "account", fields: { kind: "fields", values } };
}
