import { countText } from "../words/count.ts";
import { slip, usageError } from "../errors.ts";
import { keyLike } from "../words/key-like.ts";
import { codePointOf } from "./segments.ts";

/** In UTF-16 code units (docs/internals/service-interface.md, 8, does not define "characters"). */
const maxLength = 1600;

export const keyAdvice = "remove it; if it is a key in use, revoke it in the dashboard (Settings, API Keys)";

/** Equal words are one text in any form: a phone shows LF for CR LF and CR, and nothing for white space at the end. */
export function composeText(text: string): string {
  return text.replace(/\r\n?/g, "\n").trimEnd().normalize("NFC");
}

/** Returns the composed text. Throws unless it has 1 to 1600 UTF-16 units, no lone surrogate, no NUL and no API key. */
export function requireText(words: string): string {
  const text = composeText(words);
  if (text.trim() === "") throw slip("EMPTY_MESSAGE", "the message is empty", "give a text of at least one character");
  if (keyLike.test(text)) throw usageError("INVALID_MESSAGE", "the message has an API key in it", keyAdvice);
  const over = text.length - maxLength;
  if (over > 0) {
    throw usageError(
      "MESSAGE_TOO_LONG",
      `the message has ${countText(text.length)} characters (UTF-16 code units); the limit is 1,600`,
      `shorten it by ${over}`,
    );
  }
  // With the flag u, the range matches lone surrogates only.
  const index = text.search(/[\0\uD800-\uDFFF]/u);
  if (index < 0) return text;
  const isNul = text[index] === "\0";
  const what = isNul ? "a NUL" : `half a character (lone surrogate ${codePointOf(text.charAt(index))})`;
  throw usageError(
    "INVALID_MESSAGE",
    `the message has ${what} at ${positionOf(text, index)}`,
    isNul ? "remove it; if the file is UTF-16, convert it to UTF-8" : "restore the whole character, or remove the half",
  );
}

export function positionOf(text: string, index: number): string {
  const lines = text.slice(0, index).split("\n");
  return `line ${lines.length}, column ${Array.from(lines.at(-1) ?? "").length + 1}`;
}

export interface Template {
  readonly literals: readonly string[];
  readonly fields: readonly TemplateField[];
}

export interface TemplateField {
  readonly name: string;
  readonly key: string;
  /** If there is no default, a missing or blank field is an error. */
  readonly default?: string;
}

export type Fields = Readonly<Record<string, string>>;

export interface RenderedText {
  readonly kind: "text";
  readonly text: string;
}

type Rendering = RenderedText | { readonly kind: "missing"; readonly field: string };

/** Names and defaults cannot contain braces. */
const placeholderPattern = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}|\{\{|\}\}/g;

/** Nobody can see or type these characters in a name. */
const zeroWidth = /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]|\u034F|[\uFE00-\uFE0F]/g;

export function withoutZeroWidth(text: string): string {
  return text.replace(zeroWidth, "");
}

/** Returns the name of a column as a person can type it. */
export function typedName(name: string): string {
  return withoutZeroWidth(name).normalize("NFC").replace(/\s+/g, " ").trim();
}

/** Two names are one if they have the same key. */
export function fieldKey(name: string): string {
  return typedName(name).toLowerCase();
}

/** A literal `{{` must come from a field. Throws `INVALID_TEMPLATE` with line and column. */
export function parseTemplate(text: string): Template {
  refuseOtherLanguages(text);
  const literals: string[] = [];
  const fields: TemplateField[] = [];
  let end = 0;
  for (const { 0: placeholder, 1: rawName, 2: rawDefault, index } of text.matchAll(placeholderPattern)) {
    const name = typedName(rawName ?? "");
    if (name === "") {
      const fault = { "{{": "an unclosed {{", "}}": "a }} without a {{" }[placeholder];
      const what = `${fault ?? `${placeholder} without a field name`} at ${positionOf(text, index)}`;
      const hint = "write a placeholder as {{name}} or {{name|default}}";
      throw usageError("INVALID_TEMPLATE", `the message has ${what}`, hint);
    }
    const field = { name, key: fieldKey(name) };
    fields.push(rawDefault === undefined ? field : { ...field, default: rawDefault.trim() });
    literals.push(text.slice(end, index));
    end = index + placeholder.length;
  }
  literals.push(text.slice(end));
  return { literals, fields };
}

/** In `{{% paid}}` the sign belongs to the field's name. */
const statementPattern = /(?<!\{)\{%(?:[^}]*%\})?/;

/** A default could be one of these words of Jinja, Twig, Django and Liquid only by chance. */
const filters =
  "upper|lower|title|capitalize|capfirst|(?:up|down|upper|lower)case|titlecase|[lr]?(?:trim|strip)|striptags";
/** If these filters have no argument, their names are fine as defaults. */
const filtersWithArgument = "default|truncate|truncatewords|replace|join|date|format|round|escape|first|last|slice";
const filterPattern = new RegExp(`^(?:(?:${filters})|(?:${filtersWithArgument})(?=\\s*[:(]))(?:\\s*[:(].*)?$`, "s");

/** Throws a usage error: `sms` would send `{%` as written, and take a filter for a default. */
export function refuseOtherLanguages(text: string): void {
  const statement = statementPattern.exec(text);
  if (statement !== null) {
    const what = `${statement[0]} at ${positionOf(text, statement.index)}, which is of another template language`;
    throw usageError("INVALID_TEMPLATE", `the message has ${what}`, literalHint);
  }
  for (const { 0: placeholder, 1: name = "", 2: rest, index } of text.matchAll(placeholderPattern)) {
    const filter = rest?.split("|").find((part) => filterPattern.test(part.trim()));
    if (filter === undefined) continue;
    const what = `${placeholder} at ${positionOf(text, index)}, and ${filter.trim()} is a filter of another language`;
    const hint = `write {{${name.trim()}}}: what follows | is sent where the field is empty; ${literalHint}`;
    throw usageError("INVALID_TEMPLATE", `the message has ${what}`, hint);
  }
}

const literalHint = "a text has only {{name}} and {{name|default}}; `sms send --literal` sends one message as written";

/** A blank value, such as an empty cell, is missing; `{{field|}}` allows a blank value. */
export function renderTemplate({ literals, fields }: Template, values: Fields): Rendering {
  let text = literals[0] ?? "";
  for (const [index, field] of fields.entries()) {
    const value = Object.hasOwn(values, field.key) ? (values[field.key] ?? "") : "";
    const content = value.trim() === "" ? field.default : value;
    if (content === undefined) return { kind: "missing", field: field.name };
    text += content + (literals[index + 1] ?? "");
  }
  return { kind: "text", text: composeText(text) };
}

export function placeholderIn(text: string): string | undefined {
  return (/\{\{[^{}]*\}\}/.exec(text) ?? statementPattern.exec(text))?.[0];
}
