import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A service that fails in all documented ways, and remembers what really became of each message. */
export interface StormService {
  readonly url: string;
  /** How often each number was sent a message, or may have been. */
  readonly texted: ReadonlyMap<string, number>;
  /** The message id of each number that was accepted. */
  readonly accepted: ReadonlyMap<string, string>;
  readonly refused: ReadonlySet<string>;
  /** All requests so far. */
  readonly requests: () => number;
  /** The answers that leave a message uncertain, so far. */
  readonly doubts: () => number;
  readonly close: () => Promise<void>;
}

/** The number of the recipient at that index. */
export function stormNumber(index: number): string {
  return `+2547${String(index).padStart(8, "0")}`;
}

/** Starts the service. Of 100 messages it refuses one, answers one with 500, cuts one off, and answers one with 429 first. */
export async function startStormService(random: () => number): Promise<StormService> {
  const texted = new Map<string, number>();
  const accepted = new Map<string, string>();
  const refused = new Set<string>();
  const limited = new Set<string>();
  let requests = 0;
  let doubts = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      requests++;
      const { to } = JSON.parse(body) as { to: string };
      const reply = (status: number, answer: unknown) => {
        const text = JSON.stringify(answer);
        setTimeout(
          () => response.writeHead(status, { "Content-Type": "application/json", "Retry-After": "0" }).end(text),
          5 + random() * 35,
        );
      };
      const kind = Number(to.slice(-2));
      if (kind === 7) {
        refused.add(to);
        reply(400, { error: "Invalid parameters" });
        return;
      }
      if (kind === 31 && !limited.has(to)) {
        limited.add(to);
        reply(429, { error: "Too many requests" });
        return;
      }
      texted.set(to, (texted.get(to) ?? 0) + 1);
      if (kind === 53) {
        doubts++;
        reply(500, { error: "Internal error" });
      } else if (kind === 79) {
        doubts++;
        request.socket.destroy();
      } else {
        const messageId = `msg_${to}_${texted.get(to)}`;
        accepted.set(to, messageId);
        const receipt = { success: true, messageId, segments: 1, totalCredits: 1, totalCostKes: 0.8 };
        reply(200, { ...receipt, newBalance: 1, status: "queued", to });
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    texted,
    accepted,
    refused,
    requests: () => requests,
    doubts: () => doubts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
