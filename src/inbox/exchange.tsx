import { useEffect, useState } from "preact/hooks";
import type { SandboxExchange, SandboxRequest } from "../sandbox/request-log.ts";
import { curlCommand, smsCommand } from "./commands.ts";
import { Hint } from "./hint.tsx";
import { conversationAddress, messageAddress, requestAddress, type RequestName } from "./route.ts";
import { Clock, CopyButton, ModeBadge, nameOf, oneLine, StatusBadge, Text } from "./text.tsx";

type ExchangeProps = Readonly<{ request: RequestName; row: SandboxRequest | undefined; paint: () => void }>;

/** The open request, fetched anew whenever `row`, which the list has of it, changes. `paint` highlights what is searched. */
export function Exchange({ request, row, paint }: ExchangeProps) {
  const [exchange, setExchange] = useState<SandboxExchange | "missing" | "unreachable">();
  const address = requestAddress(request);
  useEffect(() => {
    const leaving = new AbortController();
    load(request, leaving.signal)
      .then(setExchange)
      .then(paint, () => leaving.signal.aborted || setExchange((shown) => shown ?? "unreachable"));
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
  const url = location.origin;
  const sms = smsCommand(exchange, url);
  return (
    <>
      <h2>{oneLine(`${method} ${target}`)}</h2>
      <p class={status === 200 ? "reason" : "reason problem"}>
        <Text parts={[reason]} />
      </p>
      <p class="facts soft">
        <StatusBadge status={status} />
        <Clock at={at} precision="second" />
        <span title="from the arrival to the answer">{`${milliseconds.toLocaleString("en")} ms`}</span>
        <ModeBadge mode={mode} />
        {fault !== undefined && <span>{`fault ${fault}`}</span>}
        {to !== undefined && <a href={conversationAddress(to)}>{nameOf(to)}</a>}
        {messageId !== undefined && (
          <a href={messageAddress(messageId)}>
            message <code>{messageId}</code>
          </a>
        )}
      </p>
      <p class="actions">
        <CopyButton label="Copy as curl" text={() => curlCommand(exchange, url)} />
        {sms !== undefined && <CopyButton label="Copy as sms send" text={() => sms} />}
        <CopyButton label="Copy link" text={() => location.href} />
      </p>
      <h3>Request</h3>
      <pre tabIndex={0}>
        <Text parts={wireParts(`${method} ${target} HTTP/1.1`, headers, body)} />
      </pre>
      <h3>Answer</h3>
      <pre tabIndex={0}>
        <Text parts={answer === null ? ["None"] : wireParts(`HTTP/1.1 ${status}`, answer.headers, answer.body)} />
      </pre>
    </>
  );
}

function wireParts(first: string, headers: SandboxExchange["headers"], body: string): readonly string[] {
  return [[first, ...headers.map(([name, value]) => `${name}: ${value}`), "", indented(body)].join("\n").trimEnd()];
}

const jsonToken = /"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g;

/** JSON with a line for each member, and each name and value as it was sent; any other text as it is. */
function indented(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  return text.replace(jsonToken, (token) => {
    const [opens, closes] = [/^[{[]$/.test(token), /^[}\]]$/.test(token)];
    depth += Number(opens) - Number(closes);
    const line = `\n${"  ".repeat(depth)}`;
    if (opens || token === ",") return token + line;
    return closes ? line + token : token === ":" ? ": " : token.trim();
  });
}
