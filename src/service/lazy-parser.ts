import type { buildConnector } from "undici";
import { isNode20 } from "../host.ts";

/**
 * The same connector, which on Node 20 has V8 compile undici's WebAssembly parser without its optimising compiler, and
 * only what an answer needs of it: otherwise a send waits 60 to 120 ms for that compiler as it exits. The flags are set
 * only while a connection is open, since V8 accepts no cached code while they differ. Newer Nodes need none of it: delete
 * this file with the support of Node 20, whose end of life was on 30 April 2026.
 */
export async function withLazyParser(connect: buildConnector.connector): Promise<buildConnector.connector> {
  if (!isNode20()) return connect;
  const { setFlagsFromString } = await import("node:v8");
  const setLazy = (isLazy: boolean) => {
    setFlagsFromString(isLazy ? "--no-wasm-dynamic-tiering" : "--wasm-dynamic-tiering");
    setFlagsFromString(isLazy ? "--no-wasm-tier-up" : "--wasm-tier-up");
    setFlagsFromString(isLazy ? "--wasm-lazy-validation" : "--no-wasm-lazy-validation");
  };
  return (options, callback) =>
    connect(options, (...connected) => {
      const [, socket] = connected;
      if (socket) {
        setLazy(true);
        socket.once("close", () => setLazy(false));
      }
      callback(...connected);
    });
}
