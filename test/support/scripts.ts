import type { Socket } from "node:net";
import type { Script } from "./scripted-server.ts";

/** The service's receipt for a message to this number, as the interface documents it. */
export function receiptFor(to: string): Record<string, unknown> {
  return {
    success: true,
    messageId: "msg_0001",
    segments: 1,
    totalCredits: 1,
    totalCostKes: 0.8,
    newBalance: 99,
    status: "queued",
    to,
    senderId: "ACME",
  };
}

/** A whole HTTP/1.1 response as bytes; text where the body is a string, JSON where it is a value, none where undefined. */
export function response(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  const all = {
    "content-type": typeof body === "string" ? "text/html" : "application/json",
    "content-length": String(Buffer.byteLength(text)),
    ...headers,
  };
  return head(status, all) + text;
}

/** The status line and headers of a response, and the empty line after them. */
export function head(status: number, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join("")}\r\n`;
}

/** Answers every request so, and leaves the connection to the client. */
export function answer(status: number, body?: unknown, headers?: Readonly<Record<string, string>>): Script {
  return (socket) => void socket.write(response(status, body, headers));
}

/** Takes every message, with what `changes` says put in the receipt's place. */
export function accept(changes: Readonly<Record<string, unknown>> = {}): Script {
  return (socket, request) => {
    const { to } = JSON.parse(request.body) as { to: string };
    socket.write(response(200, { ...receiptFor(to), ...changes }));
  };
}

/** Answers the first request by the first script, and so on; the last serves all that follow. */
export function inTurn(...scripts: readonly [Script, ...Script[]]): Script {
  return (socket, request, index) => scripts[Math.min(index, scripts.length - 1)]?.(socket, request, index);
}

/** Writes these bytes and nothing more. */
export function write(bytes: string): Script {
  return (socket) => void socket.write(bytes);
}

/** Writes these bytes, then closes in good order. */
export function writeThenClose(bytes: string): Script {
  return (socket) => void socket.end(bytes);
}

/** Writes these bytes, lets them be read (a reset overtakes what was not), then resets the connection. */
export function writeThenReset(bytes: string): Script {
  return (socket) => {
    socket.write(bytes);
    setTimeout(() => socket.resetAndDestroy(), 300);
  };
}

/** Writes the start, then a byte every 20 ms for as long as anyone listens. */
export function drip(start: string): Script {
  return (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write("a"), 20);
    socket.on("close", () => clearInterval(timer));
  };
}

/** Writes the start, then as much as anyone takes, without end. */
export function flood(start: string): Script {
  const piece = "10000\r\n" + "a".repeat(0x10000) + "\r\n";
  return (socket) => {
    socket.write(start);
    const pour = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", pour);
    pour();
  };
}

/** Resets a connection when the first bytes of a request arrive, and reads none of them. */
export function resetAtFirstByte(socket: Socket): void {
  socket.once("readable", () => socket.resetAndDestroy());
}
