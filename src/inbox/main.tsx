import { render } from "preact";
import { openApp } from "./app.ts";
import { Page } from "./page.tsx";
import { fold } from "./search.ts";

const dateEveryMs = 60_000;

const app = openApp(draw, paint);
let view: ReturnType<typeof app.look> | undefined;

/** Takes a new look; a page in the background only for its title. */
function draw(): void {
  const isSeen = !document.hidden || view === undefined;
  if (isSeen) view = app.look();
  const unread = app.unread();
  document.title = unread === 0 ? "sms sandbox" : `(${unread}) sms sandbox`;
  if (isSeen) paint();
}

function paint(): void {
  if (view === undefined) return;
  const focused = document.activeElement;
  document.body.dataset["pane"] = view.pane;
  render(<Page app={app} view={view} />, document.body);
  // A row that moves loses the focus.
  if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
  app.settleFocus();
  app.place.settle();
  highlight(view.search.texts, [app.rows(), document.getElementById("exchange"), document.getElementById("entries")]);
}

/** Highlights folded texts by the CSS Custom Highlight API, which leaves the DOM alone. Browsers without it show nothing. */
function highlight(texts: readonly string[], within: readonly (Element | null)[]): void {
  if (!("highlights" in CSS)) return;
  const found = texts.flatMap((text) => within.flatMap((root) => (root === null ? [] : rangesIn(root, text))));
  CSS.highlights.set("found", new Highlight(...found));
}

function rangesIn(root: Element, text: string): readonly Range[] {
  const ranges = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const folded = fold(node.nodeValue ?? "");
    // Folding changes the length of a few letters, which would misplace the highlights.
    if (folded.length !== node.nodeValue?.length) continue;
    for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + text.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + text.length);
      ranges.push(range);
    }
  }
  return ranges;
}

window.addEventListener("hashchange", app.go);
// The times of a day that is over get its date.
setInterval(draw, dateEveryMs);
document.addEventListener("keydown", (event) => {
  // The browser's and the system's own keys.
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const action = actionOf(event.key, event.target instanceof Element ? event.target : document.body);
  if (action === undefined) return;
  event.preventDefault();
  action();
});
draw();

/** What a key does, except letters typed into the search. */
function actionOf(key: string, target: Element): (() => void) | undefined {
  const isTyping = target.matches("input:not([type=checkbox]), select");
  const isReading = target.closest("#scroll, #exchange") !== null;
  if (key === "Escape") return app.back;
  // Arrows change a number, and Enter is a button's.
  if (target.closest("#faults") !== null) return undefined;
  if (isTyping && key === "Enter") return () => app.rows()?.querySelector("a")?.click();
  // Arrows scroll what is read.
  if (!isReading && key === "ArrowDown") return () => app.move(1);
  if (!isReading && key === "ArrowUp") return () => app.move(-1);
  if (isTyping) return undefined;
  if (key === "j") return () => app.move(1);
  if (key === "k") return () => app.move(-1);
  return key === "/" ? search : undefined;
}

function search(): void {
  const field = document.querySelector<HTMLInputElement>("#search");
  field?.focus();
  field?.select();
}
