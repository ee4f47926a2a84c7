/**
 * Handles keys, except browser and system shortcuts and letters typed into the search.
 * @param {object} actions
 * @param {(step: number) => void} actions.move
 * @param {() => void} actions.search
 * @param {() => void} actions.enter
 * @param {() => void} actions.back
 */
export function listenToKeys({ move, search, enter, back }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const isTyping = event.target instanceof Element && event.target.matches("input:not([type=checkbox]), select");
    const isReading = event.target instanceof Element && event.target.closest("#scroll, #exchange") !== null;
    const action = actionOf(event.key);
    if (action === undefined) return;
    event.preventDefault();
    action();

    /** @param {string} key */
    function actionOf(key) {
      if (key === "Escape") return back;
      // Arrows change a number, and Enter is a button's.
      if (event.target instanceof Element && event.target.closest("#faults") !== null) return undefined;
      if (isTyping && key === "Enter") return enter;
      // Arrows scroll what is read.
      if (!isReading && key === "ArrowDown") return () => move(1);
      if (!isReading && key === "ArrowUp") return () => move(-1);
      if (isTyping) return undefined;
      if (key === "j") return () => move(1);
      if (key === "k") return () => move(-1);
      if (key === "/") return search;
      return undefined;
    }
  });
}
