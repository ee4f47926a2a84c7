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
  const { undoPath } = notice ?? {};
  const opened = route.request;
  return (
    <>
      <Header app={app} view={view} />
      <Rows app={app} view={view} />
      <Footer app={app} view={view} />
      <main>
        <Thread place={app.place} remove={app.deletion.remove} />
        {route.view === "faults" && <Faults account={account} />}
        {opened && <Exchange key={requestAddress(opened)} request={opened} row={request} paint={app.paint} />}
        {hint && <Hint key={hint} name={hint} account={account} failed={failed} />}
      </main>
      <p id="undo" role="status" hidden={notice === undefined}>
        <span id="deleted">{notice?.text}</span>{" "}
        {undoPath && (
          <button id="undo-button" onClick={() => app.deletion.undo(undoPath)}>
            Undo
          </button>
        )}
      </p>
      <p id="news" role="status">
        {view.news}
      </p>
    </>
  );
}

function Header({ app, view: { account, connection, failed, route, typed } }: PageProps) {
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
              {title}{" "}
              {view === "requests" && failed > 0 && (
                <small id="failed" class="bad">
                  {`${failed.toLocaleString("en")} failed`}
                </small>
              )}
            </a>
          </li>
        ))}
      </ul>
      {account && account.faults !== "none" && (
        <a id="active" href="#faults">
          {`Faults: ${account.faults}, seed ${account.seed}`}
        </a>
      )}
      <search>
        <input
          id="search"
          type="search"
          placeholder="Search, or press /"
          aria-label="Search"
          title="Numbers, texts, senders and IDs; is:live is:test is:refused from:SENDER key:END"
          aria-keyshortcuts="/"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => app.search(currentTarget.value)}
        />
      </search>
    </header>
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

function Footer({ app, view: { account, hasNothing, notifies, problem, totals } }: PageProps) {
  const { messages, refusals, credits, costKes } = totals;
  const refused = refusals === 0 ? "" : ` · ${refusals.toLocaleString("en")} refused`;
  const spent = `${count(messages, "message")}${refused} · ${count(credits, "credit")} · KES ${costKes.toFixed(2)}`;
  const senders = account && `Sender IDs: ${account.senders.join(", ")}`;
  return (
    <footer class="soft">
      <p>
        <span id="account">{account && spent}</span>
        <br />
        <span id="plan" title={senders}>
          {account && `${count(account.balance, "credit")} left · ${count(account.rate, "request")} a minute`}
        </span>
      </p>
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
      <p id="exports">
        <a href="/_sandbox/messages.csv" download="messages.csv">
          CSV
        </a>
        <a href="/_sandbox/messages" download="messages.json">
          JSON
        </a>
      </p>
      <button
        id="clear"
        title="Delete all messages and requests"
        disabled={hasNothing}
        onClick={() => app.deletion.remove({})}
      >
        Clear
      </button>
      <p id="notify-problem" role="status">
        {problem?.sentence}
      </p>
    </footer>
  );
}
