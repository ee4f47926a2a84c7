import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { LoggedRequest, LoggedExchange } from "../log.ts";
import type { SendDetails } from "../reply.ts";
import { countText, plural } from "../../words/count.ts";
import type { State } from "./follow.ts";
import { problemOf, titleOf } from "./list.tsx";
import { addressOf, type Place } from "./place.ts";
import { Clock, CopyButton, shown, Text, hidden } from "./pieces.tsx";

type OpenEntry = NonNullable<State["opened"]>;

// On a phone the transcripts begin folded, since the conversation stands below them.
const isWide = matchMedia("(width >= 48rem)").matches;

export function Detail({ selection, place }: Readonly<{ selection: OpenEntry; place: Place }>) {
  const { entry, thread, earlier, later } = selection;
  const current = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (matchMedia("(width >= 75rem)").matches) current.current?.scrollIntoView({ block: "nearest" });
  }, [entry.id]);
  return (
    <>
      <div id="title">
        <a class="back" href={addressOf({ ...place, open: "" })} aria-label="Back to all">
          ‹
        </a>
        <h2>
          <bdi>{titleOf(entry)}</bdi>
        </h2>
      </div>
      <article aria-label="Details">
        <Facts selection={selection} />
        <Wire selection={selection} />
      </article>
      {entry.to !== undefined && (
        <section id="phone" aria-label="All to this number" tabIndex={0}>
          {earlier > 0 && <p class="note">{countText(earlier)} earlier</p>}
          <ol>
            {thread.map((item) => (
              <li key={item.id} ref={item.id === entry.id ? current : undefined} class={problemOf(item)}>
                <Bubble entry={item} place={place} isOpen={item.id === entry.id} />
              </li>
            ))}
          </ol>
          {later > 0 && <p class="note">{countText(later)} later</p>}
        </section>
      )}
    </>
  );
}

function Bubble({ entry, place, isOpen }: Readonly<{ entry: LoggedRequest; place: Place; isOpen: boolean }>) {
  const { accepted, at, id, message, senderId, status } = entry;
  const text = accepted?.message ?? message;
  return (
    <>
      {text && (
        <p class="bubble" dir="auto">
          <Text text={text} />
        </p>
      )}
      <a class="soft" href={addressOf({ ...place, open: String(id) })} aria-current={isOpen ? "true" : undefined}>
        {accepted === undefined && <b class="bad">{status === 0 ? "cut" : status} refused </b>}
        {senderId && <b>{shown(senderId)} </b>}
        <Clock at={at} />
        {accepted && accepted.segments > 1 && ` · ${accepted.segments} segments`}
      </a>
    </>
  );
}

/** Details of a send that are left out here stand above the facts, or in one of these. */
type Fact =
  | Exclude<keyof SendDetails, "to" | "message" | "isCheck" | "fault" | "mode">
  | "at"
  | "encoding"
  | "totalCredits"
  | "status"
  | "messageId";

function Facts({ selection: { entry } }: Readonly<{ selection: OpenEntry }>) {
  const { accepted, at, errorCode, key, message, mode, reason, senderId, status } = entry;
  const facts: Readonly<Record<Fact, readonly [string, ComponentChildren]>> = {
    at: ["Time", <Clock at={at} />],
    senderId: ["Sender", senderId && shown(senderId)],
    encoding: ["Encoding", accepted && `${accepted.encoding}, ${plural(accepted.segments, "segment")}`],
    totalCredits: ["Cost", accepted && costOf(accepted)],
    key: ["Key", key ? `${key} (${mode})` : mode],
    status: ["Answer", [status === 0 ? "none" : status, errorCode].filter(Boolean).join(" ")],
    messageId: ["Message ID", accepted?.messageId],
  };
  return (
    <>
      <p class={`why ${problemOf(entry) ?? "good"}`}>
        <Text text={reason} />
      </p>
      {accepted && (
        <ol class="parts">
          {accepted.parts.map((part, index) => (
            <li>
              {accepted.parts.length > 1 && <small>{`segment ${index + 1} of ${accepted.parts.length}`}</small>}
              <p dir="auto">
                <Text text={part} />
              </p>
            </li>
          ))}
        </ol>
      )}
      {!accepted && message && (
        <p class="unsent" dir="auto">
          <Text text={message} />
        </p>
      )}
      <dl>
        {Object.values(facts).map(
          ([name, value]) =>
            value && (
              <div>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}

function costOf({ mode, totalCostKes, totalCredits }: NonNullable<LoggedRequest["accepted"]>): string {
  const kes = totalCostKes.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return `${plural(totalCredits, "credit")}, KES ${kes}${mode === "test" ? " (test key: not charged)" : ""}`;
}

function Wire({ selection: { entry, headers, body, answer } }: Readonly<{ selection: OpenEntry }>) {
  const { accepted, method, status, target } = entry;
  const isKept = headers !== undefined && body !== undefined;
  return (
    <>
      <p class="buttons">
        {accepted && <CopyButton label="Copy text" text={() => accepted.message} />}
        {isKept && (
          <CopyButton
            label="Copy as curl"
            text={() => curlCommand({ method, target, headers, body }, location.origin)}
          />
        )}
      </p>
      {!isKept && <p class="note">Its request is no longer kept: only those of the latest 1,000 are.</p>}
      {isKept && <Transcript name="Request" first={`${method} ${target} HTTP/1.1`} headers={headers} body={body} />}
      {answer && <Transcript name="Answer" first={`HTTP/1.1 ${status}`} {...answer} />}
    </>
  );
}

type TranscriptProps = Readonly<{
  name: string;
  first: string;
  headers: NonNullable<OpenEntry["headers"]>;
  body: string;
}>;

function Transcript({ name, first, headers, body }: TranscriptProps) {
  const lines = [first, ...headers.map((header) => header.join(": ")), "", indented(body)];
  return (
    <details open={isWide}>
      <summary>{name}</summary>
      <pre tabIndex={0}>
        <Text text={lines.join("\n").trimEnd()} />
      </pre>
    </details>
  );
}

/** Gives each member of JSON a line, unless that changes a name or a value. Other text stays as it is. */
function indented(text: string): string {
  try {
    const lines = JSON.stringify(JSON.parse(text), null, 2);
    const isSame = lines.replace(/\s/g, "") === text.replace(/\s/g, "");
    return isSame ? lines : text;
  } catch {
    return text;
  }
}

/** Set by curl itself, or only true for the connection that was used. */
const ownHeaders = new Set(["host", "connection", "content-length", "transfer-encoding", "accept-encoding"]);

/** The command takes the credentials from the environment, since the page has none. */
function curlCommand(
  {
    method,
    target,
    headers,
    body,
  }: Pick<LoggedRequest, "method" | "target"> & Pick<LoggedExchange, "headers" | "body">,
  url: string,
): string {
  const fields = headers.filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  // curl sends several requests for one address with brackets, and shortens a path with dots.
  const asIs = /[[\]{}]|\/\./.test(target) ? " --globoff --path-as-is" : "";
  const isTyped = fields.some(([name]) => name.toLowerCase() === "content-type");
  return [
    `curl ${method === "HEAD" ? "--head" : `--request ${method}`}${asIs} ${quoted(url + target)}`,
    ...fields.map(([name, value]) => headerOption(name, value)),
    // Without it, curl adds the type of a form.
    ...(body === "" || isTyped ? [] : ["--header Content-Type:"]),
    ...(body === "" ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(" \\\n  ");
}

function headerOption(name: string, value: string): string {
  const [, scheme = ""] = /^(bearer|basic) /i.exec(name.toLowerCase() === "authorization" ? value : "") ?? [];
  if (scheme.toLowerCase() === "bearer") return `--header "${name}: Bearer $SMS_API_KEY"`;
  if (scheme !== "") return '--user "$SMS_EMAIL:$SMS_PASSWORD"';
  // With a colon, curl leaves out a header that is empty.
  return `--header ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`;
}

/** One word for a POSIX shell. A terminal obeys a control character within quotes, so `printf` makes it. */
function quoted(text: string): string {
  if (/^[\w+:/.,@%-]+$/.test(text)) return text;
  const escaped = text
    .replaceAll("'", String.raw`'\''`)
    .replace(hidden, (character) => `'"$(printf '${octal(character)}')"'`);
  return `'${escaped}'`;
}

function octal(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
