import { setTimeout as sleep } from "node:timers/promises";
import { type ScriptedServer, startScriptedServer } from "./scripted-server.ts";
import { accept } from "./scripts.ts";

/** A service that accepts every message and counts the complete POSTs for each recipient. */
export interface CountingServer extends ScriptedServer {
  readonly counts: Map<string, number>;
}

/** Answers each message after these milliseconds, or once `delay` has ended, which gets its index and recipient. */
export async function startCountingServer(
  delay: number | ((index: number, to: string) => unknown),
  address = "127.0.0.1",
): Promise<CountingServer> {
  const counts = new Map<string, number>();
  const server = await startScriptedServer({
    address,
    onRequest: async (...received) => {
      const { to } = JSON.parse(received[1].body) as { to: string };
      counts.set(to, (counts.get(to) ?? 0) + 1);
      await (typeof delay === "number" ? sleep(delay) : delay(received[2], to));
      accept({ messageId: `msg_${to}` })(...received);
    },
  });
  return { ...server, counts };
}
