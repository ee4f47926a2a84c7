import type { App } from "./app.ts";
import { Exchange } from "./exchange.tsx";
import { Faults } from "./faults.tsx";
import { Hint } from "./hint.tsx";
import { requestAddress } from "./route.ts";
import { ConversationRow, RequestRow } from "./rows.tsx";
import { count } from "./text.tsx";
import { Thread } from "./thread.tsx";

type PageProps = Readonly<{ app: App; view: ReturnType<App["look"]> }>;

const sentences = {
  connecting: "Connecting…",
  live: "Live",
  stopped: "The sandbox has stopped",
  full: "Too many pages are open",
  locked: "Open the address that the sandbox printed",
};
const views = [
  ["messages", "Messages"],
  ["requests", "Requests"],
  ["faults", "Faults"],
] as const;

export function Page({ app, view }: PageProps) {
  const { account, failed, hint, notice, request, route } = view;
  const { undoPath, address } = notice ?? {};
  const opened = route.request;
  return (
    <>
      <Header app={app} view={view} />
      <Rows app={app} view={view} />
      <Footer app={app} view={view} />
      <main>
        {view.conversation && (
          <Thread
            key={`${view.conversation.to} ${view.search.typed}`}
            conversation={view.conversation}
            search={view.search}
            aim={route.message}
            requests={view.requestOf}
            remove={app.remove}
          />
        )}
        {route.view === "faults" && <Faults account={account} actions={app.actions} />}
        {opened && <Exchange key={requestAddress(opened)} request={opened} row={request} />}
        {hint && <Hint key={hint} name={hint} account={account} failed={failed} />}
      </main>
      <div id="notice" role="status">
        {notice && (
          <p id="undo">
            {notice.text}
            {undoPath && (
              <button id="undo-button" onClick={() => app.undo(undoPath)}>
                Undo
              </button>
            )}
            {address && <a href={address}>Show</a>}
          </p>
        )}
      </div>
      <p id="news" class="unseen" role="status">
        {view.news}
      </p>
    </>
  );
}

function Header({ app, view: seen }: PageProps) {
  const { account, connection, route, search, typed } = seen;
  const isLost = connection !== "live" && connection !== "connecting";
  return (
    <header>
      <h1>
        <img src="/_sandbox/inbox/icon.svg" alt="" width="24" height="24" />
        sms sandbox
      </h1>
      <p id="connection" class={isLost ? "lost" : `soft ${connection}`} role="status">
        {sentences[connection]}
      </p>
      <ul id="views" class="soft">
        {views.map(([view, title]) => (
          <li>
            <a href={view === "messages" ? "#" : `#${view}`} aria-current={route.view === view ? "page" : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
      {account && account.faults !== "none" && (
        <a id="active" href="#faults">
          {`Faults: ${account.faults}`}
        </a>
      )}
      <search>
        <input
          id="search"
          type="search"
          placeholder="Search, or press /"
          aria-label="Search"
          title='Words in any order, "in quotes" and -without; is: to: from: key: after: before:'
          aria-keyshortcuts="/"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => app.search(currentTarget.value)}
        />
        <p id="search-note" class="soft" role="status">
          {search.note}
        </p>
      </search>
      <Counts app={app} view={seen} />
    </header>
  );
}

/** What there is, each as a button that finds it. */
function Counts({ app, view: { account, counts, route, typed } }: PageProps) {
  const { view } = route;
  return (
    <ul id="counts" aria-label="Counts">
      {counts.map(({ text, finds, within }) => {
        const isPressed = view === within && typed === finds;
        return (
          <li key={finds}>
            <button aria-pressed={isPressed} onClick={() => app.filter(isPressed ? "" : finds, within)}>
              {text}
            </button>
          </li>
        );
      })}
      {account && (
        <li>
          <a id="balance" href="#faults">{`${count(account.balance, "credit")} left`}</a>
        </li>
      )}
    </ul>
  );
}

function Rows({ app, view: { conversations, isEmpty, requests, route, rowLimit, search } }: PageProps) {
  const isRequests = route.view === "requests";
  const found = isRequests ? requests.length : conversations.length;
  return (
    <nav aria-label="Conversations and requests" onClick={({ target }) => app.clickRow(target)}>
      <ol id="conversations" hidden={isRequests}>
        {conversations.slice(0, rowLimit).map((one) => (
          <ConversationRow
            key={one.to}
            conversation={one}
            unread={app.unreadOf(one)}
            search={search}
            isOpen={one.to === route.to}
          />
        ))}
      </ol>
      <ol id="requests" hidden={!isRequests}>
        {requests.slice(0, rowLimit).map((request) => (
          <RequestRow key={request.id} request={request} isOpen={request.id === route.request?.id} />
        ))}
      </ol>
      <button id="more" hidden={found <= rowLimit} onClick={app.showMore}>
        Show more
      </button>
      <p id="no-match" class="hint" hidden={isEmpty || found > 0}>
        No matches
      </p>
    </nav>
  );
}

function Footer({ app, view: { connection, hasNothing, notifies, problem } }: PageProps) {
  return (
    <footer class="soft">
      <label title="For messages that arrive while this page is hidden">
        <input
          id="notify"
          type="checkbox"
          role="switch"
          checked={notifies}
          disabled={problem?.isFinal}
          onChange={({ currentTarget }) => app.notify(currentTarget.checked)}
        />{" "}
        Notifications
      </label>
      {/* A browser shows a download that fails in a corner, if at all. */}
      <p id="exports" hidden={connection === "stopped"}>
        <a href="/_sandbox/messages" download="messages.json">
          Save as JSON
        </a>
      </p>
      <button id="clear" title="Delete all messages and requests" disabled={hasNothing} onClick={() => app.remove({})}>
        Clear
      </button>
      <p id="notify-problem" role="status">
        {problem?.sentence}
      </p>
    </footer>
  );
}
