import { readAsset } from "../assets.ts";
import type { HttpRequest } from "./http-request.ts";
import { inboxOf } from "./inbox.ts";
import { type Answer, bare, invalidRequest, json, notFound, type Reply, type SandboxMessage } from "./reply.ts";
import type { Routes, SandboxService } from "./send.ts";
import { e164 } from "./send-request.ts";

export const controlRoutes: Routes = {
  "/": { GET: showInboxFile },
  "/_sandbox/inbox/": { GET: showInboxFile },
  "/_sandbox/messages": { GET: listMessages, DELETE: clear },
  "/_sandbox/inbox": { GET: showInbox },
  "/_sandbox/reset": { POST: reset },
  "/_sandbox/openapi.yaml": { GET: showDescription },
};

function listMessages({ log }: SandboxService, { query }: HttpRequest): Reply {
  const messages = log.messages();
  const filter = readMessageFilter(query, messages);
  return typeof filter === "string" ? invalidRequest(filter) : fresh(messages.filter(filter));
}

function clear({ log }: SandboxService, { query }: HttpRequest): Reply {
  const [unknown] = query.keys();
  if (unknown !== undefined)
    return invalidRequest(`${unknown} is unknown: all messages and requests are deleted together`);
  log.clear();
  return bare(204);
}

/** Answers 204 if the page has seen this state. */
function showInbox({ log, account }: SandboxService, { query, host }: HttpRequest): Reply {
  if (query.get("seen") === log.version()) return bare(204);
  return fresh({ version: log.version(), url: `http://${host}`, ...account.summary(), ...inboxOf(log, query) });
}

function showDescription(): Reply {
  const headers = { "Content-Type": "application/yaml", "X-Content-Type-Options": "nosniff" };
  return { kind: "answer", status: 200, headers, body: readAsset("sandbox/openapi.yaml").toString() };
}

function reset({ account, faults, log }: SandboxService): Reply {
  faults.reset();
  log.clear();
  account.reset();
  return bare(204);
}

function fresh(value: unknown): Answer {
  return json(200, value, { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
}

/** A filter for `to` and `since` (after the message with that id), or the mistake in the query. */
function readMessageFilter(
  query: URLSearchParams,
  messages: readonly SandboxMessage[],
): ((message: SandboxMessage, index: number) => boolean) | string {
  for (const name of new Set(query.keys())) {
    if (name !== "to" && name !== "since") return `${name} is unknown; use to or since`;
    if (query.getAll(name).length > 1) return `${name} is given twice`;
  }
  // An unescaped plus in a query arrives as a space.
  const to = query.get("to")?.replace(/^ /, "+");
  if (to !== undefined && !e164.test(to)) return "to must be a number in E.164 format";
  const since = query.get("since");
  const place = messages.findIndex(({ messageId }) => messageId === since);
  if (since !== null && place < 0) return "since must be the id of a message in the sandbox";
  return (message, index) => index > place && (to === undefined || message.to === to);
}

export const inboxFolder = "/_sandbox/inbox/";

const mediaTypes: ReadonlyMap<string, string> = new Map([
  ["index.html", "text/html"],
  ["style.css", "text/css"],
  ["app.js", "text/javascript"],
  ["icon.svg", "image/svg+xml"],
]);

const headers = {
  // Own files only, nothing inline, and no script may turn text into markup.
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

function showInboxFile(_: unknown, { path }: HttpRequest): Answer {
  const name = path === "/" ? "index.html" : path.slice(inboxFolder.length);
  const mediaType = mediaTypes.get(name);
  if (mediaType === undefined) return notFound;
  return {
    kind: "answer",
    status: 200,
    headers: { "Content-Type": `${mediaType}; charset=utf-8`, ...headers },
    body: readAsset(`inbox/${name}`).toString(),
  };
}
