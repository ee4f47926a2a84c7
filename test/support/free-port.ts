import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Returns a port of this machine on which nothing listens, and which no system gives to those who ask for any. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
