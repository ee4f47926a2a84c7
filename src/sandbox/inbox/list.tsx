import type { LoggedRequest } from "../log.ts";
import { countText } from "../../words/count.ts";
import type { State } from "./follow.ts";
import { addressOf, type Place } from "./place.ts";
import { Clock, shown } from "./pieces.tsx";

type ListProps = Readonly<{ state: State; place: Place }>;

export function List({ state: { entries, matches, counts }, place }: ListProps) {
  return (
    <nav aria-label="Messages and refused requests">
      <ol id="list">
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} place={place} />
        ))}
      </ol>
      {matches > entries.length && (
        <p class="note">{`The latest ${entries.length} of ${countText(matches)}: search for the others.`}</p>
      )}
      {matches === 0 && counts.all > 0 && (
        <p class="note">
          Nothing matches. <a href={addressOf({ ...place, search: "", only: "" })}>Show all</a>
        </p>
      )}
    </nav>
  );
}

function Row({ entry, place }: Readonly<{ entry: LoggedRequest; place: Place }>) {
  const { accepted, at, id, mode, reason, senderId, status } = entry;
  const text = accepted?.message ?? entry.message;
  const problem = problemOf(entry);
  return (
    <li>
      <a href={addressOf({ ...place, open: String(id) })} aria-current={place.open === String(id) ? "true" : undefined}>
        <b class="to">{titleOf(entry)}</b>
        {mode === "live" && <small>live</small>}
        <Clock at={at} />
        {problem && (
          <span class={`reason ${problem}`}>
            {accepted === undefined && <b>{status === 0 ? "cut" : status} </b>}
            {shown(reason)}
          </span>
        )}
        {text === undefined && !problem && <span class="snippet">{shown(reason)}</span>}
        {text !== undefined && (
          <span class="snippet">
            {senderId && <b>{shown(senderId)} </b>}
            <bdi>{shown(text)}</bdi>
          </span>
        )}
      </a>
    </li>
  );
}

/** `bad` was refused; `doubtful` was accepted, but the client got a wrong answer or none. */
export function problemOf({ accepted, fault, isCheck, status }: LoggedRequest): "bad" | "doubtful" | undefined {
  if (isCheck && status === 400) return undefined;
  if (accepted === undefined) return "bad";
  return fault === undefined && status !== 0 ? undefined : "doubtful";
}

export function titleOf({ to, isCheck, method, target }: LoggedRequest): string {
  return isCheck ? "Check of credentials" : shown(to || `${method} ${target}`);
}
