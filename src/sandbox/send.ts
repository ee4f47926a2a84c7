import type { Account, SandboxMessage, SandboxRefusal } from "./account.ts";
import type { Behaviours } from "./behaviours.ts";
import { authenticate } from "./credentials.ts";
import type { Feed } from "./feed.ts";
import type { Handled } from "./handled.ts";
import type { HttpRequest } from "./http-request.ts";
import { reasonOf } from "./reason.ts";
import { type Answer, insufficientCredits, json, type Reply, tooManyRequests } from "./reply.ts";
import type { RequestLog } from "./request-log.ts";
import { type Fields, readFields, validate } from "./send-request.ts";

/** Characters of a field of a refused send, of which many are kept. */
const maxLength = 1600;

/** The state behind all requests. */
export interface Service {
  readonly account: Account;
  readonly behaviours: Behaviours;
  readonly requests: RequestLog;
  readonly feed: Feed;
}

/** Accepts or refuses a send, and stores it either way. Synchronous, so that two sends cannot spend the same credit. */
export function answerSend(service: Service, request: HttpRequest): Handled {
  const fields = readFields(request);
  const requested = fields.kind === "fields" ? requestedOf(fields.values) : undefined;
  const handled = handle(service, request, fields);
  const { reply, mode, key, segments, fault } = handled;
  const reason = reasonOf(request, handled, service.account.setup(), fields.kind === "fields" ? fields : undefined);
  const { to = "", senderId } = requested ?? {};
  const explained = {
    ...(senderId !== undefined && { senderId }),
    ...handled,
    reason,
    delay: service.behaviours.latency(to),
    ...(requested !== undefined && { to }),
  };
  if (requested === undefined || segments !== undefined) return explained;
  const requestId = service.requests.nextId();
  const cause = {
    ...(mode !== undefined && { mode }),
    ...(key !== undefined && { key }),
    ...(fault !== undefined && { fault }),
  };
  service.account.refuse({ ...requested, ...cause, reason: shortened(reason), ...statusOf(reply), requestId });
  return { ...explained, requestId };
}

function handle({ account, behaviours }: Service, request: HttpRequest, body: Fields | Answer): Handled {
  const setup = account.setup();
  const caller = authenticate(request, body, setup);
  if (caller.kind === "answer") return { reply: caller };
  const { mode, fields } = caller;
  const key = caller.key === undefined ? {} : { key: caller.key };
  const known = { mode, ...key };
  const waitSeconds = account.admit();
  if (waitSeconds > 0) return { reply: tooManyRequests(waitSeconds), ...known };
  if (fields.kind === "answer") return { reply: fields, ...known };
  const send = validate(fields, setup.senders);
  if (send.kind === "answer") return { reply: send, ...known };
  const behaviour = behaviours.next(send.to);
  const fault = behaviour.kind === "accept" ? {} : { fault: behaviour.name };
  if (behaviour.kind === "refuse") return { reply: behaviour.reply, ...known, ...fault };
  const message = account.accept(send, mode, { ...key, ...fault });
  if (message === undefined) return { reply: insufficientCredits, ...known };
  const answer = receipt(message, account.summary().balance);
  const reply = behaviour.kind === "break" ? behaviour.break(answer) : answer;
  const { messageId, segments, senderId } = message;
  return { reply, ...known, segments, messageId, senderId, ...fault };
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

function statusOf(reply: Reply): Pick<SandboxRefusal, "status" | "errorCode"> {
  if (reply.kind !== "answer") return { status: 0 };
  return { status: reply.status, ...(reply.errorCode !== undefined && { errorCode: reply.errorCode }) };
}
