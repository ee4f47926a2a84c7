import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { invalidOption, usageError } from "../errors.ts";
import { parseJson } from "../message/json.ts";
import { isLoopback } from "../message/address.ts";
import { foreignness, isSameSecret, listenAt } from "../server.ts";
import { type Alert, readAlerts } from "./alerts.ts";
import type { Gatherer } from "./gatherer.ts";

interface ListenerOptions {
  /** `HOST:PORT`, as `--listen` takes it. */
  readonly address: string;
  /** What senders give as Bearer token; without it, only this machine may send. */
  readonly token: string | undefined;
  readonly gatherer: Gatherer;
  /** Milliseconds; never goes back. */
  readonly now: () => number;
  readonly limits?: Partial<typeof usualLimits>;
}

interface Listener {
  readonly url: string;
  /** Takes nothing new, and gathers what is under way if it comes soon. */
  readonly close: () => Promise<void>;
}

const usualLimits = {
  /** Of one body, and of all that are being read. */
  bytes: 1024 * 1024,
  allBytes: 32 * 1024 * 1024,
  /** Notifications in a burst, and a second. */
  burst: 2_000,
  rate: 100,
  connections: 2_000,
  /** For the headers, and for a whole request. Milliseconds. */
  headersTime: 5_000,
  requestTime: 15_000,
  /** How long a connection may be idle: longer than a minute, since what is posted just as it ends is lost. Milliseconds. */
  idleTime: 75_000,
  /** How many alerts are remembered, and for how long after each was last heard of. Milliseconds. */
  alerts: 20_000,
  alertTime: 7 * 24 * 60 * 60_000,
  /** How long `close` waits for what is under way. Milliseconds. */
  closeTime: 2_000,
};

/** How much of a kind is kept, in UTF-16 code units: labels may be of any length. */
const mostOfKind = 200;

type Limits = typeof usualLimits;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Listens for webhooks. Throws the usage errors `INVALID_OPTION`, `NO_WATCH_TOKEN`, and what `listenAt` throws. */
export async function listen({ address, token, gatherer, now, limits = {} }: ListenerOptions): Promise<Listener> {
  const { host, port } = readPlace(address);
  const isLocal = isLoopback(host);
  if (!isLocal && token === undefined) {
    throw usageError(
      "NO_WATCH_TOKEN",
      `--listen ${address} is open to other machines, and SMS_WATCH_TOKEN is not set`,
      "set SMS_WATCH_TOKEN to a long random text, which senders give as Bearer token; or listen on 127.0.0.1",
    );
  }
  const bounds: Limits = { ...usualLimits, ...limits };
  const allow = openBucket(bounds, now);
  const isNews = openMemory(bounds, now);
  const readBody = openReader(bounds);
  let isClosing = false;

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { method = "", url = "", headers } = request;
    const path = url.replace(/\?.*/s, "");
    if (path === "/healthz") {
      return method === "GET" || method === "HEAD"
        ? { status: 200, body: { status: "ok" } }
        : notAllowed(["GET", "HEAD"]);
    }
    const foreign = foreignness(
      { host: headers.host ?? "", origin: headers.origin ?? "", site: headers["sec-fetch-site"] ?? "" },
      isLocal,
    );
    if (foreign !== undefined) return refusal(403, foreign);
    if (token !== undefined && !hasToken(headers.authorization, token)) return unauthorized;
    if (path !== "/") return refusal(404, "post to /");
    if (method !== "POST") return notAllowed(["POST"]);
    if (isClosing) return tryLater("sms watch is ending", 60);
    if (!allow()) return tryLater("too many notifications a second", 1);
    if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(headers["content-type"] ?? "")) return notJson;
    if (headers["content-encoding"] !== undefined) return refusal(415, "the body must not be compressed");
    const body = await readBody(request);
    if (!Buffer.isBuffer(body)) return body;
    const alerts = isUtf8(body) ? readAlerts(parseJson(body.toString())) : undefined;
    if (alerts === undefined) return notKnown;
    const obstacle = gatherer.obstacle();
    if (obstacle !== undefined) return tryLater(obstacle, 60);
    const news = alerts.filter(isNews);
    for (const { line, kind } of news) gatherer.add(line, kind?.slice(0, mostOfKind));
    return { status: 202, body: { gathered: news.length, repeated: alerts.length - news.length } };
  };

  const server = createServer(
    {
      headersTimeout: bounds.headersTime,
      requestTimeout: bounds.requestTime,
      keepAliveTimeout: bounds.idleTime,
      connectionsCheckingInterval: 250,
    },
    (request, response) => {
      answer(request).then(
        (answered) => write(response, answered, isClosing),
        // The sender has disconnected.
        () => response.destroy(),
      );
    },
  );
  server.maxConnections = bounds.connections;
  const url = await listenAt(server, host, port, "--listen");
  return {
    url,
    close: () => {
      isClosing = true;
      return close(server, bounds.closeTime);
    },
  };
}

function readPlace(address: string): { readonly host: string; readonly port: number } {
  const [, inBrackets, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(address) ?? [];
  const host = (inBrackets ?? plain ?? "").replace(/^localhost$/i, "127.0.0.1");
  const port = Number(digits);
  if (isIP(host) === 0 || port > 65_535) {
    const hint = "write it as 127.0.0.1:9876 for this machine, or 0.0.0.0:9876 for others too";
    throw invalidOption(`--listen ${JSON.stringify(address)} is not an IP address and a port`, hint);
  }
  return { host, port };
}

function refusal(status: number, error: string, headers: Answer["headers"] = {}): Answer {
  return { status, body: { error }, headers };
}

/** 503, because Alertmanager repeats nothing after a 429. */
function tryLater(error: string, seconds: number): Answer {
  return refusal(503, error, { "Retry-After": String(seconds) });
}

function notAllowed(allowed: readonly string[]): Answer {
  return refusal(405, `use ${allowed.join(" or ")}`, { Allow: allowed.join(", ") });
}

/** Closes the connection, so that we read nothing more from a stranger. */
const unauthorized = refusal(401, "give the token in SMS_WATCH_TOKEN as Bearer token", {
  "WWW-Authenticate": "Bearer",
  Connection: "close",
});

const notKnown = refusal(
  400,
  'the body is not a notification of Alertmanager (version 4), Grafana or Uptime Kuma, or {"text": "…"}',
);

const notJson = refusal(415, "the content type must be application/json; in Uptime Kuma, choose the request body JSON");

function hasToken(authorization: string | undefined, token: string): boolean {
  return isSameSecret(/^Bearer +(.*)$/i.exec(authorization ?? "")?.[1] ?? "", token);
}

/** Returns whether another notification is allowed: a burst, which fills up again by the rate. */
function openBucket({ burst, rate }: Limits, now: () => number): () => boolean {
  let left = burst;
  let at = now();
  return () => {
    const time = now();
    left = Math.min(burst, left + ((time - at) * rate) / 1000);
    at = time;
    if (left < 1) return false;
    left--;
    return true;
  };
}

/** Reads bodies, or returns why one is not read. Rejects if the sender disconnects. */
function openReader({ bytes: most, allBytes }: Limits): (request: IncomingMessage) => Promise<Buffer | Answer> {
  const tooLarge = refusal(413, `the body is over ${most} bytes`);
  let reading = 0;
  return (request) =>
    new Promise((resolve, reject) => {
      if (Number(request.headers["content-length"] ?? 0) > most) return resolve(tooLarge);
      let chunks: Buffer[] | undefined = [];
      let size = 0;
      const finish = (read?: Answer) => {
        if (chunks === undefined) return;
        resolve(read ?? Buffer.concat(chunks));
        reading -= size;
        chunks = undefined;
      };
      request.on("data", (chunk: Buffer) => {
        // A sender that is still writing would get a reset instead of its answer, so the rest is read and dropped.
        if (chunks === undefined) return;
        chunks.push(chunk);
        // Small chunks weigh much more than their bytes.
        if (chunks.length === 256) chunks = [Buffer.concat(chunks)];
        size += chunk.length;
        reading += chunk.length;
        if (size > most) finish(tooLarge);
        else if (reading > allBytes) finish(tryLater("too many notifications at once", 1));
      });
      request.on("end", () => finish());
      request.on("close", () => {
        reject(new Error("the sender has disconnected"));
        finish();
      });
    });
}

/** Returns whether an alert says something new, and remembers it: senders repeat what lasts, and what they got no answer for. */
function openMemory({ alerts, alertTime }: Limits, now: () => number): (alert: Alert) => boolean {
  const known = new Map<string, { readonly state: string; readonly since: string | undefined; readonly at: number }>();
  return ({ about }) => {
    if (about === undefined) return true;
    const at = now();
    for (const [id, one] of known) {
      if (known.size <= alerts && at - one.at < alertTime) break;
      known.delete(id);
    }
    const id = createHash("sha256").update(about.id).digest("base64");
    const before = known.get(id);
    const { state, since = before?.since } = about;
    const isKnown = before !== undefined && before.state === state && before.since === since;
    // The latest is last, so that the oldest is forgotten first.
    known.delete(id);
    known.set(id, { state, since, at });
    return !isKnown;
  };
}

function write(response: ServerResponse, { status, body, headers }: Answer, isLast: boolean): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    ...(isLast && { Connection: "close" }),
    ...headers,
  });
  response.end(text);
}

function close(server: Server, time: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), time);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
