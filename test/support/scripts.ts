import type { Socket } from "node:net";
import type { Script } from "./scripted-server.ts";

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

export function response(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  const all = {
    "content-type": typeof body === "string" ? "text/html" : "application/json",
    "content-length": String(Buffer.byteLength(text)),
    ...headers,
  };
  return head(status, all) + text;
}

export function head(status: number, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join("")}\r\n`;
}

export function answer(status: number, body?: unknown, headers?: Readonly<Record<string, string>>): Script {
  return (socket) => void socket.write(response(status, body, headers));
}

/** Accepts every message with a receipt in which `changes` replace fields. */
export function accept(changes: Readonly<Record<string, unknown>> = {}): Script {
  return (socket, request) => {
    const { to } = JSON.parse(request.body) as { to: string };
    socket.write(response(200, { ...receiptFor(to), ...changes }));
  };
}

/** Answers each request with the next script; the last script answers all later requests. */
export function inTurn(...scripts: readonly [Script, ...Script[]]): Script {
  return (socket, request, index) => scripts[Math.min(index, scripts.length - 1)]?.(socket, request, index);
}

export function write(bytes: string): Script {
  return (socket) => void socket.write(bytes);
}

export function writeThenClose(bytes: string): Script {
  return (socket) => void socket.end(bytes);
}

/** Writes these bytes, waits (a reset discards unread bytes), then resets the connection. */
export function writeThenReset(bytes: string): Script {
  return (socket) => {
    socket.write(bytes);
    setTimeout(() => socket.resetAndDestroy(), 300);
  };
}

export function drip(start: string): Script {
  return (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write("a"), 20);
    socket.on("close", () => clearInterval(timer));
  };
}

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

export function resetAtFirstByte(socket: Socket): void {
  socket.once("readable", () => socket.resetAndDestroy());
}
