/**
 * The link `step` rows below the focused one, else below the open one; negative is above.
 * @param {Element} list
 * @param {number} step
 */
export function linkAt(list, step) {
  const links = [...list.querySelectorAll("a")];
  const focused = links.findIndex((link) => link === document.activeElement);
  const from = focused >= 0 ? focused : links.findIndex((link) => link.ariaCurrent === "true");
  return from < 0 ? links[0] : links[Math.max(0, Math.min(from + step, links.length - 1))];
}
