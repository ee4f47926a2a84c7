/**
 * A new element with those attributes. Strings among the children become text, whatever they look like.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string>>} attributes
 * @param {readonly (Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/**
 * The element of the page with that id. Throws where the page has none of that kind.
 *
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
 * Makes those the children of a parent, in that order, and touches no child that is already in its place. What had
 * the focus keeps it, though it may have moved.
 *
 * @param {Element} parent
 * @param {readonly Element[]} children
 */
export function showChildren(parent, children) {
  const focused = document.activeElement;
  const wanted = new Set(children);
  for (const gone of [...parent.children].filter((child) => !wanted.has(child))) gone.remove();
  let place = parent.firstElementChild;
  for (const child of children) {
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
  if (focused instanceof HTMLElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}

/**
 * "1 segment", "2 segments".
 *
 * @param {number} n
 * @param {string} noun
 */
export function count(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}
