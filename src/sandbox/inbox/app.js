/** @import { FeedEvent } from "./feed.js" */
import { dateClocks } from "./clock.js";
import { byId } from "./dom.js";
import { listenToDeletions } from "./deletion.js";
import { openExchange } from "./exchange.js";
import { openFaults } from "./faults.js";
import { highlight } from "./highlight.js";
import { listenToKeys } from "./keyboard.js";
import { openList } from "./list.js";
import { openMailbox } from "./mailbox.js";
import { openNotifications } from "./notifications.js";
import { openRequests } from "./requests.js";
import { routeIn } from "./route.js";
import { linkAt } from "./rows.js";
import { followSandbox } from "./sandbox.js";
import { searchFor } from "./search.js";
import { openStatus } from "./status.js";
import { openThread } from "./thread.js";

const renderAfterMs = 40;
const rowsPerPage = 200;
const dateEveryMs = 60_000;

const mailbox = openMailbox();
const list = openList();
const thread = openThread();
const requests = openRequests();
const exchange = openExchange();
const faults = openFaults();
const status = openStatus();
const notifications = openNotifications();
const searchField = byId("search", HTMLInputElement);
const conversationRows = byId("conversations", HTMLOListElement);
const requestRows = byId("requests", HTMLOListElement);
// As in style.css: below this width, either the list or the thread is shown.
const wide = matchMedia("(min-width: 48rem)");

let search = searchFor("");
let route = routeIn(location.hash);
let rowLimit = rowsPerPage;
let isRenderDue = false;
const sandbox = followSandbox(mailbox, requests, {
  onChange: update,
  onConnection: (connection) => status.connect(connection),
});

/** The rows and the open part of the current view. */
const shown = () => ({
  rows: route.view === "requests" ? requestRows : conversationRows,
  open: { requests: exchange, messages: thread, faults }[route.view],
});

/** Renders once for many events; a page in the background too, for its title. */
function renderSoon() {
  if (isRenderDue) return;
  isRenderDue = true;
  setTimeout(render, renderAfterMs);
}

function render() {
  isRenderDue = false;
  if (document.hidden) return status.showUnread(sandbox.unread());
  const account = sandbox.account();
  const isRequests = route.view === "requests";
  conversationRows.hidden = isRequests;
  requestRows.hidden = !isRequests;
  faults.show(route.view === "faults");
  faults.showActive(account);
  const { found, hasMore, isOpen } = isRequests ? renderRequests() : renderMessages();
  const totals = mailbox.totals();
  const requestTotals = requests.totals();
  status.showUnread(sandbox.unread());
  const isEmpty = isRequests ? requestTotals.isEmpty : totals.isEmpty;
  highlight(search.text, [shown().rows, byId(isRequests ? "exchange" : "entries", HTMLElement)]);
  requests.showFailed(requestTotals.failed);
  status.show(
    account,
    { ...totals, isEmpty: totals.isEmpty && requestTotals.isEmpty },
    requestTotals.failed,
    route.view,
  );
  byId("more", HTMLElement).hidden = !hasMore;
  byId("no-match", HTMLElement).hidden = isEmpty || found > 0;
  byId("empty", HTMLElement).hidden = account === undefined || isRequests || !isEmpty || isOpen;
  byId("no-requests", HTMLElement).hidden = account === undefined || !isRequests || !isEmpty || isOpen;
  byId("choose", HTMLElement).hidden = isRequests || isEmpty || isOpen;
  byId("choose-request", HTMLElement).hidden = !isRequests || isEmpty || isOpen;
  document.body.dataset["pane"] = isOpen ? "open" : isEmpty ? "empty" : "list";
}

function renderMessages() {
  if (route.message !== undefined && route.to === undefined) {
    const to = mailbox.recipientOf(route.message);
    if (to !== undefined) route = { ...route, to };
  }
  const conversation = route.to === undefined ? undefined : mailbox.get(route.to);
  if (conversation !== undefined && !document.hidden) conversation.unread = 0;
  const found = mailbox.latestFirst(search);
  list.show(found, search, route.to, rowLimit);
  // While the history is read anew, an open conversation keeps its place.
  const isOlder = !sandbox.isWhole() && thread.isOlder(route.to, conversation);
  if (!isOlder) thread.show(conversation, search, route.message);
  exchange.show(undefined);
  const isGone = route.message !== undefined && conversation === undefined && sandbox.isWhole();
  byId("no-message", HTMLElement).hidden = !isGone;
  return {
    found: found.length,
    hasMore: found.length > rowLimit,
    isOpen: conversation !== undefined || isOlder || isGone || route.view === "faults",
  };
}

function renderRequests() {
  thread.show(undefined, search);
  byId("no-message", HTMLElement).hidden = true;
  exchange.show(route.request);
  return { ...requests.show(search, route.request, rowLimit), isOpen: route.request !== undefined };
}

/** @param {FeedEvent} [event] */
function update(event) {
  const name = event?.name;
  // Of all hidden pages, one has events.
  if (event?.name === "message" && document.hidden) void notifications.add(event.data.message);
  if (name === "message" || name === "refusal") status.announce();
  const isOpened = event?.name === "request" && event.data.id === route.request?.id;
  if (name === "snapshot" || name === "cleared" || isOpened) exchange.reload();
  if ((name === "account" || name === "faults") && route.view === "faults") faults.reload();
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
  const { rows } = shown();
  const link = document.activeElement === searchField ? rows.querySelector("a") : linkAt(rows, step);
  link?.focus();
  if (!wide.matches || !link) return;
  history.replaceState(null, "", link.hash);
  route = routeIn(link.hash);
  render();
}

/** Goes one step back: from messages to the list, from a search to all, from a conversation to none. */
function back() {
  const { rows, open } = shown();
  if (open.hasFocus() && wide.matches) linkAt(rows, 0)?.focus();
  else if (!open.hasFocus() && searchField.value !== "") searchText("");
  else if (document.activeElement === searchField) linkAt(rows, 0)?.focus();
  else location.hash = route.view === "requests" ? "requests" : "";
}

window.addEventListener("hashchange", () => {
  const before = shown();
  const previous = linkAt(before.rows, 0);
  route = routeIn(location.hash);
  render();
  // The address of a message, of a notification too, may lead to one that the search does not find.
  if (route.message !== undefined && !thread.hasShown(route.message)) searchText("");
  const { rows, open } = shown();
  if (route.view === "faults" || route.to !== undefined || route.message !== undefined || route.request !== undefined)
    open.focus();
  else if (rows === before.rows) previous?.focus();
});
document.addEventListener("visibilitychange", renderSoon);
setInterval(dateClocks, dateEveryMs);
searchField.addEventListener("input", () => searchText(searchField.value));
for (const rows of [conversationRows, requestRows]) {
  rows.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a") : null;
    // A click on the open row does not change the address, so no hashchange follows.
    if (link?.hash === location.hash) shown().open.focus();
  });
}
byId("more", HTMLElement).addEventListener("click", () => {
  rowLimit += rowsPerPage;
  render();
});
byId("earlier", HTMLElement).addEventListener("click", () => thread.showEarlier(search));
listenToDeletions(() => (route.view === "messages" ? route.to : undefined));
listenToKeys({
  move,
  back,
  search() {
    searchField.focus();
    searchField.select();
  },
  enter: () => shown().rows.querySelector("a")?.click(),
});
