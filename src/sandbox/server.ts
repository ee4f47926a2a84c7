// sandbox: the service again, on loopback, as a second reading of its interface.

import { isLoopback } from "../host.ts";
import { createServer, type Server, type ServerResponse } from "node:http";
import { usageError } from "../errors.ts";
import { memberNames } from "../message/fields.ts";
import { type Access, guard } from "./access.ts";
import { openAccount, usableKeys } from "./account.ts";
import { controlRoutes } from "./control.ts";
import { openFaults } from "./faults.ts";
import { openFeed } from "./feed.ts";
import type { SandboxMessage } from "./history.ts";
import { type HttpRequest, readRequest } from "./http-request.ts";
import { inboxFolder, showInbox } from "./inbox-page.ts";
import { reasonOf } from "./reason.ts";
import { type Handled, notFound, refusal, type Reply, withHeaders, writeReply } from "./reply.ts";
import { openRequestLog } from "./request-log.ts";
import { answerSend, type Routes, type Service } from "./send.ts";
import { defaultSetup, type Setup, sendPaths } from "./setup.ts";

/** Options of a sandbox; `defaultSetup` has what the setup lacks. */
export interface SandboxOptions extends Partial<Setup> {
  readonly host?: string;
  /** Whether the page and `/_sandbox` need a token on loopback as well; they always do if other machines can reach them. */
  readonly isPrivate?: boolean;
  /** Whether a sender that it does not have is accepted; refused by default. */
  readonly takesAnySender?: boolean;
  /** The names of the fields that a send may have; by default the fields of a message. */
  readonly members?: readonly string[];
  readonly port: number;
  readonly now: () => number;
  readonly newId: () => string;
  /** Draws faults and latency: from 0 to 1. */
  readonly random: () => number;
  /** Called for each request before its reply is sent. */
  readonly log?: (request: HttpRequest, handled: Handled) => void;
}

export interface Sandbox {
  readonly url: string;
  /** What the page and `/_sandbox` need; undefined if everyone on this machine may use them. */
  readonly token: string | undefined;
  readonly keys: readonly string[];
  readonly messages: () => readonly SandboxMessage[];
  readonly tally: Service["account"]["tally"];
  /** Stops at once and cuts open connections. */
  readonly close: () => Promise<void>;
}

const routes = new Map<string, Routes[string]>(
  Object.entries({
    ...Object.fromEntries(sendPaths.map((path) => [path, { POST: answerSend }])),
    "/": { GET: showInbox },
    [inboxFolder]: { GET: showInbox },
    ...controlRoutes,
  }),
);

/** Starts a sandbox. Rejects with a usage error `PORT_IN_USE`, `PORT_NOT_ALLOWED` or `INVALID_HOST`. */
export async function startSandbox({
  host = "127.0.0.1",
  isPrivate = false,
  takesAnySender = false,
  members = memberNames,
  port,
  now,
  newId,
  random,
  log,
  ...changes
}: SandboxOptions): Promise<Sandbox> {
  const setup = { ...defaultSetup, ...changes };
  const feed = openFeed();
  const account = openAccount({ setup, now, newId, publish: feed.publish });
  const isLocal = isLoopback(host);
  const access: Access = { isLocal, token: isLocal && !isPrivate ? undefined : newId() };
  const service: Service = {
    account,
    takesAnySender,
    members,
    faults: openFaults(() => account.setup().faults, random),
    requests: openRequestLog(now, feed.publish),
    feed,
  };
  const server = createServer((incoming, response) => {
    const began = now();
    const respond = async () => {
      const request = await readRequest(incoming);
      const handled = answer(service, request, access);
      log?.(request, handled);
      sendReply(response, handled, (ending) => {
        if (isOwn(request)) return;
        const secretNames = Object.values(account.setup().bodyCredentials ?? {});
        service.requests.record(request, { ...handled, ...ending, began }, secretNames);
      });
    };
    respond().catch(() => response.destroy());
  });
  return {
    url: await listenAt(server, host, port),
    token: access.token,
    keys: usableKeys(setup),
    messages: account.messages,
    tally: account.tally,
    close: () => close(server),
  };
}

function answer(service: Service, request: HttpRequest, access: Access): Handled {
  const handled = request.isWhole ? (guard(request, access) ?? act(service, request)) : { kind: "cut" as const };
  if ("reply" in handled) return handled;
  return { reply: handled, reason: reasonOf(request, { reply: handled }, service.account.setup()) };
}

function isOwn({ method, path }: HttpRequest): boolean {
  return (
    path === "/healthz" || path.startsWith("/_sandbox/") || (path === "/" && (method === "GET" || method === "HEAD"))
  );
}

function act(service: Service, request: HttpRequest): Reply | Handled {
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
  return withHeaders(refusal(405, "METHOD_NOT_ALLOWED", `Use ${known.join(" or ")}`), { Allow: allow });
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

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Listens, and returns where this machine reaches the server. */
function listenAt(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.on("error", (error) => reject(listenError(error, host, port)));
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      resolve(`http://${reachableAt(host)}:${bound}`);
    });
  });
}

function reachableAt(host: string): string {
  if (/^(0\.0\.0\.0|::)$/.test(host)) return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const hint = "choose another with --port; port 0 picks a free one";
  if (error.code === "EADDRINUSE") {
    return usageError("PORT_IN_USE", `port ${port} is already in use on this machine`, hint);
  }
  if (error.code === "EACCES") {
    return usageError("PORT_NOT_ALLOWED", `you may not listen on port ${port}`, hint);
  }
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND" || error.code === "EAI_AGAIN") {
    return usageError(
      "INVALID_HOST",
      `${host} is not an address of this machine`,
      "give one that is, or 0.0.0.0 for all of them",
    );
  }
  return error;
}
