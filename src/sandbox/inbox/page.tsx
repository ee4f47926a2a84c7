import type { App } from "./app.ts";
import { Exchange } from "./exchange.tsx";
import { Faults } from "./faults-menu.tsx";
import { Hint } from "./hint.tsx";
import { requestAddress } from "./route.ts";
import { ConversationRow, RequestRow } from "./rows.tsx";
import { count, grouped } from "./pieces.tsx";
import { stateNames } from "./search.ts";
import { Thread } from "./thread.tsx";

type PageProps = Readonly<{ app: App; view: ReturnType<App["look"]> }>;

const sentences = {
  connecting: "Connecting…",
  live: "Live",
  stopped: "The sandbox has stopped",
  locked: "Open the address that the sandbox printed",
};
const views = [
  ["messages", "Messages"],
  ["requests", "Requests"],
  ["faults", "Faults"],
] as const;

export function Page({ app, view }: PageProps) {
  const { account, failed, hint, request, route } = view;
  const opened = route.request;
  return (
    <>
      <Header app={app} view={view} />
      <Rows app={app} view={view} />
      <Footer app={app} view={view} />
      <main>
        {view.conversation && (
          <Thread
            key={`${view.conversation.to} ${view.search.only} ${view.search.typed}`}
            conversation={view.conversation}
            search={view.search}
            aim={route.message}
            requests={view.requestOf}
            gone={view.gone}
            remove={app.remove}
          />
        )}
        {route.view === "faults" && <Faults account={account} actions={app.actions} totals={view.totals} />}
        {opened && <Exchange key={requestAddress(opened)} request={opened} row={request} />}
        {hint && <Hint key={hint} name={hint} account={account} failed={failed} />}
      </main>
      <p id="news" class="unseen" role="status">
        {view.news}
      </p>
    </>
  );
}

function Header({ app, view: seen }: PageProps) {
  const { account, connection, route, search } = seen;
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
          placeholder="Search"
          aria-label="Search"
          autocomplete="off"
          spellcheck={false}
          value={search.typed}
          onInput={({ currentTarget }) => app.find(currentTarget.value, search.only)}
        />
      </search>
      <Counts app={app} view={seen} />
    </header>
  );
}

/** What there is, each as a button that finds it, and what is left. */
function Counts({ app, view: { account, counts, search } }: PageProps) {
  const shown = stateNames.filter((only) => account && (counts[only] > 0 || only === "sent" || only === search.only));
  return (
    <ul id="counts" aria-label="Counts">
      {shown.map((only) => (
        <li key={only}>
          <button
            aria-pressed={search.only === only}
            onClick={() => app.find(search.typed, search.only === only ? undefined : only)}
          >
            {`${grouped(counts[only])} ${only}`}
          </button>
        </li>
      ))}
      {account && (
        <li>
          <a id="balance" href="#faults" title={`${count(account.balance, "credit")} left`}>
            {`${grouped(account.balance)} left`}
          </a>
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
        Nothing here matches. <button onClick={() => app.find("")}>Show all</button>
      </p>
    </nav>
  );
}

/** The notice has a place of its own, so that it covers nothing. */
function Footer({ app, view: { hasNothing, notice } }: PageProps) {
  return (
    <footer>
      <div id="notice" role="status">
        {notice && (
          <p id="undo">
            <span>{notice.text}</span>
            {notice.deletions && (
              <button id="undo-button" onClick={app.actions.undo}>
                Undo
              </button>
            )}
            {notice.address && <a href={notice.address}>Show</a>}
            <button id="close" aria-label="Close the notice" onClick={() => app.actions.say(undefined)}>
              ✕
            </button>
          </p>
        )}
      </div>
      <button id="clear" title="Delete all messages and requests" disabled={hasNothing} onClick={() => app.remove({})}>
        Clear
      </button>
    </footer>
  );
}
