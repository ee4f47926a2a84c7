import { type ScriptedServer, startScriptedServer } from "./scripted-server.ts";
import { accept } from "./scripts.ts";

/** A service that accepts every message and counts the complete POSTs for each recipient. */
export interface CountingServer extends ScriptedServer {
  readonly counts: Map<string, number>;
}

export async function startCountingServer(latency: number, address = "127.0.0.1"): Promise<CountingServer> {
  const counts = new Map<string, number>();
  const server = await startScriptedServer({
    address,
    onRequest: (...received) => {
      const { to } = JSON.parse(received[1].body) as { to: string };
      counts.set(to, (counts.get(to) ?? 0) + 1);
      setTimeout(() => accept({ messageId: `msg_${to}` })(...received), latency);
    },
  });
  return { ...server, counts };
}
