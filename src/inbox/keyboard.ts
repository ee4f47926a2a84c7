type Actions = Readonly<{ move: (step: number) => void; search: () => void; enter: () => void; back: () => void }>;

/** Handles keys, except browser and system shortcuts and letters typed into the search. */
export function listenToKeys({ move, search, enter, back }: Actions): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const action = actionOf(event.key, event.target instanceof Element ? event.target : document.body);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });

  function actionOf(key: string, target: Element): (() => void) | undefined {
    const isTyping = target.matches("input:not([type=checkbox]), select");
    const isReading = target.closest("#scroll, #exchange") !== null;
    if (key === "Escape") return back;
    // Arrows change a number, and Enter is a button's.
    if (target.closest("#faults") !== null) return undefined;
    if (isTyping && key === "Enter") return enter;
    // Arrows scroll what is read.
    if (!isReading && key === "ArrowDown") return () => move(1);
    if (!isReading && key === "ArrowUp") return () => move(-1);
    if (isTyping) return undefined;
    if (key === "j") return () => move(1);
    if (key === "k") return () => move(-1);
    return key === "/" ? search : undefined;
  }
}

/** The link `step` rows below the focused one, else below the open one; negative is above. */
export function linkAt(list: Element | null, step: number): HTMLAnchorElement | undefined {
  const links = [...(list?.querySelectorAll("a") ?? [])];
  const focused = links.findIndex((link) => link === document.activeElement);
  const from = focused >= 0 ? focused : links.findIndex((link) => link.ariaCurrent === "true");
  return from < 0 ? links[0] : links[Math.max(0, Math.min(from + step, links.length - 1))];
}
