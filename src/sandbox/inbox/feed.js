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

/** @typedef {"live" | "stopped" | "full" | "locked"} Connection */

/**
 * An event as the page that has the stream passes it on to the others.
 * @typedef {{ readonly id: number, readonly name: FeedEvent["name"], readonly json: string }} PassedEvent
 */

/** @type {readonly FeedEvent["name"][]} */
const names = ["snapshot", "message", "refusal", "request", "cleared", "account", "faults"];
const retryMs = 1000;
/**
 * The statuses with which a sandbox refuses its events: with too many readers, and without the token of its latest start.
 * @type {Readonly<Record<number, Connection>>}
 */
const refused = { 503: "full", 401: "locked" };
/** After so many events a page begins anew, as the sandbox drops its oldest messages. */
const mostEvents = 100_000;
/** The name of the lock and of the channel of all pages of this sandbox. */
const shared = "sms sandbox events";

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
 * Follows the sandbox's events; the first is a snapshot, as is each after a break. A browser keeps only six connections to
 * a server, so one page has the stream and passes it on to all others. If that page is closed, the next one takes over.
 * @param {object} listeners
 * @param {(event: FeedEvent) => void} listeners.onEvent
 * @param {(connection: Connection) => void} listeners.onConnection
 * @param {() => void} listeners.onMissed a message came while the page is hidden and another has the stream
 */
export function follow({ onEvent, onConnection, onMissed }) {
  const pages = new BroadcastChannel(shared);
  let isOwner = false;
  /** @type {EventSource | undefined} Of a page that does not own the stream, only for a first snapshot. */
  let source;
  /** @type {number | undefined} The id of the last event; undefined before a snapshot. */
  let last;
  /** @type {PassedEvent[]} Those that came before the snapshot. */
  let early = [];

  /** @param {PassedEvent} event */
  function take(event) {
    const { id, name, json } = event;
    if (name !== "snapshot") {
      if (last === undefined) early.push(event);
      // A snapshot of our own may have what is passed on later.
      if (last === undefined || id <= last) return;
    }
    last = id;
    onEvent({ name, data: JSON.parse(json) });
    early.splice(0).forEach(take);
  }

  /** @param {PassedEvent | Connection} data */
  function pass(data) {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    if (isOwner) pages.postMessage(data);
  }

  /** @param {Connection} connection */
  function showConnection(connection) {
    pass(connection);
    onConnection(connection);
  }

  function disconnect() {
    source?.close();
    source = undefined;
  }

  function connect() {
    if (source !== undefined || (!isOwner && (document.hidden || last !== undefined))) return;
    const current = new EventSource("/_sandbox/events");
    source = current;
    current.addEventListener("open", () => showConnection("live"));
    current.addEventListener("error", () => {
      // The browser's own retry gives up on some errors and waits longer on others.
      current.close();
      // An event source does not say with which status it was refused.
      fetch("/_sandbox/events", { method: "HEAD" })
        .then(({ status }) => showConnection(refused[status] ?? "stopped"))
        .catch(() => showConnection("stopped"))
        .finally(() => setTimeout(reconnect, retryMs, current));
    });
    let events = 0;
    for (const name of names) {
      current.addEventListener(name, ({ lastEventId, data }) => {
        const event = { id: Number(lastEventId), name, json: data };
        pass(event);
        if (!isOwner) disconnect();
        take(event);
        if (++events > mostEvents) reconnect(current);
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

  /** Keeps the lock, and with it the stream, until the page is closed. */
  function own() {
    isOwner = true;
    connect();
    return new Promise(() => {});
  }

  /** @param {Lock | null} lock */
  function ownIfFree(lock) {
    if (lock !== null) return own();
    connect();
    navigator.locks.request(shared, own).catch(() => {});
    return undefined;
  }

  pages.addEventListener("message", ({ data }) => {
    /** @type {PassedEvent | Connection} */
    const passed = data;
    if (isOwner) return;
    if (typeof passed === "string") onConnection(passed);
    else if (!document.hidden) {
      if (passed.name === "snapshot") disconnect();
      take(passed);
    } else if (passed.name === "message") onMissed();
    else if (passed.name === "cleared") onEvent({ name: "cleared", data: {} });
  });
  document.addEventListener("visibilitychange", () => {
    if (isOwner) return;
    disconnect();
    last = undefined;
    early = [];
    connect();
  });
  // Over http from another machine a page gets no locks, and has a stream of its own.
  if ("locks" in navigator) navigator.locks.request(shared, { ifAvailable: true }, ownIfFree).catch(own);
  else void own();
}
