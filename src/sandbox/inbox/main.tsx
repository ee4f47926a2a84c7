import { render } from "preact";
import { openApp } from "./app.ts";
import { Page } from "./page.tsx";
import { grouped } from "./pieces.tsx";

const dateEveryMs = 60_000;
const title = `sms sandbox${location.port && ` :${location.port}`}`;

const app = openApp(draw);
let isDrawn = false;

/** Draws what there is now; a page in the background only its title. */
function draw(): void {
  const isSeen = !document.hidden || !isDrawn;
  const view = isSeen ? app.look() : undefined;
  const unread = app.unread();
  document.title = unread === 0 ? title : `(${grouped(unread)}) ${title}`;
  if (view === undefined) return;
  isDrawn = true;
  const focused = document.activeElement;
  document.body.dataset["pane"] = view.pane;
  render(<Page app={app} view={view} />, document.body);
  // A row that moves loses the focus.
  if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
  app.settleFocus(focused);
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

/** What a key does. */
function actionOf(key: string, target: Element): (() => void) | undefined {
  const isTyping = target.matches("input");
  const isReading = target.closest("#scroll, #exchange") !== null;
  if (key === "Escape") return app.back;
  // Arrows change a number, and Enter is a button's.
  if (target.closest("#faults") !== null) return undefined;
  if (isTyping && key === "Enter") return () => app.rows()?.querySelector("a")?.click();
  // Arrows scroll what is read.
  if (!isReading && key === "ArrowDown") return () => app.move(1);
  if (!isReading && key === "ArrowUp") return () => app.move(-1);
  return undefined;
}
