import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { countText, plural } from "../../words/count.ts";
import { Detail } from "./detail.tsx";
import { follow, type State } from "./follow.ts";
import { List } from "./list.tsx";
import { addressOf, type Place, placeIn, queryOf } from "./place.ts";
import { CopyButton } from "./pieces.tsx";

const title = `sms sandbox${location.port && ` :${location.port}`}`;
const newsAfterMs = 2000;

export function InboxPage() {
  const [place, setPlace] = useState(placeIn(location.hash));
  const [state, setState] = useState<State>();
  const [problem, setProblem] = useState<string>();
  const [news, setNews] = useState("");
  const query = queryOf(place);
  const all = state?.counts.all;

  const go = (next: Partial<Place>) => {
    history.replaceState(null, "", addressOf({ ...place, ...next }));
    setPlace(placeIn(location.hash));
  };

  useEffect(() => {
    const onHashChange = () => {
      const next = placeIn(location.hash);
      setPlace(next);
      // On a phone the element is hidden until the page is drawn.
      if (next.open !== "") requestAnimationFrame(() => document.getElementById("opened")?.focus());
    };
    window.addEventListener("hashchange", onHashChange);
    return () => window.removeEventListener("hashchange", onHashChange);
  }, []);
  const lastOpen = useRef("");
  useLayoutEffect(() => {
    // On a phone the list is hidden until the page is drawn without the message.
    if (place.open === "" && lastOpen.current !== "") focusRow(lastOpen.current);
    lastOpen.current = place.open;
  }, [place.open]);
  useEffect(() => follow(query, setState, setProblem), [query]);
  useEffect(() => {
    document.title = all ? `(${countText(all)}) ${title}` : title;
    // A screen reader hears one sentence for many messages that come together.
    const timer = setTimeout(() => setNews(all ? `${countText(all)} received` : ""), newsAfterMs);
    return () => clearTimeout(timer);
  }, [all]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // These keys belong to the browser and the system.
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const action = actionOf(event, place, go);
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });

  return (
    <div id="page" data-shows={place.open === "" && all !== 0 ? "list" : "opened"}>
      <Header place={place} state={state} go={go} />
      {problem && (
        <p id="problem" class="strip bad" role="alert">
          {problem}
        </p>
      )}
      {state && state.faults !== "none" && (
        <p id="faults" class="strip doubtful" role="status">
          Faults: {state.faults}
        </p>
      )}
      <main>
        {state && state.counts.all > 0 && <List state={state} place={place} />}
        <section id="opened" tabIndex={-1} aria-label="The open message">
          {state?.opened && <Detail key={state.opened.entry.id} selection={state.opened} place={place} />}
          {state && !state.opened && <Empty state={state} place={place} />}
        </section>
      </main>
      <p class="unseen" role="status">
        {news}
      </p>
    </div>
  );
}

function focusRow(id: string): void {
  const rows = [...document.querySelectorAll<HTMLAnchorElement>("#list a")];
  (rows.find(({ hash }) => placeIn(hash).open === id) ?? rows[0])?.focus();
}

function actionOf({ key, target }: KeyboardEvent, place: Place, go: (next: Partial<Place>) => void) {
  if (!(target instanceof Element) || target.closest("dialog") !== null) return undefined;
  const rows = [...document.querySelectorAll<HTMLAnchorElement>("#list a")];
  if (key === "Escape" && place.open === "") return () => go({ search: "", only: "" });
  if (key === "Escape") return () => go({ open: "" });
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  // Here arrows scroll the text.
  if (step === undefined || target.closest("#opened") !== null) return undefined;
  const from = rows.findIndex((row) => row === target);
  const row = rows[Math.max(0, Math.min(from + step, rows.length - 1))];
  return () => {
    row?.focus();
    if (row) go({ open: placeIn(row.hash).open });
  };
}

type HeaderProps = Readonly<{ place: Place; state: State | undefined; go: (next: Partial<Place>) => void }>;

function Header({ place, state, go }: HeaderProps) {
  const filters = [
    ["", "All", state?.counts.all],
    ["accepted", "Accepted", state?.counts.accepted],
    ["refused", "Refused", state?.counts.refused],
  ] as const;
  return (
    <header>
      <h1>
        <img src="/_sandbox/inbox/icon.svg" alt="" width="24" height="24" />
        sms sandbox
      </h1>
      <search>
        <input
          type="search"
          placeholder="Search numbers and texts"
          aria-label="Search numbers and texts"
          autocomplete="off"
          spellcheck={false}
          value={place.search}
          onInput={({ currentTarget }) => go({ search: currentTarget.value })}
        />
      </search>
      <p id="filters" role="group" aria-label="Show">
        {filters.map(([only, label, n]) => (
          <button aria-pressed={place.only === only} onClick={() => go({ only })}>
            {label} {n !== undefined && <b>{countText(n)}</b>}
          </button>
        ))}
      </p>
      {state && <p id="balance">{plural(state.balance, "credit")} left</p>}
      <Clear n={state?.counts.all ?? 0} />
    </header>
  );
}

function Clear({ n }: Readonly<{ n: number }>) {
  const dialog = useRef<HTMLDialogElement>(null);
  // If the sandbox has stopped, the page says so.
  const clear = () => void fetch("/_sandbox/messages", { method: "DELETE" }).catch(() => {});
  return (
    <>
      <button id="clear" disabled={n === 0} onClick={() => dialog.current?.showModal()}>
        Clear
      </button>
      <dialog ref={dialog} aria-labelledby="question">
        <p id="question">{`Delete all messages and refused requests (${countText(n)})?`}</p>
        <form class="buttons" method="dialog">
          <button>Keep</button>
          <button class="bad" onClick={clear}>
            Delete
          </button>
        </form>
      </dialog>
    </>
  );
}

function Empty({ state: { counts, url, keys }, place }: Readonly<{ state: State; place: Place }>) {
  if (counts.all > 0) {
    return (
      <section class="hint">
        <h2>{place.open === "" ? "Choose a message" : "It is gone"}</h2>
        {place.open === "" ? (
          <p>
            <kbd>↓</kbd> <kbd>↑</kbd> next and previous, <kbd>Esc</kbd> back
          </p>
        ) : (
          <p>
            The sandbox was cleared or has started again. <a href={addressOf({ ...place, open: "" })}>Show the list</a>
          </p>
        )}
      </section>
    );
  }
  return (
    <section class="hint">
      <h2>No messages yet</h2>
      <p>They appear here as they arrive, refused requests too. Nothing reaches a phone. Send the first one:</p>
      {examplesFor(url, keys[0]).map((text) => (
        <>
          <pre tabIndex={0}>{text}</pre>
          <CopyButton label={text.startsWith("curl") ? "Copy curl" : "Copy commands"} text={() => text} />
        </>
      ))}
    </section>
  );
}

function examplesFor(url: string, key = ""): readonly string[] {
  return [
    `export SMS_BASE_URL=${url} SMS_API_KEY=${key}
sms send --to +254712345678 --message "Hello"`,
    `curl ${url}/api/v1/sms/send \\
  --header "Authorization: Bearer ${key}" \\
  --header "Content-Type: application/json" \\
  --data '{"to":"+254712345678","message":"Hello"}'`,
  ];
}
