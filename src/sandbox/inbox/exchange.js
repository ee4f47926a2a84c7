/** @import { SandboxExchange } from "../request-log.ts" */
/** @import { RequestName } from "./route.js" */
import { clock } from "./clock.js";
import { curlCommand, smsCommand } from "./commands.js";
import { copyButton } from "./copy.js";
import { byId, element } from "./dom.js";
import { statusBadge } from "./requests.js";
import { conversationAddress, requestAddress } from "./route.js";
import { oneLine, textNodes } from "./text.js";

/** The open request, with all that was exchanged. */
export function openExchange() {
  const article = byId("exchange", HTMLElement);
  const missing = byId("no-request", HTMLElement);
  /** @type {string | undefined} The address of the request. */
  let wanted;
  let shown = "";
  let isStale = false;
  let loading = Promise.resolve();

  /** @param {RequestName} request */
  async function load(request) {
    const answer = await fetch(`/_sandbox/requests?id=${request.id}`);
    /** @type {SandboxExchange | undefined} */
    const found = answer.ok ? await answer.json() : undefined;
    if (wanted !== requestAddress(request)) return;
    // The address with the time, of a refusal's link too, is the one to pass on; it loads again.
    if (found !== undefined && !request.at) return location.replace(requestAddress(found));
    const exchange = found?.at === request.at ? found : undefined;
    article.hidden = exchange === undefined;
    missing.hidden = exchange !== undefined;
    if (exchange === undefined || requestAddress(exchange) === shown) return;
    shown = requestAddress(exchange);
    article.replaceChildren(...contentOf(exchange));
  }

  return {
    /**
     * Fetches and shows a request; nothing without one.
     * @param {RequestName | undefined} request
     */
    show(request) {
      const address = request && requestAddress(request);
      if (address === wanted && !isStale) return;
      if (address !== wanted) {
        article.hidden = true;
        missing.hidden = true;
      }
      wanted = address;
      isStale = false;
      // It fails only if the sandbox has stopped; the next snapshot loads it again.
      if (request !== undefined) loading = load(request).catch(() => {});
    },

    /** Looks again for the open request at the next `show`. */
    reload() {
      isStale = true;
    },

    /** Takes the focus, once the request is there. */
    focus: () => void loading.then(() => article.focus({ preventScroll: true })),

    hasFocus: () => article.contains(document.activeElement),
  };
}

/** @param {SandboxExchange} exchange */
function contentOf(exchange) {
  const { at, fault, method, milliseconds, mode, reason, status, target, to } = exchange;
  const url = location.origin;
  const sms = smsCommand(exchange, url);
  const facts = [
    statusBadge(status),
    clock(at, "second"),
    element("span", { title: "from the arrival to the answer" }, `${milliseconds.toLocaleString("en")} ms`),
    ...(mode === undefined ? [] : [element("span", { class: `mode ${mode}` }, mode)]),
    ...(fault === undefined ? [] : [element("span", {}, `fault ${fault}`)]),
    ...(to === undefined ? [] : [element("a", { href: conversationAddress(to) }, oneLine(to) || "no recipient")]),
  ];
  return [
    element("a", { class: "back", href: "#requests", "aria-label": "Back to requests" }, "‹"),
    element("h2", { id: "exchange-title" }, oneLine(`${method} ${target}`)),
    element("p", { class: status === 200 ? "reason" : "reason problem" }, ...textNodes([reason])),
    element("p", { class: "facts" }, ...facts),
    element(
      "p",
      { class: "actions" },
      copyButton("Copy as curl", () => curlCommand(exchange, url)),
      ...(sms === undefined ? [] : [copyButton("Copy as sms send", () => sms)]),
      copyButton("Copy link", () => location.href),
    ),
    element("h3", {}, "Request"),
    raw(requestText(exchange)),
    element("h3", {}, "Answer"),
    raw(answerText(exchange)),
  ];
}

/** @param {string} text */
function raw(text) {
  return element("pre", { tabindex: "0" }, ...textNodes([text]));
}

/** @param {SandboxExchange} exchange */
function requestText({ method, target, headers, body }) {
  return wireText(`${method} ${target} HTTP/1.1`, headers, body);
}

/** @param {SandboxExchange} exchange */
function answerText({ answer, status }) {
  return answer === null ? "None" : wireText(`HTTP/1.1 ${status}`, answer.headers, answer.body);
}

/**
 * @param {string} first
 * @param {SandboxExchange["headers"]} headers
 * @param {string} body
 */
function wireText(first, headers, body) {
  return [first, ...headers.map(([name, value]) => `${name}: ${value}`), "", body].join("\n").trimEnd();
}
