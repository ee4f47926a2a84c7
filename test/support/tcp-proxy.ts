import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface TcpProxy {
  readonly port: number;
  /** Breaks all connections, and each new one. */
  readonly cut: () => void;
  /** Acknowledges everything from now on, and carries nothing. */
  readonly swallow: () => void;
  /** Does so for the connections that are open now, as a firewall that has forgotten them. */
  readonly forget: () => void;
}

export async function startTcpProxy(
  target: number,
  change: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let carries = true;
  const forgotten = new Set<Socket>();
  let isCut = false;
  const server = net.createServer((near) => {
    if (isCut) return void near.destroy();
    const far = net.connect(target, "127.0.0.1");
    for (const [from, to, map] of [
      [near, far, (bytes: Buffer) => bytes],
      [far, near, change],
    ] as const) {
      open.add(from);
      from.on("data", (bytes: Buffer) => void (carries && !forgotten.has(from) && to.writable && to.write(map(bytes))));
      from.on("error", () => {});
      from.on("close", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, cut, swallow: () => (carries = false), forget: () => open.forEach((socket) => forgotten.add(socket)) };
}
