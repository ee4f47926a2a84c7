import { hostname, userInfo } from "node:os";
import type { Actor } from "../runs.ts";

export function actorHere(): Actor {
  const machine = hostname();
  try {
    return { user: userInfo().username, machine };
  } catch {
    // The system does not know this user.
    return { machine };
  }
}

export function processText(pid: number, { user, machine }: Actor = actorHere()): string {
  return `process ${pid} on ${machine}${user === undefined ? "" : ` (${user})`}`;
}
