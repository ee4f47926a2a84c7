/** @import { Place } from "../account.ts" */
/** @import { Connection, FeedEvent, Snapshot } from "./feed.js" */
/** @import { Mailbox } from "./mailbox.js" */
/** @import { Requests } from "./requests.js" */
import { follow, latestRequests, pageBefore } from "./feed.js";

/** @typedef {Omit<Snapshot, "messages" | "refusals" | "earlier">} AccountAndFaults */

/**
 * Keeps messages and requests as the sandbox has them.
 * @param {Mailbox} mailbox
 * @param {Requests} requests
 * @param {object} listeners
 * @param {(event?: FeedEvent) => void} listeners.onChange after an event, and after more of the history was added
 * @param {(connection: Connection) => void} listeners.onConnection
 */
export function followSandbox(mailbox, requests, { onChange, onConnection }) {
  /** @type {AccountAndFaults | undefined} */
  let account;
  /** Changes when the history begins anew, so that earlier entries of the old one are left out. */
  let generation = Symbol();
  let isWhole = false;
  /** Messages that were only counted, while the page was hidden. */
  let missed = 0;

  /**
   * Adds the entries before that place, page by page.
   * @param {Place | undefined} place
   */
  async function addEarlier(place) {
    const current = generation;
    for (let next = place; next !== undefined;) {
      const { messages, refusals, earlier } = await pageBefore(next);
      if (generation !== current) return;
      mailbox.addEarlier(messages, refusals);
      next = earlier;
      onChange();
    }
    isWhole = true;
    onChange();
  }

  async function addRequests() {
    const current = generation;
    const latest = await latestRequests();
    if (generation !== current) return;
    requests.addEarlier(latest);
    onChange();
  }

  /** @param {FeedEvent} event */
  function apply({ name, data }) {
    switch (name) {
      case "snapshot": {
        const { messages, refusals, earlier, ...others } = data;
        account = others;
        generation = Symbol();
        isWhole = false;
        missed = 0;
        mailbox.clear();
        mailbox.addEarlier(messages, refusals);
        // If it fails, the feed ends too, and the next one begins with a snapshot.
        addEarlier(earlier).catch(() => {});
        requests.clear();
        addRequests().catch(() => {});
        break;
      }
      case "message":
        if (account !== undefined) account = { ...account, balance: data.balance };
        mailbox.addMessage(data.message);
        break;
      case "refusal":
        mailbox.addRefusal(data);
        break;
      case "request":
        requests.add(data);
        break;
      case "cleared":
        generation = Symbol();
        isWhole = true;
        missed = 0;
        mailbox.clear();
        requests.clear();
        break;
      case "account":
      case "faults":
        if (account !== undefined) account = { ...account, ...data };
        break;
    }
  }

  follow({
    onEvent(event) {
      apply(event);
      onChange(event);
    },
    onConnection,
    onMissed() {
      missed++;
      onChange();
    },
  });

  return {
    /** Undefined before the first snapshot. */
    account: () => account,

    /** Whether the whole history is there. */
    isWhole: () => isWhole,

    unread: () => mailbox.totals().unread + missed,
  };
}
