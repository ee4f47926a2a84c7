/** @import { AccountEvent, Place } from "../account.ts" */
/** @import { HistoryPage } from "../feed.ts" */
/** @import { SandboxRequest } from "../request-log.ts" */

/** @typedef {Extract<AccountEvent, { name: "account" }>["data"]} AccountSummary */

/**
 * The state of a sandbox, with the latest page of its history.
 * @typedef {AccountSummary & HistoryPage & { readonly url: string, readonly faults: string, readonly seed: number }} Snapshot
 */

/**
 * @typedef {Exclude<AccountEvent, { name: "changed" }>
 *   | { readonly name: "faults", readonly data: { readonly faults: string, readonly seed: number } }
 *   | { readonly name: "request", readonly data: SandboxRequest }
 *   | { readonly name: "snapshot", readonly data: Snapshot }} FeedEvent
 */

/** @type {readonly FeedEvent["name"][]} */
const names = ["snapshot", "message", "refusal", "request", "cleared", "account", "faults"];
const retryMs = 1000;

/**
 * The page of the history before that place. Rejects if the sandbox has stopped.
 * @param {Place} place
 * @returns {Promise<HistoryPage>}
 */
export async function pageBefore({ messages, refusals }) {
  const answer = await fetch(`/_sandbox/earlier?messages=${messages}&refusals=${refusals}`);
  return answer.json();
}

/**
 * The latest requests, oldest first. Rejects if the sandbox has stopped.
 * @returns {Promise<readonly SandboxRequest[]>}
 */
export async function latestRequests() {
  const answer = await fetch("/_sandbox/requests");
  return answer.json();
}

/**
 * Follows the sandbox's events. If it stops, reconnects every second; each connection starts with a snapshot.
 * @param {(event: FeedEvent) => void} onEvent
 * @param {(connection: "live" | "stopped" | "full") => void} onConnection
 */
export function follow(onEvent, onConnection) {
  const source = new EventSource("/_sandbox/events");
  source.addEventListener("open", () => onConnection("live"));
  source.addEventListener("error", () => {
    // The browser's own retry gives up on some errors and waits longer on others.
    source.close();
    // An event source does not say with which status it was refused.
    fetch("/_sandbox/events", { method: "HEAD" })
      .then(({ status }) => onConnection(status === 503 ? "full" : "stopped"))
      .catch(() => onConnection("stopped"))
      .finally(() => setTimeout(() => follow(onEvent, onConnection), retryMs));
  });
  for (const name of names) {
    source.addEventListener(name, ({ data }) => onEvent({ name, data: JSON.parse(data) }));
  }
  source.addEventListener("changed", () => {
    // A new connection begins with the history as it is now.
    source.close();
    follow(onEvent, onConnection);
  });
}
