import { element } from "./dom.js";

/** Controls, separators, and invisible and bidirectional characters (UAX #9), but not line feeds and emoji joiners. */
const hidden =
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060\u2066-\u2069\uFEFF]/g;

/**
 * The text of a message as nodes, with marks between segments and visible code points for hidden characters.
 * @param {readonly string[]} parts
 */
export function textNodes(parts) {
  return parts.flatMap((part, index) => (index === 0 ? shown(part) : [split(index + 1), ...shown(part)]));
}

/**
 * A text in one line, with visible code points for hidden characters.
 *
 * @param {string} text
 */
export function oneLine(text) {
  return text.toWellFormed().replace(hidden, codePointOf);
}

/** @param {number} number */
function split(number) {
  const label = `segment ${number} begins here`;
  return element("span", { class: "split", role: "img", "aria-label": label, title: label }, String(number));
}

/**
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function shown(text) {
  const pieces = text.toWellFormed().split(hidden);
  const controls = text.match(hidden) ?? [];
  return pieces.flatMap((piece, index) => {
    const control = controls[index];
    return control === undefined ? [piece] : [piece, codePoint(control)];
  });
}

/** @param {string} control */
function codePoint(control) {
  return element("span", { class: "control" }, codePointOf(control));
}

/** @param {string} control */
function codePointOf(control) {
  return `U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
