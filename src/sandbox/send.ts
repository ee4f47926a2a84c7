import type { Account, SandboxMessage, SandboxRefusal } from "./account.ts";
import type { Behaviour } from "./behaviours.ts";
import { authenticate, type Mode } from "./credentials.ts";
import type { HttpRequest } from "./http-request.ts";
import type { Answer, Reply } from "./reply.ts";
import { insufficientCredits, json, tooManyRequests, unauthorized } from "./reply.ts";
import { type Fields, readFields, validate } from "./send-request.ts";

/** What a send meets. */
export interface Service {
  readonly account: Account;
  readonly behave: (to: string) => Behaviour;
}

/** What became of a send: taken, or refused, and by whose fault where that was on purpose. */
type Verdict =
  | { readonly kind: "taken"; readonly reply: Reply }
  | { readonly kind: "refused"; readonly reply: Reply; readonly mode?: Mode; readonly fault?: string };

/** Takes a send or refuses it, and keeps what it asked for either way. */
// Without an await from the first line to the last, so that no two sends can spend the same credit.
export function answerSend(service: Service, request: HttpRequest): Reply {
  const fields = readFields(request);
  const verdict = judge(service, request, fields);
  if (verdict.kind === "refused" && fields.kind === "fields") {
    const asked = askedOf(fields.values);
    const { mode, fault, reply } = verdict;
    const what = { ...(mode !== undefined && { mode }), ...(fault !== undefined && { fault }) };
    if (asked !== undefined) service.account.refuse({ ...asked, ...what, ...statusOf(reply) });
  }
  return verdict.reply;
}

function judge({ account, behave }: Service, request: HttpRequest, fields: Fields | Answer): Verdict {
  const mode = authenticate(request.authorization);
  if (mode === undefined) return { kind: "refused", reply: unauthorized() };
  const waitSeconds = account.admit();
  if (waitSeconds > 0) return { kind: "refused", reply: tooManyRequests(waitSeconds), mode };
  if (fields.kind === "answer") return { kind: "refused", reply: fields, mode };
  const send = validate(fields);
  if (send.kind === "answer") return { kind: "refused", reply: send, mode };
  const behaviour = behave(send.to);
  if (behaviour.kind === "refuse") {
    return { kind: "refused", reply: behaviour.reply, mode, fault: behaviour.fault };
  }
  const taken = account.take(send, mode, behaviour.kind === "spoil" ? behaviour.fault : undefined);
  if (taken === undefined) return { kind: "refused", reply: insufficientCredits(), mode };
  const reply = behaviour.kind === "spoil" ? behaviour.reply : accepted(taken, account.summary().balance);
  return { kind: "taken", reply };
}

function accepted(taken: SandboxMessage, newBalance: number): Reply {
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

/** What a refused send asked for, where it says for whom. */
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
