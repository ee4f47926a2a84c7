import type { SandboxExchange } from "../sandbox/request-log.ts";
import { CopyButton, Link } from "./buttons.tsx";
import { curlCommand, smsCommand } from "./commands.ts";
import { Badge } from "./entry.tsx";
import { conversationAddress, requestAddress, type RequestName } from "./route.ts";
import { Clock, nameOf, oneLine, StatusBadge, Text } from "./text.tsx";

/** The open request; undefined while the sandbox is asked for it. */
type Found = SandboxExchange | "missing" | undefined;

export function openExchange(onChange: () => void) {
  let wanted: string | undefined;
  let found: Found;
  let isStale = false;
  let loading = Promise.resolve();

  async function load(request: RequestName): Promise<void> {
    const answer = await fetch(`/_sandbox/requests?id=${request.id}`);
    const exchange: SandboxExchange | undefined = answer.ok ? await answer.json() : undefined;
    if (wanted !== requestAddress(request)) return;
    // The address with the time, of a refusal's link too, is the one to pass on; it loads again.
    if (exchange !== undefined && !request.at) return location.replace(requestAddress(exchange));
    found = exchange?.at === request.at ? exchange : "missing";
    onChange();
  }

  return {
    found: () => found,
    /** Fetches a request, unless it was fetched; nothing without one. */
    show: (request: RequestName | undefined): void => {
      const address = request && requestAddress(request);
      if (address === wanted && !isStale) return;
      if (address !== wanted) found = undefined;
      wanted = address;
      isStale = false;
      // It fails only if the sandbox has stopped; the next snapshot loads it again.
      if (request !== undefined) loading = load(request).catch(() => {});
    },
    /** Looks again for the open request at the next `show`. */
    reload: (): void => {
      isStale = true;
    },
    whenLoaded: () => loading,
  };
}

export function Exchange({ exchange }: Readonly<{ exchange: SandboxExchange }>) {
  const { answer, at, body, fault, headers, method, milliseconds, mode, reason, status, target, to } = exchange;
  const url = location.origin;
  const sms = smsCommand(exchange, url);
  return (
    <article id="exchange" class="page" aria-labelledby="exchange-title" tabIndex={-1}>
      <Link class="back" href="#requests" aria-label="Back to requests" label="‹" />
      <h2 id="exchange-title">{oneLine(`${method} ${target}`)}</h2>
      <p class={status === 200 ? "reason" : "reason problem"}>
        <Text parts={[reason]} />
      </p>
      <p class="facts">
        <StatusBadge status={status} />
        <Clock at={at} precision="second" />
        <span title="from the arrival to the answer">{`${milliseconds.toLocaleString("en")} ms`}</span>
        <Badge mode={mode} />
        {fault !== undefined && <span>{`fault ${fault}`}</span>}
        {to !== undefined && <Link href={conversationAddress(to)} label={nameOf(to)} />}
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
    </article>
  );
}

function wireParts(first: string, headers: SandboxExchange["headers"], body: string): readonly string[] {
  return [[first, ...headers.map(([name, value]) => `${name}: ${value}`), "", body].join("\n").trimEnd()];
}
