import { type Deleted, openActions } from "./actions.ts";
import { type Conversation, keyOf } from "./mailbox.ts";
import { routeIn } from "./route.ts";
import { type FeedEvent, followSandbox } from "./sandbox.ts";
import { countsOf, findsRequest, isState, type Search, searchFor, type State } from "./search.ts";
import { count } from "./pieces.tsx";

const drawAfterMs = 40;
const rowsPerPage = 200;
const newsEveryMs = 2000;
const addressAfterMs = 200;
const missedEveryMs = 3000;

// As in style.css: below this width, either the list or the thread is shown.
const wide = matchMedia("(min-width: 48rem)");

export type App = ReturnType<typeof openApp>;

export function openApp(draw: () => void) {
  const parameters = new URLSearchParams(location.search);
  const state = parameters.get("only");
  let search = searchFor(parameters.get("search") ?? "", isState(state) ? state : undefined);
  let route = routeIn(location.hash);
  let rowLimit = rowsPerPage;
  let arrived = 0;
  let news = "";
  /** What came while the page is hidden. */
  let missed = 0;
  /** The open conversation before its latest deletion, and the heights of the messages that were deleted, by their key. */
  let held: Conversation | undefined;
  const gone = new Map<string, number>();
  let drawDue: ReturnType<typeof setTimeout> | undefined;
  let addressDue: ReturnType<typeof setTimeout> | undefined;
  let shown: Conversation | undefined;
  /** What gets the focus when what has it is deleted. */
  let neighbour: HTMLElement | undefined;

  const { mailbox, ...sandbox } = followSandbox(update);
  const actions = openActions(draw);
  /** Follows the sandbox only while it helps: a browser keeps six connections to a server. */
  function follow(): void {
    sandbox.follow(!document.hidden);
    missed = 0;
    drawSoon();
  }

  function drawSoon(): void {
    drawDue ??= setTimeout(() => {
      drawDue = undefined;
      draw();
    }, drawAfterMs);
  }

  function update(event?: FeedEvent): void {
    if (event?.name === "message" || event?.name === "refusal") announce();
    drawSoon();
  }

  /** Announces new messages to screen readers, at most every two seconds. */
  function announce(): void {
    if (++arrived > 1) return;
    setTimeout(() => {
      news = count(arrived, "new message");
      arrived = 0;
      draw();
    }, newsEveryMs);
  }

  function look() {
    const account = sandbox.account();
    const isRequests = route.view === "requests";
    if (route.message !== undefined && route.to === undefined) {
      const to = mailbox.recipientOf(route.message);
      if (to !== undefined) route = { ...route, to };
    }
    const current = withGone(mailbox.get(route.to));
    if (current !== undefined) mailbox.lookAt(current);
    // While the history is read anew, an open conversation keeps its place.
    if (sandbox.isWhole() || shown?.to !== route.to) shown = current;
    const all = sandbox.requests();
    const totals = mailbox.totals();
    const isEmpty = isRequests ? all.length === 0 : totals.isEmpty;
    const isGone = route.message !== undefined && shown === undefined && sandbox.isWhole();
    const isOpen = (route.request ?? shown) !== undefined || isGone || route.view === "faults";
    const emptyHint = account && (isRequests ? "no-requests" : "empty");
    const chooseHint = isRequests ? "choose-request" : "choose";
    return {
      account,
      connection: sandbox.connection(),
      conversation: shown,
      conversations: isRequests ? [] : mailbox.latestFirst(search),
      counts: isRequests ? countsOf(all) : totals,
      gone,
      failed: all.filter(({ messageId }) => messageId === undefined).length,
      hasNothing: totals.isEmpty && all.length === 0,
      hint: isGone ? "no-message" : isOpen ? undefined : isEmpty ? emptyHint : chooseHint,
      isEmpty,
      news,
      notice: actions.notice(),
      totals,
      pane: isOpen ? "open" : isEmpty ? "empty" : "list",
      request: all.find(({ id }) => id === route.request?.id),
      requestOf: new Map(all.map((request) => [request.messageId, request])),
      requests: isRequests ? all.filter((request) => findsRequest(search, request)).toReversed() : [],
      route,
      rowLimit,
      search,
    } as const;
  }

  /** Keeps the places of the messages deleted since the notice appeared, so that none slides under the pointer. */
  function withGone(current: Conversation | undefined): Conversation | undefined {
    if (actions.notice()?.deletions === undefined) {
      held = undefined;
      gone.clear();
    }
    if (held === undefined || held.to !== current?.to || !sandbox.isWhole()) return current;
    const there = new Set(current.entries.map(keyOf));
    const before = new Set(held.entries.map(keyOf));
    const kept = held.entries.filter((entry) => there.has(keyOf(entry)) || gone.has(keyOf(entry)));
    return { to: current.to, entries: [...kept, ...current.entries.filter((entry) => !before.has(keyOf(entry)))] };
  }

  /** A hidden page follows no feed, since a browser keeps six connections to a server. It asks what came. */
  async function countMissed(): Promise<void> {
    const latest = mailbox.latestId();
    if (!document.hidden || sandbox.account() === undefined) return;
    const query = latest === undefined ? "" : `?since=${encodeURIComponent(latest)}`;
    const answer = await fetch(`/_sandbox/messages${query}`).catch(() => undefined);
    if (!answer?.ok || !document.hidden) return;
    missed = (await answer.json()).length;
    draw();
  }

  function rows(): HTMLElement | null {
    return document.getElementById(route.view === "requests" ? "requests" : "conversations");
  }

  function find(typed: string, only?: State): void {
    search = searchFor(typed, only);
    // A browser limits how often an address changes.
    clearTimeout(addressDue);
    addressDue = setTimeout(() => history.replaceState(null, "", addressOf(search)), addressAfterMs);
    draw();
  }

  function focusOpen(): void {
    const id = { requests: "exchange", messages: "scroll", faults: "faults" }[route.view];
    document.getElementById(id)?.focus({ preventScroll: true });
  }

  document.addEventListener("visibilitychange", follow);
  setInterval(countMissed, missedEveryMs);
  follow();
  return {
    actions,
    look,
    rows,
    find,
    unread: () => mailbox.totals().unread + missed,
    unreadOf: mailbox.unreadOf,
    remove: async (what: Deleted): Promise<void> => {
      const from = document.activeElement;
      const buttons = [...document.querySelectorAll<HTMLElement>("#entries .delete")];
      const links = [...(rows()?.querySelectorAll("a") ?? [])];
      neighbour = "id" in what ? neighbourOf(from, buttons) : neighbourOf(links.find(isCurrent), links);
      const open = shown;
      const size = from?.closest("li")?.getBoundingClientRect().height ?? 0;
      if (!(await actions.remove(what))) return;
      if ("id" in what && open !== undefined) {
        if (held?.to !== open.to) gone.clear();
        held = open;
        gone.set(what.id, size);
      }
      draw();
    },
    /** Moves the focus if what had it is gone: to a neighbour, to Undo, to the list, or to what is open. */
    settleFocus: (before: Element | null): void => {
      if (!before || before === document.body || isUsable(document.activeElement)) return;
      const ways = ["undo-button", "search", "scroll"].map((id) => document.getElementById(id));
      [neighbour, ways[0], linkAt(rows(), 0), ...ways].find(isUsable)?.focus();
      neighbour = undefined;
    },
    showMore: (): void => {
      rowLimit += rowsPerPage;
      draw();
    },
    /** A click on the row that is open changes no address. */
    clickRow: (target: EventTarget | null): void => {
      if (target instanceof Element && target.closest("a")?.hash === location.hash) focusOpen();
    },
    go: (): void => {
      const before = rows();
      const previous = linkAt(before, 0);
      route = routeIn(location.hash);
      draw();
      if (route.view === "faults" || (route.to ?? route.message ?? route.request) !== undefined) focusOpen();
      else if (rows() === before) previous?.focus();
    },
    move: (step: number): void => {
      const isSearching = document.activeElement?.id === "search";
      const link = isSearching ? rows()?.querySelector("a") : linkAt(rows(), step);
      link?.focus();
      if (!wide.matches || !link) return;
      history.replaceState(null, "", link.hash);
      route = routeIn(link.hash);
      draw();
    },
    /** Goes one step back: from messages to the list, from a search to all, from a conversation to none. */
    back: (): void => {
      const focused = document.activeElement;
      const isInOpen = focused?.closest("#thread, #exchange, #faults");
      if (isInOpen && wide.matches) linkAt(rows(), 0)?.focus();
      else if (!isInOpen && search.isOn) find("");
      else if (focused?.id === "search") linkAt(rows(), 0)?.focus();
      else location.hash = route.view === "requests" ? "requests" : "";
    },
  };
}

/** The link `step` rows below the focused one, else below the open one; negative is above. */
function linkAt(list: Element | null, step: number): HTMLAnchorElement | undefined {
  const links = [...(list?.querySelectorAll("a") ?? [])];
  const focused = links.findIndex((link) => link === document.activeElement);
  const from = focused >= 0 ? focused : links.findIndex(isCurrent);
  return from < 0 ? links[0] : links[Math.max(0, Math.min(from + step, links.length - 1))];
}

/** The page's address with a search, beside what is open. */
function addressOf({ typed, only }: Search): string {
  const parameters = new URLSearchParams({ ...(typed && { search: typed }), ...(only && { only }) });
  return `${location.pathname}${parameters.size > 0 ? `?${parameters}` : ""}${location.hash}`;
}

function isCurrent(link: HTMLElement): boolean {
  return link.ariaCurrent === "true";
}

function neighbourOf(one: Element | null | undefined, all: readonly HTMLElement[]): HTMLElement | undefined {
  const place = all.findIndex((each) => each === one);
  return place < 0 ? undefined : (all[place + 1] ?? all[place - 1]);
}

function isUsable(one: Element | null | undefined): boolean {
  return one?.isConnected === true && one.checkVisibility() && !one.matches("body, :disabled");
}
