/** @import { Snapshot } from "./feed.js" */
import { byId, count } from "./dom.js";

const newsEveryMs = 2000;

const sentences = { live: "Live", stopped: "The sandbox has stopped", full: "Too many pages are open" };

/** The page's connection state, account and example command. */
export function openStatus() {
  const connection = byId("connection", HTMLParagraphElement);
  const summary = byId("account", HTMLElement);
  const plan = byId("plan", HTMLElement);
  const example = byId("example", HTMLPreElement);
  const clear = byId("clear", HTMLButtonElement);
  const news = byId("news", HTMLParagraphElement);
  const becameNone = byId("became-none", HTMLParagraphElement);
  const views = [...byId("views", HTMLUListElement).querySelectorAll("a")];
  let arrived = 0;

  return {
    /** @param {"live" | "stopped" | "full"} state */
    connect(state) {
      document.body.dataset["connection"] = state;
      connection.textContent = sentences[state];
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
     * @param {{ isEmpty: boolean, messages: number, refusals: number, credits: number, costKes: number, unread: number }} totals
     * @param {number} failed how many requests were not answered with 200
     * @param {string} view
     */
    show(account, { isEmpty, messages, refusals, credits, costKes, unread }, failed, view) {
      clear.disabled = isEmpty;
      document.title = unread === 0 ? "sms sandbox" : `(${unread}) sms sandbox`;
      for (const link of views)
        link.ariaCurrent = link.hash === (view === "messages" ? "" : `#${view}`) ? "page" : null;
      becameNone.hidden = failed === 0;
      byId("failures", HTMLAnchorElement).textContent = `${count(failed, "request")} became no message: see why`;
      if (account === undefined) return;
      const { balance, keys, rate, senders, url } = account;
      summary.textContent = [
        count(messages, "message"),
        ...(refusals === 0 ? [] : [`${refusals.toLocaleString("en")} refused`]),
        count(credits, "credit"),
        `KES ${costKes.toFixed(2)}`,
      ].join(" · ");
      plan.textContent = `${count(balance, "credit")} left · ${count(rate, "request")} a minute`;
      plan.title = `Sender IDs: ${senders.join(", ")}`;
      example.textContent = [
        `export SMS_BASE_URL=${url}`,
        `export SMS_API_KEY=${keys[0] ?? ""}`,
        'sms send --to +254712345678 --message "Hello"',
      ].join("\n");
    },
  };
}
