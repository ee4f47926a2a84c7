import { faultList } from "../sandbox/fault-list.ts";
import type { SandboxRequest } from "../sandbox/request-log.ts";
import type { Deleted } from "./actions.ts";
import type { Entry } from "./mailbox.ts";
import { messageAddress, requestAddress } from "./route.ts";
import { Clock, CopyButton, count, ModeBadge, oneLine, Text } from "./text.tsx";

type EntryItemProps = Readonly<{
  entry: Entry;
  /** The request of an accepted message, while the sandbox has it. */
  request: SandboxRequest | undefined;
  isAim: boolean;
  remove: (what: Deleted) => void;
}>;

/** An entry of a conversation: an accepted message as a phone shows it, or a refusal. */
export function EntryItem({ entry, request, isAim, remove }: EntryItemProps) {
  const kind = entry.kind === "refusal" ? "refused" : entry.fault === undefined ? "accepted" : "accepted broken";
  return (
    <li class={kind} aria-current={isAim ? "true" : undefined}>
      {entry.kind === "message" ? accepted(entry, request, remove) : refused(entry)}
    </li>
  );
}

export function problemOf(entry: Entry): string | undefined {
  if (entry.kind === "message") return entry.fault === undefined ? undefined : describeFault(entry.fault);
  if (entry.status === 0) return "connection cut";
  return `${entry.status} ${entry.fault === undefined ? "refused" : "injected"}`;
}

function accepted(
  message: Extract<Entry, { kind: "message" }>,
  request: SandboxRequest | undefined,
  remove: EntryItemProps["remove"],
) {
  const { at, encoding, fault, messageId, mode, parts, segments, senderId } = message;
  const cost = `${count(message.totalCredits, "credit")} · KES ${message.totalCostKes.toFixed(2)}`;
  const address = messageAddress(messageId);
  return (
    <>
      <p class="bubble" dir="auto">
        <Text parts={parts} />
      </p>
      {fault !== undefined && <p class="problem">{`Accepted, but ${describeFault(fault)}`}</p>}
      <p class="facts soft">
        <b>{oneLine(senderId)}</b>
        <Clock at={at} precision="second" />
        <ModeBadge mode={mode} />
        <span>{`${count(segments, "segment")} · ${encoding}`}</span>
        <span>{mode === "test" ? `${cost}, not charged` : cost}</span>
        <a href={address} title="link to this message">
          <code>{messageId}</code>
        </a>
        {request && <a href={requestAddress(request)}>{`request ${request.id}`}</a>}
      </p>
      <p class="actions">
        {/* A line feed ends a command in a terminal. */}
        <CopyButton label="Copy text" text={() => message.message.replaceAll("\n", "↵")} />
        <CopyButton label="Copy ID" text={() => messageId} />
        <CopyButton label="Copy link" text={() => new URL(address, location.href).href} />
        <button class="delete" onClick={() => remove({ id: messageId })}>
          Delete
        </button>
      </p>
    </>
  );
}

function refused(refusal: Extract<Entry, { kind: "refusal" }>) {
  const { at, errorCode, fault, message, mode, reason = "", requestId, senderId } = refusal;
  return (
    <>
      <p class="problem">{problemOf(refusal)}</p>
      {fault === undefined && (
        <p class="why">
          <Text parts={[reason]} />
        </p>
      )}
      {message !== undefined && (
        <p class="unsent soft" dir="auto">
          <Text parts={[message]} />
        </p>
      )}
      <p class="facts soft">
        {senderId !== undefined && <b>{oneLine(senderId)}</b>}
        <Clock at={at} precision="second" />
        <ModeBadge mode={mode} />
        <span>not accepted</span>
        {errorCode !== undefined && <code title="errorCode">{errorCode}</code>}
        {requestId !== undefined && <a href={requestAddress({ id: requestId })}>{`request ${requestId}`}</a>}
      </p>
    </>
  );
}

/** What was wrong with the answer, by fault or number ending. */
export function describeFault(fault: string): string {
  const known = faultList.find(({ name, ending }) => name === fault || ending === fault);
  return known?.broken ?? `the answer was broken by ${fault}`;
}
