/**
 * What a search looks at.
 * @typedef {object} Findable
 * @property {string} to
 * @property {string} folded all that is searched for text
 * @property {"message" | "refusal"} kind
 * @property {string} [mode]
 * @property {string} [senderId]
 * @property {string} [key]
 */

/** @typedef {ReturnType<typeof searchFor>} Search */

/** @type {Readonly<Record<string, (one: Findable, value: string) => boolean>>} */
const filters = {
  is: ({ kind, mode }, value) => (value === "refused" ? kind === "refusal" : mode === value),
  from: ({ senderId = "" }, value) => fold(senderId).includes(value),
  key: ({ key = "" }, value) => fold(key).includes(value),
};

/**
 * A search for text, and by `is:live`, `is:test`, `is:refused`, `from:` and `key:`. A number is found in any notation:
 * 0712 345 678 finds +254712345678.
 * @param {string} typed
 */
export function searchFor(typed) {
  const words = fold(typed.trim()).split(/\s+/);
  const tests = words.flatMap((word) => filterOf(word) ?? []);
  const text = words.filter((word) => filterOf(word) === undefined).join(" ");
  const digits = /^[\d\s()+.-]+$/.test(text) ? text.replace(/\D/g, "").replace(/^0/, "") : "";
  return {
    typed: words.join(" "),
    text,
    /** @param {Findable} one */
    finds: (one) =>
      tests.every((test) => test(one)) &&
      (text === "" || (digits !== "" && one.to.includes(digits)) || one.folded.includes(text)),
  };
}

/** @param {string} text */
export function fold(text) {
  return text.toLowerCase();
}

/**
 * @param {string} word
 * @returns {((one: Findable) => boolean) | undefined}
 */
function filterOf(word) {
  const [, name = "", value = ""] = /^(is|from|key):(.+)$/.exec(word) ?? [];
  const filter = filters[name];
  return filter && ((one) => filter(one, value));
}
