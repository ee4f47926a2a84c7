import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { atEnd } from "./at-end.ts";

/** What a proxy does with a CONNECT: answers with a status, cuts the connection, stays silent, or tunnels to a port. */
export type ProxyBehaviour =
  | { readonly kind: "answers"; readonly status: number }
  | { readonly kind: "drops" }
  | { readonly kind: "stalls" }
  /** Opens the tunnel, then cuts it at the first byte. */
  | { readonly kind: "cuts" }
  | { readonly kind: "tunnels"; readonly port: number };

export interface ScriptedProxy {
  readonly url: string;
  readonly connections: () => number;
  readonly heads: readonly string[];
}

/** Starts a proxy that tunnels every name to one port, or misbehaves as `behaviour` says. */
export async function startScriptedProxy(behaviour: ProxyBehaviour): Promise<ScriptedProxy> {
  const heads: string[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const track = (socket: Socket): void => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
  };

  const listener = net.createServer((client) => {
    connections++;
    track(client);
    client.once("data", (chunk: Buffer) => {
      heads.push(chunk.toString("latin1").split("\r\n\r\n")[0] ?? "");
      serve(behaviour, client, track);
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  atEnd(() => {
    for (const socket of open) socket.destroy();
    listener.close();
  });
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, connections: () => connections, heads };
}

const established = "HTTP/1.1 200 Connection established\r\n\r\n";

function serve(behaviour: ProxyBehaviour, client: Socket, track: (socket: Socket) => void): void {
  switch (behaviour.kind) {
    case "answers":
      client.end(`HTTP/1.1 ${behaviour.status} Scripted\r\ncontent-length: 0\r\n\r\n`);
      return;
    case "drops":
      client.destroy();
      return;
    case "stalls":
      return;
    case "cuts":
      client.write(established);
      client.once("data", () => client.resetAndDestroy());
      return;
    case "tunnels": {
      const server = net.connect(behaviour.port, "127.0.0.1", () => client.write(established));
      track(server);
      client.pipe(server).pipe(client);
      client.on("close", () => server.destroy());
      server.on("close", () => client.destroy());
    }
  }
}
