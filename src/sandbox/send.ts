import type { Account, SandboxMessage, SandboxRefusal } from "./account.ts";
import type { Behaviours } from "./behaviours.ts";
import { authenticate, type Mode } from "./credentials.ts";
import type { HttpRequest } from "./http-request.ts";
import type { Answer, Reply } from "./reply.ts";
import { insufficientCredits, json, tooManyRequests } from "./reply.ts";
import { type Fields, readFields, validate } from "./send-request.ts";

/** What every request to a sandbox meets. */
export interface Service {
  readonly account: Account;
  readonly behaviours: Behaviours;
}

/** What became of a request. */
export interface Handled {
  readonly reply: Reply;
  /** How long to wait before the reply is carried out, in milliseconds. */
  readonly delay?: number;
  /** Of a send, as far as it could be read. */
  readonly to?: string;
  readonly mode?: Mode;
  /** Of a send that was taken. */
  readonly segments?: number;
  /** What went wrong on purpose. */
  readonly fault?: string;
}

/** Takes a send or refuses it, and keeps what it asked for either way. */
// Without an await from the first line to the last, so that no two sends can spend the same credit.
export function answerSend(service: Service, request: HttpRequest): Handled {
  const fields = readFields(request);
  const asked = fields.kind === "fields" ? askedOf(fields.values) : undefined;
  const handled = judge(service, request, fields);
  const { reply, mode, segments, fault } = handled;
  if (asked !== undefined && segments === undefined) {
    const why = { ...(mode !== undefined && { mode }), ...(fault !== undefined && { fault }) };
    service.account.refuse({ ...asked, ...why, ...statusOf(reply) });
  }
  const to = asked?.to ?? "";
  return { ...handled, delay: service.behaviours.latency(to), ...(asked !== undefined && { to }) };
}

function judge({ account, behaviours }: Service, request: HttpRequest, sent: Fields | Answer): Handled {
  const setup = account.setup();
  const caller = authenticate(request, sent, setup);
  if (caller.kind === "answer") return { reply: caller };
  const { mode, fields } = caller;
  const waitSeconds = account.admit();
  if (waitSeconds > 0) return { reply: tooManyRequests(waitSeconds), mode };
  if (fields.kind === "answer") return { reply: fields, mode };
  const send = validate(fields, setup.senders);
  if (send.kind === "answer") return { reply: send, mode };
  const behaviour = behaviours.next(send.to);
  const fault = behaviour.kind === "accept" ? {} : { fault: behaviour.name };
  if (behaviour.kind === "refuse") return { reply: behaviour.reply, mode, ...fault };
  const taken = account.take(send, mode, fault);
  if (taken === undefined) return { reply: insufficientCredits(), mode };
  const answer = accepted(taken, account.summary().balance);
  const reply = behaviour.kind === "spoil" ? behaviour.spoil(answer) : answer;
  return { reply, mode, segments: taken.segments, ...fault };
}

function accepted(taken: SandboxMessage, newBalance: number): Answer {
  const { messageId, segments, totalCredits, totalCostKes, to, senderId } = taken;
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

/** What a send asked for, where it says for whom. */
function askedOf({ to, message, senderIdName, senderId }: Fields["values"]) {
  if (typeof to !== "string") return undefined;
  const sender = senderIdName ?? senderId;
  return {
    to,
    ...(typeof sender === "string" && { senderId: sender }),
    ...(typeof message === "string" && { message }),
  };
}

function statusOf(reply: Reply): Pick<SandboxRefusal, "status" | "errorCode"> {
  if (reply.kind !== "answer") return { status: 0 };
  return { status: reply.status, ...(reply.errorCode !== undefined && { errorCode: reply.errorCode }) };
}
