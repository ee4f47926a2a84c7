import type { App } from "./app.ts";
import { Button, Link } from "./buttons.tsx";
import { Examples } from "./examples.tsx";
import { Exchange } from "./exchange.tsx";
import { Faults } from "./faults.tsx";
import { ConversationRow, RequestRow } from "./rows.tsx";
import { count } from "./text.tsx";
import { Thread } from "./thread.tsx";

type View = ReturnType<App["look"]>;
type PageProps = Readonly<{ app: App; view: View }>;

const sentences = {
  connecting: "Connecting…",
  live: "Live",
  stopped: "The sandbox has stopped",
  full: "Too many pages are open",
  locked: "Open the address that the sandbox printed",
};
const hints = {
  "no-message": "It was deleted, or is not one of the latest 100,000, or the sandbox has started again.",
  "no-request": "It has not ended yet, was cleared, is not one of the latest 1,000, or the sandbox has started again.",
  "no-requests": "Each request appears here, also one that becomes no message, with the reason.",
  "choose-request": "Each has what was sent and answered, without keys, and how to send it again.",
  empty: "Send the first one to this sandbox:",
};
const titles = {
  "no-message": "No such message",
  "no-request": "No such request",
  "no-requests": "No requests yet",
  "choose-request": "Choose a request",
  choose: "Choose a conversation",
  empty: "No messages yet",
};
const shortcuts = [
  [["↓", "↑", "or", "j", "k"], "next or previous conversation"],
  [["Enter"], "go to its messages"],
  [["Esc"], "go back"],
  [["/"], "search numbers, texts, senders and IDs"],
] as const;

export function Page({ app, view }: PageProps) {
  const { account, exchange, hint, notice, route, setupVersion } = view;
  const { undoPath } = notice ?? {};
  return (
    <>
      <Header app={app} view={view} />
      <Rows app={app} view={view} />
      <Footer app={app} view={view} />
      <main>
        <Thread place={app.place} remove={app.deletion.remove} />
        {route.view === "faults" && <Faults balance={account?.balance} version={setupVersion} />}
        {exchange && <Exchange key={exchange.id} exchange={exchange} />}
        <Hint key={hint} {...view} />
      </main>
      <p id="undo" role="status" hidden={notice === undefined}>
        <span id="deleted">{notice?.text}</span>{" "}
        {undoPath && <Button id="undo-button" label="Undo" onClick={() => app.deletion.undo(undoPath)} />}
      </p>
      <p id="news" role="status" class="visually-hidden">
        {view.news}
      </p>
    </>
  );
}

function Header({ app, view: { account, connection, failed, route, typed } }: PageProps) {
  const current = (view: typeof route.view) => (route.view === view ? "page" : undefined);
  const failures = failed === 0 ? "" : `${failed.toLocaleString("en")} failed`;
  return (
    <header>
      <h1>
        <img src="/_sandbox/inbox/icon.svg" alt="" width="24" height="24" />
        sms sandbox
      </h1>
      <p id="connection" class="soft" role="status">
        {sentences[connection]}
      </p>
      <ul id="views">
        <li>
          <Link href="#" aria-current={current("messages")} label="Messages" />
        </li>
        <li>
          <a href="#requests" aria-current={current("requests")}>
            Requests <span id="failed">{failures}</span>
          </a>
        </li>
        <li>
          <Link href="#faults" aria-current={current("faults")} label="Faults" />
        </li>
      </ul>
      {account && account.faults !== "none" && (
        <Link id="active" href="#faults" label={`Faults: ${account.faults}, seed ${account.seed}`} />
      )}
      <search>
        <input
          id="search"
          type="search"
          placeholder="Search"
          aria-label="Search"
          title="Numbers, texts, senders and IDs; is:live is:test is:refused from:SENDER key:END"
          aria-keyshortcuts="/"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => app.search(currentTarget.value)}
        />
        <kbd aria-hidden="true">/</kbd>
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
      <Button id="more" label="Show more" hidden={found <= rowLimit} onClick={app.showMore} />
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
        <Link href="/_sandbox/messages.csv" download="messages.csv" label="CSV" />
        <Link href="/_sandbox/messages" download="messages.json" label="JSON" />
      </p>
      <Button
        id="clear"
        label="Clear"
        title="Delete all messages and requests"
        disabled={hasNothing}
        onClick={() => app.deletion.remove("all")}
      />
      <p id="notify-problem" role="status">
        {problem?.sentence}
      </p>
    </footer>
  );
}

function Hint({ account, failed, hint }: View) {
  if (hint === undefined) return null;
  return (
    <section id={hint} class="hint">
      <h2>{titles[hint]}</h2>
      {hint !== "choose" && <p>{hints[hint]}</p>}
      <p>
        {hint === "no-message" && <Link href="#" label="All messages" />}
        {hint === "no-request" && <Link href="#requests" label="All requests" />}
      </p>
      {hint === "choose" && <Shortcuts />}
      {hint === "empty" && account && <Examples {...account} />}
      {hint === "empty" && <p>Messages appear here as they arrive. Nothing reaches a phone.</p>}
      {hint === "empty" && failed > 0 && (
        <p id="became-none" class="problem">
          <Link href="#requests" label={`${count(failed, "request")} became no message: see why`} />
        </p>
      )}
    </section>
  );
}

function Shortcuts() {
  return (
    <dl>
      {shortcuts.map(([keys, does]) => [
        <dt>{keys.flatMap((key) => [key === "or" ? key : <kbd>{key}</kbd>, " "])}</dt>,
        <dd>{does}</dd>,
      ])}
      <dt>
        <code>is:refused</code>
      </dt>
      <dd>
        in a search: also <code>is:live</code>, <code>is:test</code>, <code>from:ACME</code>, <code>key:abcd</code>
      </dd>
    </dl>
  );
}
