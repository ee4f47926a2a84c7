import { element } from "./dom.js";
import { oneLine } from "./text.js";

const shownMs = 1500;

/**
 * A button that copies a text, with visible code points for characters that would drive the terminal it is pasted into.
 * @param {string} label
 * @param {() => string} text
 */
export function copyButton(label, text) {
  const button = element("button", { type: "button", class: "copy" }, label);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  button.addEventListener("click", async () => {
    clearTimeout(timer);
    button.textContent = (await isCopied(oneLine(text()))) ? "Copied" : "Not copied";
    timer = setTimeout(() => (button.textContent = label), shownMs);
  });
  return button;
}

/**
 * Whether the clipboard took a text. Over http from another machine there is no clipboard.
 * @param {string} text
 */
async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
