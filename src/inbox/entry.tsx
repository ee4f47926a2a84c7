import { faultList } from "../sandbox/fault-list.ts";
import type { SandboxRequest } from "../sandbox/request-log.ts";
import type { Deleted } from "./actions.ts";
import type { Entry } from "./mailbox.ts";
import { messageAddress, requestAddress } from "./route.ts";
import { Clock, CopyButton, count, kes, ModeBadge, oneLine, Text } from "./text.tsx";

type EntryItemProps = Readonly<{
  entry: Entry;
  /** The request of an accepted message, while the sandbox has it. */
  request: SandboxRequest | undefined;
  isAim: boolean;
  remove: (what: Deleted) => void;
}>;

/** An entry of a conversation: an accepted message as a phone shows it, or a refusal. */
export function EntryItem({ entry, request, isAim, remove }: EntryItemProps) {
  const { at, fault, mode, senderId } = entry;
  const isMessage = entry.kind === "message";
  const requestName = isMessage ? request : { id: entry.requestId };
  const problem = problemOf(entry);
  return (
    <li
      class={isMessage ? (fault === undefined ? "accepted" : "accepted broken") : "refused"}
      aria-current={isAim ? "true" : undefined}
    >
      {isMessage && (
        <p class="bubble" dir="auto">
          <Text parts={entry.parts} />
        </p>
      )}
      {problem !== undefined && <p class="problem">{isMessage ? `Accepted, but ${problem}` : problem}</p>}
      {!isMessage && fault === undefined && (
        <p class="why">
          <Text parts={[entry.reason]} />
        </p>
      )}
      {!isMessage && entry.message !== undefined && (
        <p class="unsent soft" dir="auto">
          <Text parts={[entry.message]} />
        </p>
      )}
      <p class="facts soft">
        {senderId !== undefined && <b>{oneLine(senderId)}</b>}
        <Clock at={at} />
        <ModeBadge mode={mode} />
        {isMessage ? <Cost {...entry} /> : <span>not accepted</span>}
        {!isMessage && entry.errorCode !== undefined && <code title="errorCode">{entry.errorCode}</code>}
        {requestName && <a href={requestAddress(requestName)}>{`request ${requestName.id}`}</a>}
      </p>
      {isMessage && <MessageActions message={entry} remove={remove} />}
    </li>
  );
}

type Message = Extract<Entry, { kind: "message" }>;

function Cost({ encoding, messageId, mode, segments, totalCostKes, totalCredits }: Message) {
  const cost = `${count(totalCredits, "credit")} · ${kes(totalCostKes)}`;
  return (
    <>
      <span>{`${count(segments, "segment")} · ${encoding}`}</span>
      <span>{mode === "test" ? `${cost}, not charged` : cost}</span>
      <a href={messageAddress(messageId)} title="link to this message">
        <code>{messageId}</code>
      </a>
    </>
  );
}

function MessageActions({ message, remove }: Readonly<{ message: Message; remove: EntryItemProps["remove"] }>) {
  return (
    <p class="actions">
      {/* A line feed ends a command in a terminal. */}
      <CopyButton label="Copy text" text={() => message.message.replaceAll("\n", "↵")} />
      <CopyButton label="Copy ID" text={() => message.messageId} />
      <button class="delete" onClick={() => remove({ id: message.messageId })}>
        Delete
      </button>
    </p>
  );
}

/** Why it was refused, or what was wrong with its answer. */
export function problemOf(entry: Entry): string | undefined {
  if (entry.kind === "message") return entry.fault === undefined ? undefined : describeFault(entry.fault);
  if (entry.status === 0) return "connection cut";
  return `${entry.status} ${entry.fault === undefined ? "refused" : "injected"}`;
}

/** What was wrong with the answer, by fault or number ending. */
export function describeFault(fault: string): string {
  const known = faultList.find(({ name, ending }) => name === fault || ending === fault);
  return known?.broken ?? `the answer was broken by ${fault}`;
}
