import { createServer, type Server } from "node:http";

/** A service that accepts every message and counts the messages to each number. */
export interface CountingServer {
  readonly url: string;
  /** The number of complete POSTs for each recipient. */
  readonly counts: ReadonlyMap<string, number>;
  readonly close: () => Promise<void>;
}

/** Starts a counting server that answers after `latency` milliseconds. */
export async function startCountingServer(latency = 0): Promise<CountingServer> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    // It is not a sandbox.
    if (request.url === "/healthz") return void response.writeHead(404).end();
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { to } = JSON.parse(body) as { to: string };
      counts.set(to, (counts.get(to) ?? 0) + 1);
      const receipt = { success: true, messageId: `msg_${to}`, segments: 1, totalCredits: 1 };
      const answer = JSON.stringify({ ...receipt, totalCostKes: 0.8, newBalance: 1, status: "queued", to });
      setTimeout(() => response.setHeader("Content-Type", "application/json").end(answer), latency);
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Listens on a free port of loopback and returns the port. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}
