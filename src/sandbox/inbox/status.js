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
     * @param {{ isEmpty: boolean, messages: number, unread: number }} totals
     */
    show(account, { isEmpty, messages, unread }) {
      clear.disabled = isEmpty;
      document.title = unread === 0 ? "sms sandbox" : `(${unread}) sms sandbox`;
      if (account === undefined) return;
      const { balance, keys, rate, senders, url } = account;
      summary.textContent = `${count(messages, "message")} · ${count(balance, "credit")} left`;
      plan.textContent = `${count(rate, "request")} a minute`;
      plan.title = `Sender IDs: ${senders.join(", ")}`;
      example.textContent = [
        `export SMS_BASE_URL=${url}`,
        `export SMS_API_KEY=${keys[0] ?? ""}`,
        'sms send --to +254712345678 --message "Hello"',
      ].join("\n");
    },
  };
}
