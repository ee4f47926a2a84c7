import type { DeliveryEvent } from "../delivery/deliver.ts";
import type { Host } from "../host.ts";
import type { Redactor } from "./redact.ts";
import { visible } from "./sanitize.ts";

/** Shows on stderr what goes over the wire, as curl's --verbose does; credentials and message text are left out. */
export function wireLog(host: Host, redactor: Redactor): (event: DeliveryEvent) => void {
  const line = (mark: string, text: string) =>
    host.stderr.write(`${mark} ${visible(redactor.redactForeign(text))}\n`);
  const headers = (mark: string, all: Readonly<Record<string, string | string[] | undefined>>) => {
    for (const [name, value] of Object.entries(all)) {
      const [scheme] = String(value).split(" ");
      line(mark, `${name}: ${name === "authorization" ? `${scheme} [redacted]` : String(value)}`);
    }
  };
  return (event) => {
    switch (event.kind) {
      case "request": {
        const { origin, path, body } = event.request;
        line(">", `POST ${origin}${path}`);
        headers(">", event.request.headers);
        line(">", withoutText(body));
        return;
      }
      case "exchange": {
        const { exchange } = event;
        if (exchange.kind !== "unreached" && exchange.answer !== undefined) {
          line("<", `HTTP ${exchange.answer.status}`);
          headers("<", exchange.answer.headers);
        }
        if (exchange.kind === "answered") line("<", new TextDecoder().decode(exchange.body));
        else line("*", describeBreak(exchange));
        return;
      }
      case "waiting":
        line("*", `trying again in ${Math.round(event.ms)} ms`);
    }
  };
}

function withoutText(body: string): string {
  return JSON.stringify(JSON.parse(body), (name, value: unknown) =>
    name === "message" ? `[${String(value).length} characters]` : value,
  );
}

function describeBreak({
  kind,
  why,
}: Exclude<Extract<DeliveryEvent, { kind: "exchange" }>["exchange"], { kind: "answered" }>): string {
  const reason = why.kind === "network" ? `${why.code} ${why.message}` : why.kind;
  return `${kind === "unreached" ? "the request had not begun" : "the request had begun"}: ${reason}`;
}
