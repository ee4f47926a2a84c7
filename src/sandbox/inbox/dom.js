/**
 * A new element. Strings among the children become text, never markup.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string>>} attributes
 * @param {readonly (Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value);
  node.append(...children);
  return node;
}

/**
 * The element with that id. Throws if there is none of that kind.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {{ new (): Kind }} kind
 * @returns {Kind}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * Replaces the children of an element, without touching those already in place. A focused child keeps the focus if it
 * moves.
 * @param {Element} parent
 * @param {readonly Element[]} children
 */
export function showChildren(parent, children) {
  const focused = document.activeElement;
  const kept = new Set(children);
  for (const old of [...parent.children].filter((child) => !kept.has(child))) old.remove();
  let place = parent.firstElementChild;
  for (const child of children) {
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
  if (focused instanceof HTMLElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}

/**
 * "1 segment", "2 segments".
 * @param {number} n
 * @param {string} noun
 */
export function count(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}
