import { element } from "./dom.js";

/** Controls, separators, and invisible and bidirectional characters (UAX #9), but not line feeds and emoji joiners. */
export const hidden =
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g;

/** A web address in a text ends at white space, quotes, brackets and hidden characters. */
const webAddress = /https?:\/\/[^\s<>"'`\\\p{Cc}\p{Cf}\p{Cs}]+/giu;

/**
 * The text of a message as nodes: web addresses as links, with marks between segments and visible code points for hidden
 * characters.
 * @param {readonly string[]} parts
 */
export function textNodes(parts) {
  const text = parts.join("");
  let length = 0;
  const ends = parts.map((part) => (length += part.length)).slice(0, -1);
  let at = 0;
  const nodes = [...text.matchAll(webAddress)].flatMap(({ 0: found, index }) => {
    const address = found.replace(/[.,;:!?)\]}»”’]+$/, "");
    if (!URL.canParse(address)) return [];
    const before = marked(text, ends, at, index);
    at = index + address.length;
    const link = { href: address, rel: "noopener noreferrer nofollow", target: "_blank" };
    return [...before, element("a", link, ...marked(text, ends, index, at))];
  });
  return [...nodes, ...marked(text, ends, at, text.length)];
}

/**
 * A text in one line, with visible code points for hidden characters.
 *
 * @param {string} text
 */
export function oneLine(text) {
  return text.toWellFormed().replace(hidden, codePointOf);
}

/**
 * That range of a text, with a mark at each end of a segment in it.
 * @param {string} text
 * @param {readonly number[]} ends
 * @param {number} from
 * @param {number} to
 * @returns {(Node | string)[]}
 */
function marked(text, ends, from, to) {
  let at = from;
  const nodes = ends.flatMap((end, index) => {
    if (end < from || end >= to) return [];
    const before = shown(text.slice(at, end));
    at = end;
    return [...before, split(index + 2)];
  });
  return [...nodes, ...shown(text.slice(at, to))];
}

/** @param {number} number */
function split(number) {
  const label = `segment ${number} begins here`;
  return element("span", {
    class: "split",
    role: "img",
    "aria-label": label,
    title: label,
    "data-number": String(number),
  });
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
