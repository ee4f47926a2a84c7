import type { SandboxMessage } from "./account.ts";

const e164 = /^\+[1-9]\d{1,14}$/;
const iso8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Which of these messages a query asks for: `to` a number, `sender` the name of a sender ID, `since` a time in ISO 8601
 * (that moment too) or the id of a message (those after it). Or a sentence that says what is wrong with the query.
 */
export function readMessageFilter(
  query: URLSearchParams,
  messages: readonly SandboxMessage[],
): ((message: SandboxMessage, index: number) => boolean) | string {
  for (const name of new Set(query.keys())) {
    if (name !== "to" && name !== "sender" && name !== "since") {
      return `${name} is not known; there is to, sender and since`;
    }
    if (query.getAll(name).length > 1) return `${name} is there twice`;
  }
  // In a query a plus is written %2B, and one that is not arrives as a space.
  const to = query.get("to")?.replace(/^ /, "+");
  if (to !== undefined && !e164.test(to)) return "to must be a number in E.164 format";
  const sender = query.get("sender") ?? undefined;
  const isSince = sinceOf(query.get("since") ?? undefined, messages);
  if (typeof isSince === "string") return isSince;
  return (message, index) =>
    (to === undefined || message.to === to) &&
    (sender === undefined || message.senderId === sender) &&
    isSince(message, index);
}

function sinceOf(since: string | undefined, messages: readonly SandboxMessage[]) {
  if (since === undefined) return () => true;
  const place = messages.findIndex(({ messageId }) => messageId === since);
  if (place !== -1) return (_: SandboxMessage, index: number) => index > place;
  // A plus before the hours of a time zone, as above.
  const time = iso8601.test(since.replace(" ", "+")) ? Date.parse(since.replace(" ", "+")) : NaN;
  if (Number.isNaN(time)) return "since must be a time in ISO 8601 or the id of a message that is kept";
  return ({ at }: SandboxMessage) => Date.parse(at) >= time;
}
