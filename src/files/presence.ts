import { constants, existsSync, openSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { platform } from "node:os";
import { join } from "node:path";
import { removeQuietly } from "./durable.ts";
import { errorCode, closeQuietly } from "./file-system.ts";

/** The limit of macOS is the shortest: Linux takes 107 bytes. */
const longestPath = 103;

/** The kernel removes this the moment its process dies. */
export interface Presence {
  readonly isThere: () => boolean;
  readonly end: () => void;
}

/** Each process of the kernel, in any PID namespace, can connect. If the disk has no sockets, this is undefined. */
export async function announce(folder: string, name: string): Promise<Presence | undefined> {
  const path = socketIn(folder, name);
  if (path === undefined) return undefined;
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    await listening(server, path.text);
  } catch {
    path.close();
    return undefined;
  }
  let hasEnded = false;
  return {
    isThere: () => platform() === "win32" || existsSync(join(folder, name)),
    end: () => {
      if (hasEnded) return;
      hasEnded = true;
      // Node removes the socket's file when it closes the server, and needs the path for it.
      server.close(path.close);
      removeQuietly(join(folder, name));
    },
  };
}

/** Only a refusal of the kernel counts as dead. */
export async function isPresent(folder: string, name: string): Promise<boolean> {
  const path = socketIn(folder, name);
  if (path === undefined) return true;
  try {
    return await new Promise<boolean>((resolve) => {
      const socket = connect(path.text);
      socket.on("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.on("error", (error) => resolve(!["ECONNREFUSED", "ENOENT"].includes(errorCode(error))));
    });
  } finally {
    path.close();
  }
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => resolve());
  });
}

function socketIn(folder: string, name: string): { readonly text: string; readonly close: () => void } | undefined {
  const close = () => {};
  if (platform() === "win32") return { text: `\\\\.\\pipe\\sms-${name}`, close };
  const plain = join(folder, name);
  if (Buffer.byteLength(plain) <= longestPath) return { text: plain, close };
  if (!existsSync("/proc/self/fd")) return undefined;
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { text: `/proc/self/fd/${descriptor}/${name}`, close: () => closeQuietly(descriptor) };
}
