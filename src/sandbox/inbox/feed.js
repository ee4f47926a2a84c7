/** @import { AccountEvent, SandboxMessage, SandboxRefusal } from "../account.ts" */

/** @typedef {Extract<AccountEvent, { name: "account" }>["data"]} AccountSummary */

/**
 * The whole state of a sandbox.
 * @typedef {AccountSummary & {
 *   readonly url: string,
 *   readonly messages: readonly SandboxMessage[],
 *   readonly refusals: readonly SandboxRefusal[],
 * }} Snapshot
 */

/** @typedef {AccountEvent | { readonly name: "snapshot", readonly data: Snapshot }} FeedEvent */

/** @type {readonly FeedEvent["name"][]} */
const names = ["snapshot", "message", "refusal", "cleared", "account"];
const retryMs = 1000;

/**
 * Follows the sandbox's events. If it stops, reconnects every second; each connection starts with a snapshot.
 * @param {(event: FeedEvent) => void} onEvent
 * @param {(connection: "live" | "stopped") => void} onConnection
 */
export function follow(onEvent, onConnection) {
  const source = new EventSource("/_sandbox/events");
  source.addEventListener("open", () => onConnection("live"));
  source.addEventListener("error", () => {
    // The browser's own retry gives up on some errors and waits longer on others.
    source.close();
    onConnection("stopped");
    setTimeout(() => follow(onEvent, onConnection), retryMs);
  });
  for (const name of names) {
    source.addEventListener(name, ({ data }) => onEvent({ name, data: JSON.parse(data) }));
  }
}
