/** @import { Connection, Snapshot } from "./feed.js" */
import { byId, count } from "./dom.js";
import { openExamples } from "./examples.js";

const newsEveryMs = 2000;

const sentences = {
  live: "Live",
  stopped: "The sandbox has stopped",
  full: "Too many pages are open",
  locked: "Open the address that the sandbox printed",
};

/** The page's connection state, account and example command. */
export function openStatus() {
  const connection = byId("connection", HTMLParagraphElement);
  const summary = byId("account", HTMLElement);
  const plan = byId("plan", HTMLElement);
  const examples = openExamples();
  const clear = byId("clear", HTMLButtonElement);
  const news = byId("news", HTMLParagraphElement);
  const becameNone = byId("became-none", HTMLParagraphElement);
  const views = [...byId("views", HTMLUListElement).querySelectorAll("a")];
  let arrived = 0;

  return {
    /** @param {Connection} state */
    connect(state) {
      document.body.dataset["connection"] = state;
      connection.textContent = sentences[state];
    },

    /** @param {number} unread */
    showUnread(unread) {
      document.title = unread === 0 ? "sms sandbox" : `(${unread}) sms sandbox`;
    },

    /** Announces new messages to screen readers, at most every two seconds. */
    announce() {
      arrived++;
      if (arrived > 1) return;
      setTimeout(() => {
        news.textContent = count(arrived, "new message");
        arrived = 0;
      }, newsEveryMs);
    },

    /**
     * @param {Omit<Snapshot, "messages" | "refusals" | "earlier"> | undefined} account
     * @param {{ isEmpty: boolean, messages: number, refusals: number, credits: number, costKes: number }} totals
     * @param {number} failed how many requests were not answered with 200
     * @param {string} view
     */
    show(account, { isEmpty, messages, refusals, credits, costKes }, failed, view) {
      clear.disabled = isEmpty;
      for (const link of views)
        link.ariaCurrent = link.hash === (view === "messages" ? "" : `#${view}`) ? "page" : null;
      becameNone.hidden = failed === 0;
      byId("failures", HTMLAnchorElement).textContent = `${count(failed, "request")} became no message: see why`;
      if (account === undefined) return;
      const { balance, rate, senders } = account;
      summary.textContent = [
        count(messages, "message"),
        ...(refusals === 0 ? [] : [`${refusals.toLocaleString("en")} refused`]),
        count(credits, "credit"),
        `KES ${costKes.toFixed(2)}`,
      ].join(" · ");
      plan.textContent = `${count(balance, "credit")} left · ${count(rate, "request")} a minute`;
      plan.title = `Sender IDs: ${senders.join(", ")}`;
      examples.show(account);
    },
  };
}
