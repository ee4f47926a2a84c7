import type { SandboxRequest } from "../request-log.ts";
import { describeFault, problemOf } from "./entry.tsx";
import type { Conversation, Entry } from "./mailbox.ts";
import { conversationAddress, requestAddress } from "./route.ts";
import type { Search } from "./search.ts";
import { Clock, grouped, ModeBadge, recipientName, oneLine, StatusBadge } from "./pieces.tsx";

type ConversationRowProps = Readonly<{ conversation: Conversation; unread: number; search: Search; isOpen: boolean }>;

/** A row of the list of conversations, with the latest entry that the search finds. */
export function ConversationRow({ conversation, unread, search, isOpen }: ConversationRowProps) {
  const { to, entries } = conversation;
  const entry = entries.findLast(search.finds);
  return (
    <li>
      <a href={conversationAddress(to)} aria-current={isOpen ? "true" : undefined}>
        <Recipient to={to} />
        <ModeBadge mode={entry?.mode} />
        <span class="soft">{entry && <Clock at={entry.at} />}</span>
        <span class="snippet soft">
          {entry && [<span class="marks">{marks(entry)}</span>, <Words text={entry.message ?? ""} />]}
        </span>
        {unread > 0 ? (
          <small class="unread">{`${grouped(unread)} new`}</small>
        ) : (
          <span class="soft">{grouped(entries.length)}</span>
        )}
      </a>
    </li>
  );
}

/** A row of the list of requests: recipient, text, and why it was not simply accepted. */
export function RequestRow({ request, isOpen }: Readonly<{ request: SandboxRequest; isOpen: boolean }>) {
  const { at, fault, message, messageId, method, target, to, status, reason } = request;
  const broken = fault === undefined ? undefined : describeFault(fault);
  const problem = messageId === undefined ? reason : broken;
  return (
    <li>
      <a href={requestAddress(request)} aria-current={isOpen ? "true" : undefined}>
        <StatusBadge status={status} />
        {to === undefined ? <span class="to">{oneLine(`${method} ${target}`)}</span> : <Recipient to={to} />}
        <span class="soft">
          <Clock at={at} />
        </span>
        {message !== undefined && (
          <span class="snippet soft">
            <Words text={message} />
          </span>
        )}
        {problem !== undefined && (
          <span class={`snippet soft problem ${messageId === undefined ? "refusal" : "message"}`}>
            {oneLine(problem)}
          </span>
        )}
      </a>
    </li>
  );
}

/** A number loses its beginning where there is no room, and any other text its end. */
function Recipient({ to }: Readonly<{ to: string }>) {
  return (
    <span class={/^\+?[\d\s()-]+$/.test(to) ? "to number" : "to"}>
      <bdi>{recipientName(to)}</bdi>
    </span>
  );
}

/** A text with its own direction, which takes nothing beside it along. */
function Words({ text }: Readonly<{ text: string }>) {
  return (
    <span class="words" dir="auto">
      {oneLine(text)}
    </span>
  );
}

/** What went wrong, and the sender, before the text of an entry. */
function marks(entry: Entry) {
  const problem = problemOf(entry);
  const reason = entry.kind === "refusal" && entry.fault === undefined ? `: ${entry.reason}` : "";
  return [
    problem !== undefined && [<bdi class={`problem ${entry.kind}`}>{oneLine(problem + reason)}</bdi>, " "],
    entry.senderId !== undefined && [<bdi class="from">{oneLine(entry.senderId)}</bdi>, " "],
  ];
}
