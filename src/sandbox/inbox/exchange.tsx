import { useEffect, useState } from "preact/hooks";
import type { SandboxExchange, SandboxRequest } from "../request-log.ts";
import { curlCommand } from "./commands.ts";
import { Hint } from "./hint.tsx";
import { conversationAddress, messageAddress, requestAddress, type RequestName } from "./route.ts";
import { Clock, CopyButton, grouped, ModeBadge, recipientName, oneLine, StatusBadge, Text } from "./pieces.tsx";

type ExchangeProps = Readonly<{ request: RequestName; row: SandboxRequest | undefined }>;

/** The open request, fetched anew whenever `row`, which the list has of it, changes. */
export function Exchange({ request, row }: ExchangeProps) {
  const [exchange, setExchange] = useState<SandboxExchange | "missing" | "unreachable">();
  const address = requestAddress(request);
  useEffect(() => {
    const leaving = new AbortController();
    load(request, leaving.signal).then(
      setExchange,
      () => leaving.signal.aborted || setExchange((shown) => shown ?? "unreachable"),
    );
    return () => leaving.abort();
  }, [address, row]);

  if (exchange === "missing") return <Hint name="no-request" />;
  return (
    <article id="exchange" class="page" aria-label="Request" tabIndex={-1}>
      <a class="back" href="#requests" aria-label="Back to requests">
        ‹
      </a>
      {exchange === "unreachable" && <p class="problem">It cannot be loaded: the sandbox has stopped</p>}
      {typeof exchange === "object" && <Details {...exchange} />}
    </article>
  );
}

async function load(request: RequestName, signal: AbortSignal): Promise<SandboxExchange | "missing" | undefined> {
  const answer = await fetch(`/_sandbox/requests?id=${request.id}`, { signal });
  if (!answer.ok) return "missing";
  const exchange: SandboxExchange = await answer.json();
  if (request.at) return exchange.at === request.at ? exchange : "missing";
  // The address with the time, of a refusal's link too, is the one to pass on; it loads again.
  location.replace(requestAddress(exchange));
  return undefined;
}

function Details(exchange: SandboxExchange) {
  const { answer, at, body, fault, headers, messageId, method, milliseconds, mode, reason, status, target, to } =
    exchange;
  return (
    <>
      <h2>{oneLine(`${method} ${target}`)}</h2>
      <p class={status === 200 ? "reason" : "reason problem"}>
        <Text parts={[reason]} />
      </p>
      <p class="facts soft">
        <StatusBadge status={status} />
        <Clock at={at} />
        <span title="from the arrival to the answer">{`${grouped(milliseconds)} ms`}</span>
        <ModeBadge mode={mode} />
        {fault !== undefined && <span>{`fault ${fault}`}</span>}
        {to !== undefined && <a href={conversationAddress(to)}>{recipientName(to)}</a>}
        {messageId !== undefined && (
          <a href={messageAddress(messageId)}>
            message <code>{messageId}</code>
          </a>
        )}
      </p>
      <p class="actions">
        <CopyButton label="Copy as curl" text={() => curlCommand(exchange, location.origin)} />
      </p>
      <h3>Request</h3>
      <Wire first={`${method} ${target} HTTP/1.1`} headers={headers} body={body} />
      <h3>Answer</h3>
      {answer === null ? <p>None</p> : <Wire first={`HTTP/1.1 ${status}`} {...answer} />}
    </>
  );
}

function Wire({ first, headers, body }: Readonly<{ first: string }> & Pick<SandboxExchange, "headers" | "body">) {
  const lines = [first, ...headers.map(([name, value]) => `${name}: ${value}`), "", indented(body)];
  return (
    <pre tabIndex={0}>
      <Text parts={[lines.join("\n").trimEnd()]} />
    </pre>
  );
}

/** JSON with a line for each member, if no name and no value changes by it; any other text as it is. */
function indented(text: string): string {
  try {
    const lines = JSON.stringify(JSON.parse(text), null, 2);
    const isSame = lines.replace(/\s/g, "") === text.replace(/\s/g, "");
    return isSame ? lines : text;
  } catch {
    return text;
  }
}
