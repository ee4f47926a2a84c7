import type { WireEvent, Exchange } from "../service/exchange.ts";
import { isObject } from "../json.ts";
import { type Members, privateMembers } from "../message/fields.ts";
import { countText } from "../words/count.ts";
import { visible } from "./text.ts";

/** A shorter text occurs inside too many words to be removed from an answer. */
const shortestText = 4;

/** `name` tells apart messages that are sent at the same time. */
export type WireLog = (name?: string) => (event: WireEvent) => void;

/** The log is as curl's --verbose shows it, without credentials and message text. */
export function wireLog(writeLine: (line: string) => void, redact: (text: string) => string): WireLog {
  return (name) => logOf((line) => writeLine(name === undefined ? line : `${name} ${line}`), redact);
}

function logOf(write: (line: string) => void, redact: (text: string) => string): ReturnType<WireLog> {
  let texts: readonly string[] = [];
  const clean = (foreign: string) => {
    const hidden = texts.filter(({ length }) => length >= shortestText);
    return visible(redact(hidden.reduce((rest, text) => rest.replaceAll(text, described(text)), foreign)));
  };
  const line = (mark: string, words: string) => write(`${mark} ${start(clean(words))}`);
  const headers = (mark: string, all: Readonly<Record<string, string | string[] | undefined>>) => {
    for (const [name, value] of Object.entries(all)) {
      const [scheme] = String(value).split(" ");
      line(mark, `${name}: ${name === "authorization" ? `${scheme} [redacted]` : String(value)}`);
    }
  };
  const body = (mark: string, json: string) => line(mark, mapTexts(json, clean));
  return (event) => {
    switch (event.kind) {
      case "request": {
        const { origin, path } = event.request;
        const members: Members = JSON.parse(event.request.body);
        texts = privateMembers.flatMap((name) => members[name] ?? []);
        line(">", `POST ${origin}${path}`);
        headers(">", event.request.headers);
        const entries = Object.entries(members).map(([name, value]) => [
          name,
          privateMembers.includes(name) ? described(value) : value,
        ]);
        return body(">", JSON.stringify(Object.fromEntries(entries)));
      }
      case "exchange": {
        const { exchange } = event;
        if (exchange.kind !== "unreached" && exchange.answer !== undefined) {
          line("<", `HTTP ${exchange.answer.status}`);
          headers("<", exchange.answer.headers);
        }
        if (exchange.kind === "answered") body("<", new TextDecoder().decode(exchange.body));
        else line("*", describeBreak(exchange));
        return;
      }
      case "waiting":
        line("*", `trying again in ${Math.round(event.ms)} ms`);
    }
  };
}

const mostShown = 500;

/** Half of a secret is not recognised, so the cut comes after the redaction. */
function start(text: string): string {
  if (text.length <= mostShown) return text;
  return `${text.slice(0, mostShown).toWellFormed()}… (${countText(text.length - mostShown)} characters more)`;
}

function described(text: string): string {
  return `[${text.length} characters]`;
}

function mapTexts(json: string, clean: (text: string) => string): string {
  const change = (value: unknown): unknown => {
    if (typeof value === "string") return clean(value);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [clean(name), field]));
  };
  try {
    return JSON.stringify(JSON.parse(json, (_, value: unknown) => change(value)));
  } catch {
    return json;
  }
}

function describeBreak({ kind, why }: Exclude<Exchange, { kind: "answered" }>): string {
  const reason = why.kind === "network" ? `${why.code} ${why.message}` : why.kind;
  return `${kind === "unreached" ? "the request had not begun" : "the request had begun"}: ${reason}`;
}
