import { createServer, type Server, type ServerResponse } from "node:http";
import { usageError } from "../errors.ts";
import { openAccount, type SandboxMessage, type Tally, usableKeys } from "./account.ts";
import { openBehaviours } from "./behaviours.ts";
import {
  changeAccount,
  changeFaults,
  clearMessages,
  listMessages,
  reset,
  showAccount,
  showDescription,
  showEarlier,
  showFaults,
  showFeed,
  showRequests,
} from "./control.ts";
import type { Handled } from "./handled.ts";
import { type HttpRequest, readRequest } from "./http-request.ts";
import { inboxFile, inboxFolder } from "./inbox-page.ts";
import { reasonOf } from "./reason.ts";
import { notFound, refusal, type Reply, writeReply } from "./reply.ts";
import { openRequestLog } from "./request-log.ts";
import { answerSend, type Service } from "./send.ts";
import { changed, defaultSetup, type Setup, sendPaths } from "./setup.ts";

/** Options of a sandbox; absent parts of the setup are those of `defaultSetup`. */
export interface SandboxOptions extends Partial<Setup> {
  /** 0 for any free port. */
  readonly port: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  /** Called for each request before its reply is sent. */
  readonly log?: (request: HttpRequest, handled: Handled) => void;
}

/** A running sandbox. */
export interface Sandbox {
  readonly url: string;
  /** The keys of the initial setup that are not revoked. */
  readonly keys: readonly string[];
  /** Accepted messages, oldest first. */
  readonly messages: () => readonly SandboxMessage[];
  readonly tally: () => Tally;
  /** Stops at once and cuts open connections. */
  readonly close: () => Promise<void>;
}

type Method = "GET" | "POST" | "DELETE";

type Act = (service: Service, request: HttpRequest) => Reply | Handled;

const routes: ReadonlyMap<string, Readonly<Partial<Record<Method, Act>>>> = new Map<
  string,
  Partial<Record<Method, Act>>
>([
  ...sendPaths.map((path) => [path, { POST: answerSend }] as const),
  ["/", { GET: showInbox }],
  [inboxFolder, { GET: showInbox }],
  ["/_sandbox/messages", { GET: listMessages, DELETE: clearMessages }],
  ["/_sandbox/events", { GET: showFeed }],
  ["/_sandbox/earlier", { GET: showEarlier }],
  ["/_sandbox/openapi.yaml", { GET: showDescription }],
  ["/_sandbox/requests", { GET: showRequests }],
  ["/_sandbox/account", { GET: showAccount, POST: changeAccount }],
  ["/_sandbox/faults", { GET: showFaults, POST: changeFaults }],
  ["/_sandbox/reset", { POST: reset }],
]);

const loopbackHost = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;
const loopbackOrigin = /^https?:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;

/** Starts a sandbox on 127.0.0.1. Rejects with a usage error `PORT_IN_USE` or `PORT_NOT_ALLOWED`. */
export async function startSandbox({ port, now, newId, log, ...changes }: SandboxOptions): Promise<Sandbox> {
  const { faults, seed, ...setup } = changed(defaultSetup, changes);
  const account = openAccount({ setup, now, newId });
  const service: Service = { account, behaviours: openBehaviours({ faults, seed }), requests: openRequestLog(now) };
  const server = createServer((incoming, response) => {
    const began = now();
    const respond = async () => {
      const request = await readRequest(incoming);
      const handled = answer(service, request);
      log?.(request, handled);
      sendReply(response, handled, (ending) => {
        if (isOwn(request)) return;
        const { email, password } = account.setup().bodyCredentials ?? {};
        const secretNames = [email, password].filter((name) => name !== undefined);
        service.requests.record(request, { ...handled, ...ending }, began, secretNames);
      });
    };
    respond().catch(() => response.destroy());
  });
  return {
    url: `http://127.0.0.1:${await listen(server, port)}`,
    keys: usableKeys(setup),
    messages: () => [...account.messages],
    tally: account.tally,
    close: () => close(server),
  };
}

function answer(service: Service, request: HttpRequest): Handled {
  const handled = act(service, request);
  if ("reply" in handled) return handled;
  return { reply: handled, reason: reasonOf(request, { reply: handled }, service.account.setup()) };
}

/** Whether a request is of the page or of a control endpoint, and not an attempt to send. */
function isOwn({ method, path }: HttpRequest): boolean {
  return path.startsWith("/_sandbox/") || (path === "/" && (method === "GET" || method === "HEAD"));
}

function act(service: Service, request: HttpRequest): Reply | Handled {
  const foreign = foreignness(request);
  if (foreign !== undefined) return refusal(403, "FORBIDDEN", foreign);
  const sendPath = sendPaths.find((path) => path === request.path);
  const route = routes.get(request.path.startsWith(inboxFolder) ? inboxFolder : request.path);
  if (route === undefined || (sendPath !== undefined && !service.account.setup().paths.includes(sendPath))) {
    return notFound;
  }
  const methods = new Map(Object.entries(route));
  const handle = methods.get(request.method === "HEAD" ? "GET" : request.method);
  if (handle !== undefined) return handle(service, request);
  const known = [...methods.keys()];
  const allow = [...known, ...(methods.has("GET") ? ["HEAD"] : [])].join(", ");
  return refusal(405, "METHOD_NOT_ALLOWED", `Use ${known.join(" or ")}`, { Allow: allow });
}

/**
 * Why a request may come from a web page of another site, if it may. Such pages could read the sandbox (DNS rebinding)
 * or change it (cross-site forms). Programs other than browsers send neither `Origin` nor `Sec-Fetch-Site`.
 */
function foreignness({ host, origin, site }: HttpRequest): string | undefined {
  if (!loopbackHost.test(host)) return "Host must be localhost, 127.0.0.1 or [::1]";
  if (origin !== "" && !loopbackOrigin.test(origin)) return "Origin must be a page on localhost, 127.0.0.1 or [::1]";
  if (site !== "" && site !== "same-origin" && site !== "none") {
    return "Sec-Fetch-Site must be same-origin or none: pages of other sites may not use the sandbox";
  }
  return undefined;
}

function showInbox(_: Service, request: HttpRequest): Reply {
  return inboxFile(request.path);
}

/** Replies after the delay. Calls `end` right before, or once the client has disconnected. */
function sendReply(
  response: ServerResponse,
  { reply, delay = 0, reason = "" }: Handled,
  end: (ending: Partial<Handled>) => void,
): void {
  let isWritten = false;
  const write = () => {
    isWritten = true;
    end({});
    writeReply(response, reply);
  };
  if (delay === 0) return write();
  const timer = setTimeout(write, delay);
  response.on("close", () => {
    if (isWritten) return;
    clearTimeout(timer);
    end({ reply: { kind: "cut" }, reason: `The client disconnected before the answer: ${reason}` });
  });
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on("error", (error) => reject(listenError(error, port)));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function listenError(error: NodeJS.ErrnoException, port: number): Error {
  const hint = "Choose another port, or use --port 0 for any free port.";
  if (error.code === "EADDRINUSE") {
    return usageError("PORT_IN_USE", `Port ${port} is already in use on this machine.`, hint);
  }
  if (error.code === "EACCES") {
    return usageError("PORT_NOT_ALLOWED", `You may not listen on port ${port}.`, hint);
  }
  return error;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
