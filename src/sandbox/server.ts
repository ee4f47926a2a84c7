import { createServer } from "node:http";
import type { Server } from "node:http";
import { usageError } from "../errors.ts";
import { type AccountOptions, openAccount, type SandboxMessage } from "./account.ts";
import { magicEndings } from "./behaviours.ts";
import { sandboxKeys } from "./credentials.ts";
import { feedOf } from "./feed.ts";
import type { HttpRequest } from "./http-request.ts";
import { readRequest } from "./http-request.ts";
import { inboxFile, inboxFolder } from "./inbox-page.ts";
import type { Reply } from "./reply.ts";
import { json, notFound, refusal, writeReply } from "./reply.ts";
import { answerSend, type Service } from "./send.ts";

/** What a sandbox is started with. */
export interface SandboxOptions extends AccountOptions {
  /** 0 for any free port. */
  readonly port: number;
}

/** The messaging service on this machine, listening. */
export interface Sandbox {
  readonly url: string;
  /** The test key, then the live key. */
  readonly keys: readonly [test: string, live: string];
  /** What it has taken until now, oldest first. */
  readonly messages: () => readonly SandboxMessage[];
  /** Stops at once; requests still waiting for an answer are cut. */
  readonly close: () => Promise<void>;
}

type Method = "GET" | "POST" | "DELETE";

interface Route {
  readonly methods: Readonly<Partial<Record<Method, (service: Service, request: HttpRequest) => Reply>>>;
  /** Only for those who called this machine by a loopback name: a web page elsewhere must not read it (DNS rebinding). */
  readonly isPrivate: boolean;
}

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["/api/v1/sms/send", { methods: { POST: answerSend }, isPrivate: false }],
  ["/_sandbox/messages", { methods: { GET: listMessages, DELETE: clearMessages }, isPrivate: true }],
  ["/_sandbox/events", { methods: { GET: showFeed }, isPrivate: true }],
  ["/", { methods: { GET: showInbox }, isPrivate: true }],
  [inboxFolder, { methods: { GET: showInbox }, isPrivate: true }],
]);

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;
const loopbackOrigin = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * Starts the service on 127.0.0.1 and resolves once it listens. Rejects with a usage error `PORT_IN_USE` or
 * `PORT_NOT_ALLOWED` where the port cannot be had.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const service: Service = { account: openAccount(options), behave: magicEndings() };
  const server = createServer((incoming, response) => {
    readRequest(incoming)
      .then((request) => writeReply(response, answer(service, request)))
      .catch(() => response.destroy());
  });
  const port = await listen(server, options.port);
  return {
    url: `http://127.0.0.1:${port}`,
    keys: sandboxKeys,
    messages: () => [...service.account.messages],
    close: () => close(server),
  };
}

function answer(service: Service, request: HttpRequest): Reply {
  const route = routes.get(request.path.startsWith(inboxFolder) ? inboxFolder : request.path);
  if (route === undefined) return notFound();
  if (route.isPrivate && !loopbackHost.test(request.host)) {
    return refusal(403, "FORBIDDEN", "Only reachable as localhost");
  }
  if (route.isPrivate && request.origin !== "" && !loopbackOrigin.test(request.origin)) {
    return refusal(403, "FORBIDDEN", "Only for pages of this machine");
  }
  const methods = new Map(Object.entries(route.methods));
  const act = methods.get(request.method === "HEAD" ? "GET" : request.method);
  if (act !== undefined) return act(service, request);
  const allow = [...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : [])];
  return refusal(405, "METHOD_NOT_ALLOWED", `Use ${[...methods.keys()].join(" or ")}`, {
    Allow: allow.join(", "),
  });
}

function listMessages({ account }: Service): Reply {
  return json(200, account.messages, { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
}

function clearMessages({ account }: Service): Reply {
  account.clear();
  return { kind: "answer", status: 204, headers: {}, body: "" };
}

function showFeed({ account }: Service, request: HttpRequest): Reply {
  return feedOf(account, `http://${request.host}`);
}

function showInbox(_: Service, request: HttpRequest): Reply {
  return inboxFile(request.path);
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
  const hint = "Choose another port, or --port 0 for any that is free.";
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
