import { usageError } from "../errors.ts";
import { positionOf } from "./message.ts";

/** A message with `{{field}}` placeholders, parsed once and rendered for each recipient. */
export interface Template {
  /** The text around the placeholders: always one more item than `fields`. */
  readonly literals: readonly string[];
  readonly fields: readonly TemplateField[];
}

/** One placeholder. */
export interface TemplateField {
  /** The name as written in the template, trimmed. */
  readonly name: string;
  readonly key: string;
  /** Replaces a missing or blank field; without a default, such a field is an error. */
  readonly default?: string;
}

/** The fields of one recipient, by `fieldKey`. */
export type Fields = Readonly<Record<string, string>>;

/** The rendered text, or the name of the first field that the recipient does not have. */
export type Rendering =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing"; readonly field: string };

/** A placeholder, or a stray `{{` or `}}`. Names and defaults cannot contain braces. */
const placeholderPattern = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}|\{\{|\}\}/g;

/** The trimmed name in lower case: if case counted, `{{Name|customer}}` would miss a column called `name`. */
export function fieldKey(name: string): string {
  return name.trim().toLowerCase();
}

/**
 * Parses `{{field}}` and `{{field|default}}`. A single brace is literal; a literal `{{` must come from a field. Throws a
 * usage error `INVALID_TEMPLATE` with line and column for stray double braces and for a placeholder without a name.
 */
export function parseTemplate(text: string): Template {
  const literals: string[] = [];
  const fields: TemplateField[] = [];
  let end = 0;
  for (const { 0: placeholder, 1: rawName, 2: rawDefault, index } of text.matchAll(placeholderPattern)) {
    const name = rawName?.trim();
    if (!name) throw invalid(text, index, placeholder);
    const field = { name, key: fieldKey(name) };
    fields.push(rawDefault === undefined ? field : { ...field, default: rawDefault.trim() });
    literals.push(text.slice(end, index));
    end = index + placeholder.length;
  }
  literals.push(text.slice(end));
  return { literals, fields };
}

/** Fills in the fields of a recipient. A blank value, such as an empty cell, is missing; `{{field|}}` allows it. */
export function renderTemplate({ literals, fields }: Template, values: Fields): Rendering {
  let text = literals[0] ?? "";
  for (const [index, field] of fields.entries()) {
    const value = Object.hasOwn(values, field.key) ? (values[field.key] ?? "") : "";
    const filled = value.trim() === "" ? field.default : value;
    if (filled === undefined) return { kind: "missing", field: field.name };
    text += filled + (literals[index + 1] ?? "");
  }
  return { kind: "text", text };
}

/** Returns the first `{{…}}` in a text; undefined if there is none. */
export function placeholderIn(text: string): string | undefined {
  return /\{\{[^{}]*\}\}/.exec(text)?.[0];
}

function invalid(text: string, index: number, placeholder: string): Error {
  const fault = { "{{": "an unclosed {{", "}}": "a }} without a {{" }[placeholder];
  return usageError(
    "INVALID_TEMPLATE",
    `the message has ${fault ?? `${placeholder} without a field name`} at ${positionOf(text, index)}`,
    "write a placeholder as {{name}} or {{name|default}}",
  );
}
