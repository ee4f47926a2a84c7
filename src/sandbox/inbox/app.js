/** @import { Place } from "../account.ts" */
/** @import { FeedEvent, Snapshot } from "./feed.js" */
import { byId } from "./dom.js";
import { follow, pageBefore } from "./feed.js";
import { highlight } from "./highlight.js";
import { listenToKeys } from "./keyboard.js";
import { openList, recipientIn } from "./list.js";
import { openMailbox, searchFor } from "./mailbox.js";
import { openStatus } from "./status.js";
import { openThread } from "./thread.js";

const renderAfterMs = 40;

const mailbox = openMailbox();
const list = openList();
const thread = openThread();
const status = openStatus();
const searchField = byId("search", HTMLInputElement);
// As in style.css: below this width, either the list or the thread is shown.
const wide = matchMedia("(min-width: 48rem)");

let search = searchFor("");
let opened = recipientIn(location.hash);
/** @type {Omit<Snapshot, "messages" | "refusals" | "earlier"> | undefined} */
let account;
/** Changes when the history begins anew, so that earlier entries of the old one are left out. */
let generation = Symbol();
let isRenderDue = false;

/** Renders once for many events; a page in the background too, for its title. */
function renderSoon() {
  if (isRenderDue) return;
  isRenderDue = true;
  setTimeout(render, renderAfterMs);
}

function render() {
  isRenderDue = false;
  const conversation = opened === undefined ? undefined : mailbox.get(opened);
  if (conversation !== undefined && !document.hidden) conversation.unread = 0;
  const found = mailbox.latestFirst(search);
  list.show(found, search, opened);
  thread.show(conversation, search);
  highlight(search.text, [byId("conversations", HTMLElement), byId("entries", HTMLElement)]);
  const totals = mailbox.totals();
  status.show(account, totals);
  byId("no-conversation", HTMLElement).hidden = totals.isEmpty || found.length > 0;
  byId("empty", HTMLElement).hidden = account === undefined || !totals.isEmpty;
  byId("choose", HTMLElement).hidden = totals.isEmpty || conversation !== undefined;
  document.body.dataset["pane"] = totals.isEmpty ? "empty" : conversation === undefined ? "list" : "thread";
}

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
    renderSoon();
  }
}

/** @param {FeedEvent} event */
function apply({ name, data }) {
  switch (name) {
    case "snapshot": {
      const { messages, refusals, earlier, ...others } = data;
      account = others;
      generation = Symbol();
      mailbox.clear();
      mailbox.addEarlier(messages, refusals);
      // If it fails, the feed ends too, and the next one begins with a snapshot.
      addEarlier(earlier).catch(() => {});
      break;
    }
    case "message":
      if (account !== undefined) account = { ...account, balance: data.balance };
      mailbox.add({ kind: "message", ...data.message });
      status.announce();
      break;
    case "refusal":
      mailbox.add({ kind: "refusal", ...data });
      status.announce();
      break;
    case "cleared":
      generation = Symbol();
      mailbox.clear();
      break;
    case "account":
      if (account !== undefined) account = { ...account, ...data };
      break;
  }
  renderSoon();
}

/** @param {string} typed */
function searchText(typed) {
  searchField.value = typed;
  search = searchFor(typed);
  render();
}

/** @param {number} step */
function move(step) {
  const link = document.activeElement === searchField ? list.firstLink() : list.linkAt(step);
  link?.focus();
  if (!wide.matches || !link) return;
  history.replaceState(null, "", link.hash);
  opened = recipientIn(link.hash);
  render();
}

/** Goes one step back: from messages to the list, from a search to all, from a conversation to none. */
function back() {
  if (thread.hasFocus() && wide.matches) list.linkAt(0)?.focus();
  else if (!thread.hasFocus() && searchField.value !== "") searchText("");
  else if (document.activeElement === searchField) list.linkAt(0)?.focus();
  else location.hash = "";
}

window.addEventListener("hashchange", () => {
  const previous = list.linkAt(0);
  opened = recipientIn(location.hash);
  render();
  if (opened === undefined) previous?.focus();
  else thread.focus();
});
document.addEventListener("visibilitychange", renderSoon);
searchField.addEventListener("input", () => searchText(searchField.value));
byId("conversations", HTMLElement).addEventListener("click", ({ target }) => {
  const link = target instanceof Element ? target.closest("a") : null;
  // A click on the open conversation does not change the address, so no hashchange follows.
  if (link?.hash === location.hash) thread.focus();
});
byId("more-conversations", HTMLElement).addEventListener("click", () => {
  list.showMore();
  render();
});
byId("earlier", HTMLElement).addEventListener("click", () => thread.showEarlier(search));
byId("clear", HTMLElement).addEventListener("click", () => {
  // It fails only if the sandbox has stopped, which the page shows already.
  fetch("/_sandbox/messages", { method: "DELETE" }).catch(() => {});
});
listenToKeys({
  move,
  back,
  search() {
    searchField.focus();
    searchField.select();
  },
  enter: () => list.firstLink()?.click(),
});
follow(apply, (connection) => status.connect(connection));
