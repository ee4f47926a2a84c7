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
/** The name of the lock and of the channel of all pages of this sandbox. */
const shared = "sms sandbox";

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
 * Follows the sandbox's events; each connection starts with a snapshot. If the sandbox stops, reconnects every second.
 * A browser keeps only six connections to a server, so only pages that are seen have one, and one page more, which tells
 * the others of new messages.
 * @param {object} listeners
 * @param {(event: FeedEvent) => void} listeners.onEvent
 * @param {(connection: "live" | "stopped" | "full") => void} listeners.onConnection
 * @param {() => void} listeners.onMissed a message came while the page has no connection
 */
export function follow({ onEvent, onConnection, onMissed }) {
  const others = new BroadcastChannel(shared);
  // Over http from another machine a page gets no locks. Each page keeps its connection then.
  let isTeller = !("locks" in navigator);
  /** @type {EventSource | undefined} */
  let source;

  function disconnect() {
    source?.close();
    source = undefined;
  }

  function connect() {
    if (source !== undefined || (document.hidden && !isTeller)) return;
    const current = new EventSource("/_sandbox/events");
    source = current;
    current.addEventListener("open", () => onConnection("live"));
    current.addEventListener("error", () => {
      // The browser's own retry gives up on some errors and waits longer on others.
      current.close();
      // An event source does not say with which status it was refused.
      fetch("/_sandbox/events", { method: "HEAD" })
        .then(({ status }) => onConnection(status === 503 ? "full" : "stopped"))
        .catch(() => onConnection("stopped"))
        .finally(() => setTimeout(reconnect, retryMs, current));
    });
    for (const name of names) {
      current.addEventListener(name, ({ data }) => {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
        if (isTeller && name === "message") others.postMessage(name);
        onEvent({ name, data: JSON.parse(data) });
      });
    }
    // A new connection begins with the history as it is now.
    current.addEventListener("changed", () => reconnect(current));
  }

  /** @param {EventSource} old */
  function reconnect(old) {
    if (source !== old) return;
    disconnect();
    connect();
  }

  others.addEventListener("message", () => {
    if (source === undefined) onMissed();
  });
  document.addEventListener("visibilitychange", () => (document.hidden && !isTeller ? disconnect() : connect()));
  // The lock is kept until the page is closed.
  const tell = () => {
    isTeller = true;
    connect();
    return new Promise(() => {});
  };
  if (!isTeller) navigator.locks.request(shared, tell).catch(() => {});
  connect();
}
