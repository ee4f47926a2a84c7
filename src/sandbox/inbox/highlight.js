import { fold } from "./search.js";

/**
 * Highlights a text within elements by the CSS Custom Highlight API, which leaves the DOM alone. Browsers without it
 * show nothing.
 * @param {string} text folded
 * @param {readonly Element[]} within
 */
export function highlight(text, within) {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("found");
  if (text !== "") CSS.highlights.set("found", new Highlight(...within.flatMap((root) => rangesIn(root, text))));
}

/**
 * @param {Element} root
 * @param {string} text
 */
function rangesIn(root, text) {
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
