/** @import { SandboxRequest } from "../request-log.ts" */
/** @import { RequestName } from "./route.js" */
/** @import { Search } from "./search.js" */
import { clock } from "./clock.js";
import { byId, element, showChildren } from "./dom.js";
import { requestAddress, routeIn } from "./route.js";
import { fold } from "./search.js";
import { oneLine } from "./text.js";

const maxKept = 1000;

/** @typedef {ReturnType<typeof openRequests>} Requests */

/** The latest requests, and their list. */
export function openRequests() {
  const list = byId("requests", HTMLOListElement);
  const failed = byId("failed", HTMLElement);
  /** @type {Map<number, SandboxRequest>} By id; the latest is last. */
  let requests = new Map();
  /** @type {WeakMap<SandboxRequest, HTMLElement>} */
  const rows = new WeakMap();

  /** @param {SandboxRequest} request */
  function rowOf(request) {
    const row = rows.get(request) ?? rowElement(request);
    rows.set(request, row);
    return row;
  }

  return {
    /** @param {SandboxRequest} request */
    add(request) {
      requests.set(request.id, request);
      if (requests.size > maxKept) requests.delete(requests.keys().next().value ?? 0);
    },

    /** @param {readonly SandboxRequest[]} earlier */
    addEarlier(earlier) {
      requests = new Map([...earlier.map((request) => /** @type {const} */ ([request.id, request])), ...requests]);
    },

    clear: () => requests.clear(),

    totals() {
      const all = [...requests.values()];
      return { isEmpty: all.length === 0, failed: all.filter(({ status }) => status !== 200).length };
    },

    /**
     * Shows the latest requests that are found; returns whether there are more.
     * @param {Search} search
     * @param {RequestName | undefined} opened
     * @param {number} limit
     */
    show(search, opened, limit) {
      const found = [...requests.values()]
        .filter((request) => search.typed === "" || finds(request, search))
        .toReversed();
      showChildren(list, found.slice(0, limit).map(rowOf));
      for (const link of list.querySelectorAll("a")) {
        link.ariaCurrent = opened !== undefined && routeIn(link.hash).request?.id === opened.id ? "true" : null;
      }
      return { found: found.length, hasMore: found.length > limit };
    },

    /** @param {number} count */
    showFailed(count) {
      failed.textContent = count === 0 ? "" : `${count.toLocaleString("en")} failed`;
    },
  };
}

/**
 * The status of an answer as a badge; 0 is none.
 * @param {number} status
 */
export function statusBadge(status) {
  return element("span", { class: status === 200 ? "status" : "status bad" }, status === 0 ? "none" : String(status));
}

/** @param {SandboxRequest} request */
function rowElement({ id, at, method, target, status, reason }) {
  return element(
    "li",
    {},
    element(
      "a",
      { href: requestAddress({ id, at }) },
      element("span", { class: "to" }, statusBadge(status), ` ${oneLine(`${method} ${target}`)}`),
      element("span", { class: "when" }, clock(at, "second")),
      element("span", { class: "snippet" }, oneLine(reason)),
    ),
  );
}

/**
 * @param {SandboxRequest} request
 * @param {Search} search
 */
function finds({ method, target, status, reason, to = "", senderId = "", messageId, fault = "", ...others }, search) {
  const folded = fold([method, target, status, reason, to, senderId, messageId, fault].join("\n"));
  const kind = messageId === undefined ? "refusal" : "message";
  return search.finds({ ...others, to, senderId, folded, kind });
}
