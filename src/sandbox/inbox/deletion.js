import { byId, element } from "./dom.js";

const undoMs = 10_000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let undoPath = "";

/**
 * Deletes, and undoes the last deletion, with the buttons of the page.
 * @param {() => string | undefined} opened the recipient of the open conversation
 */
export function listenToDeletions(opened) {
  byId("clear", HTMLElement).addEventListener("click", () => remove("", "All messages and requests deleted"));
  byId("delete", HTMLElement).addEventListener("click", () => {
    const to = opened();
    return to === undefined ? undefined : remove(`?to=${encodeURIComponent(to)}`, "Conversation deleted");
  });
  byId("undo-button", HTMLElement).addEventListener("click", async () => {
    byId("undo", HTMLElement).hidden = true;
    const answer = await ask(undoPath, "POST");
    if (answer?.status === 404) say("Not undone: something was deleted or undone since", false);
  });
}

/**
 * A button that deletes the message with that id.
 * @param {string} id
 */
export function deleteButton(id) {
  const button = element("button", { type: "button" }, "Delete");
  button.addEventListener("click", () => remove(`?id=${encodeURIComponent(id)}`, "Message deleted"));
  return button;
}

/**
 * @param {string} query
 * @param {string} said
 */
async function remove(query, said) {
  const answer = await ask(`/_sandbox/messages${query}`, "DELETE");
  if (!answer?.ok) return;
  undoPath = `/_sandbox/undo?of=${answer.headers.get("Deletion")}`;
  say(said, true);
}

/**
 * @param {string} text
 * @param {boolean} hasUndo
 */
function say(text, hasUndo) {
  clearTimeout(timer);
  const undo = byId("undo", HTMLElement);
  byId("deleted", HTMLElement).textContent = text;
  byId("undo-button", HTMLElement).hidden = !hasUndo;
  undo.hidden = false;
  timer = setTimeout(() => (undo.hidden = true), undoMs);
}

/**
 * The answer; undefined only if the sandbox has stopped, which the page shows already.
 * @param {string} path
 * @param {string} method
 */
function ask(path, method) {
  return fetch(path, { method }).catch(() => undefined);
}
