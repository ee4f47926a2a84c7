import { createHash, timingSafeEqual } from "node:crypto";
import type { Server } from "node:http";
import { usageError } from "./errors.ts";
import { isLoopback } from "./message/address.ts";

/** What a browser says of the page that a request is from; each is empty where a program says nothing. */
interface Origin {
  readonly host: string;
  readonly origin: string;
  readonly site: string;
}

/**
 * Why a request may come from a web page of another site, if it may. Such pages could read a server of ours (DNS rebinding)
 * or change it (cross-site forms). Programs other than browsers send neither `Origin` nor `Sec-Fetch-Site`.
 */
export function foreignness({ host, origin, site }: Origin, isLocal: boolean): string | undefined {
  if (isLocal && !isLoopback(host.replace(/:\d+$/, ""))) return "Host must be localhost, 127.0.0.1 or [::1]";
  // Another port of this machine is another site.
  if (origin !== "" && origin !== `http://${host}` && origin !== `https://${host}`) {
    return "Origin must be a page of this server";
  }
  if (site === "" || site === "same-origin" || site === "none") return undefined;
  return "Sec-Fetch-Site must be same-origin or none: pages of other sites may not use this server";
}

/** Compares two secrets in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  const [digest, otherDigest] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return digest !== undefined && otherDigest !== undefined && timingSafeEqual(digest, otherDigest);
}

/** Listens, and returns where this machine reaches the server. `option` is where its port was given, for the hint of an error. */
export function listenAt(server: Server, host: string, port: number, option: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.on("error", (error) => reject(listenError(error, host, port, option)));
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      resolve(`http://${reachableAt(host)}:${bound}`);
    });
  });
}

function reachableAt(host: string): string {
  if (/^(0\.0\.0\.0|::)$/.test(host)) return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number, option: string): Error {
  const hint = `choose another with ${option}; port 0 picks a free one`;
  if (error.code === "EADDRINUSE") {
    return usageError("PORT_IN_USE", `port ${port} is already in use on this machine`, hint);
  }
  if (error.code === "EACCES") {
    return usageError("PORT_NOT_ALLOWED", `you may not listen on port ${port}`, hint);
  }
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND" || error.code === "EAI_AGAIN") {
    return usageError(
      "INVALID_HOST",
      `${host} is not an address of this machine`,
      "give one that is, or 0.0.0.0 for all of them",
    );
  }
  return error;
}
