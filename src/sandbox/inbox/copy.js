import { element } from "./dom.js";

const shownMs = 1500;

/**
 * A button that copies a text.
 * @param {string} label
 * @param {() => string} text
 */
export function copyButton(label, text) {
  const button = element("button", { type: "button", class: "copy" }, label);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  button.addEventListener("click", async () => {
    clearTimeout(timer);
    button.textContent = await navigator.clipboard.writeText(text()).then(
      () => "Copied",
      () => "Not copied",
    );
    timer = setTimeout(() => (button.textContent = label), shownMs);
  });
  return button;
}
