import { visible } from "./redact.ts";

/** Returns who gave a command, and on which machine, as in `anna on laptop`. */
export function actorText({ user, machine }: { readonly user?: string | undefined; readonly machine: string }): string {
  return visible(user === undefined ? machine : `${user} on ${machine}`);
}
