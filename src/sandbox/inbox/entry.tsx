import { useState } from "preact/hooks";
import { faultList } from "../fault-list.ts";
import type { SandboxRequest } from "../request-log.ts";
import type { Deleted } from "./actions.ts";
import type { Entry } from "./mailbox.ts";
import { messageAddress, requestAddress } from "./route.ts";
import { Clock, CopyButton, count, inKes, ModeBadge, oneLine, Text } from "./pieces.tsx";

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
      <div class="line">
        <p class="facts soft">
          {senderId !== undefined && <b>{oneLine(senderId)}</b>}
          <Clock at={at} />
          <ModeBadge mode={mode} />
          {isMessage ? <Cost {...entry} /> : <span>not accepted</span>}
          {!isMessage && entry.errorCode !== undefined && <code title="errorCode">{entry.errorCode}</code>}
          {requestName && <a href={requestAddress(requestName)}>{`request ${requestName.id}`}</a>}
        </p>
        {isMessage && <MessageActions message={entry} remove={remove} />}
      </div>
    </li>
  );
}

const longestId = 12;
const shortId = 8;

type Message = Extract<Entry, { kind: "message" }>;

function Cost({ encoding, messageId, mode, segments, totalCostKes, totalCredits }: Message) {
  const cost = `${count(totalCredits, "credit")} · ${inKes(totalCostKes)}`;
  return (
    <>
      <span>{`${count(segments, "segment")} · ${encoding}`}</span>
      <span>{mode === "test" ? `${cost}, not charged` : cost}</span>
      <a href={messageAddress(messageId)} title={`link to message ${messageId}`}>
        <code>{messageId.length > longestId ? `${messageId.slice(0, shortId)}…` : messageId}</code>
      </a>
    </>
  );
}

/** Buttons, behind one button on a phone. */
function MessageActions({ message, remove }: Readonly<{ message: Message; remove: EntryItemProps["remove"] }>) {
  const [isOpen, setOpen] = useState(false);
  const id = message.messageId;
  const of = <span class="unseen">{` of message ${id}`}</span>;
  return (
    <>
      <button class="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">⋯</span>
        <span class="unseen">Actions{of}</span>
      </button>
      <p class={isOpen ? "actions open" : "actions"}>
        <CopyButton label="Copy text" of={of} text={() => message.message} />
        <CopyButton label="Copy ID" of={of} text={() => id} />
        <button class="delete" onClick={() => remove({ id })}>
          Delete{of}
        </button>
      </p>
    </>
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
