// sandbox: the service again, on loopback, as a second reading of its interface.

import { isLoopback } from "../host.ts";
import { createServer, type Server, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { usageError } from "../errors.ts";
import { type Access, accessAnswer } from "./access.ts";
import { openAccount } from "./account.ts";
import { controlRoutes, inboxFolder } from "./control.ts";
import { openFaults } from "./faults.ts";
import { type HttpRequest, readRequest } from "./http-request.ts";
import { openLog } from "./log.ts";
import { type Handled, notFound, refusal, type Reply, type SandboxMessage, withHeaders, writeReply } from "./reply.ts";
import { answerSend, type Routes, type SandboxService } from "./send.ts";
import { defaultSetup, sendPaths, type Setup } from "./setup.ts";

export interface SandboxOptions extends Partial<Setup> {
  readonly host?: string;
  /** The page and `/_sandbox` need a token on loopback too. If other machines can reach them, they always need it. */
  readonly isPrivate?: boolean;
  /** If it is false, a sender that the sandbox does not have is refused. */
  readonly takesAnySender?: boolean;
  readonly port: number;
  readonly now: () => number;
  readonly newId?: () => string;
  readonly random: () => number;
  readonly onAnswer?: (request: HttpRequest, handled: Handled) => void;
}

export interface Sandbox {
  readonly url: string;
  readonly token: Access["token"];
  readonly messages: () => readonly SandboxMessage[];
  /** The numbers of all sends, refused ones too. */
  readonly numbers: () => readonly string[];
  readonly tally: SandboxService["account"]["tally"];
  /** Stops at once and cuts open connections. */
  readonly close: () => Promise<void>;
}

const routes = new Map<string, Routes[string]>([
  ...sendPaths.map((path) => [path, { POST: answerSend }] as const),
  ...Object.entries(controlRoutes),
]);

/** Starts a sandbox. Rejects with a usage error `PORT_IN_USE`, `PORT_NOT_ALLOWED` or `INVALID_HOST`. */
export async function startSandbox({
  host = "127.0.0.1",
  isPrivate = false,
  takesAnySender = false,
  port,
  now,
  newId = () => crypto.randomUUID(),
  random,
  onAnswer,
  rate = defaultSetup.rate,
  credits = defaultSetup.credits,
  senders = defaultSetup.senders,
  faults = defaultSetup.faults,
}: SandboxOptions): Promise<Sandbox> {
  const account = openAccount({ rate, credits, senders, faults }, now, newId);
  const isLocal = isLoopback(host);
  const access: Access = { isLocal, token: isLocal && !isPrivate ? undefined : newId() };
  const log = openLog(now);
  const service = { account, log, senders, takesAnySender, faults: openFaults(faults, random) };
  const server = createServer((incoming, response) => {
    const respond = async () => {
      const request = await readRequest(incoming);
      const handled = answer(service, request, access);
      onAnswer?.(request, handled);
      const id = isOwn(request) ? 0 : log.add(request, handled);
      const { delayMs = 0, reply } = handled;
      if (delayMs > 0 && !(await isOpenAfter(delayMs, response))) log.noteDisconnect(id);
      else writeReply(response, reply);
    };
    respond().catch(() => response.destroy());
  });
  return {
    url: await listenAt(server, host, port),
    token: access.token,
    messages: log.messages,
    numbers: () => log.entries.flatMap(({ to }) => to ?? []),
    tally: account.tally,
    close: () => close(server),
  };
}

function answer(service: SandboxService, request: HttpRequest, access: Access): Handled {
  if (!request.isWhole) return { reply: { kind: "cut" }, reason: "The connection ended before the whole body came" };
  const handled = accessAnswer(request, access) ?? act(service, request);
  return "reply" in handled ? handled : { reply: handled, reason: "error" in handled ? handled.error : undefined };
}

function isOwn({ method, path }: HttpRequest): boolean {
  return (
    path === "/healthz" || path.startsWith("/_sandbox/") || (path === "/" && (method === "GET" || method === "HEAD"))
  );
}

function act(service: SandboxService, request: HttpRequest): Reply | Handled {
  const sendWith = `send with POST ${sendPaths.join(" or ")}`;
  const route = routes.get(request.path.startsWith(inboxFolder) ? inboxFolder : request.path);
  if (route === undefined) return { reply: notFound, reason: `Nothing is served at this path: ${sendWith}` };
  const methods = new Map(Object.entries(route));
  const handle = methods.get(request.method === "HEAD" ? "GET" : request.method);
  if (handle !== undefined) return handle(service, request);
  const allowed = [...methods.keys()];
  const allow = [...allowed, ...(methods.has("GET") ? ["HEAD"] : [])].join(", ");
  return {
    reply: withHeaders(refusal(405, "METHOD_NOT_ALLOWED", `Use ${allowed.join(" or ")}`), { Allow: allow }),
    reason: `${request.method} is not allowed here: ${sendWith}`,
  };
}

/** False as soon as the client disconnects. */
async function isOpenAfter(delayMs: number, response: ServerResponse): Promise<boolean> {
  const disconnected = new AbortController();
  response.on("close", () => disconnected.abort());
  await setTimeout(delayMs, undefined, { signal: disconnected.signal }).catch(() => {});
  return !disconnected.signal.aborted;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function listenAt(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.on("error", (error) => reject(listenError(error, host, port)));
    server.listen(port, host, () => {
      const address = server.address();
      const name = /^(0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : host.replace(/^.*:.*$/, "[$&]");
      resolve(`http://${name}:${typeof address === "object" && address !== null ? address.port : port}`);
    });
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const another = "choose another with --port; port 0 picks a free one";
  switch (error.code) {
    case "EADDRINUSE":
      return usageError("PORT_IN_USE", `port ${port} is already in use on this machine`, another);
    case "EACCES":
      return usageError("PORT_NOT_ALLOWED", `you may not listen on port ${port}`, another);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN": {
      const hint = "give one that is, or 0.0.0.0 for all of them";
      return usageError("INVALID_HOST", `${host} is not an address of this machine`, hint);
    }
    default:
      return error;
  }
}
