import { usageError } from "../errors.ts";

/** A text with places for fields, read once and rendered for each recipient. */
export interface Template {
  /** What stands before the first field, between the fields, and after the last: one more than there are fields. */
  readonly literals: readonly string[];
  readonly fields: readonly TemplateField[];
}

/** A place for a field. */
interface TemplateField {
  /** The name as the template writes it, without white space around it. */
  readonly name: string;
  /** The name as `fieldKey` gives it. */
  readonly key: string;
  /** What stands there where the field is missing or blank; without it, that is an error. */
  readonly default?: string;
}

/** The fields of one recipient, by `fieldKey` of their names. */
export type Fields = Readonly<Record<string, string>>;

/** A template with the fields of one recipient put in, or the name of the first that it lacks. */
export type Rendering =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing"; readonly field: string };

/** A whole place for a field, else a pair of braces that belongs to none. Neither names nor defaults hold braces. */
const placePattern = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}|\{\{|\}\}/g;

/**
 * The key a field is known by: its name without white space around it, in small letters. `{{Name}}` is the column
 * `name`: told apart, `{{Name|customer}}` would greet everybody as customer, and nobody would be warned.
 */
export function fieldKey(name: string): string {
  return name.trim().toLowerCase();
}

/**
 * Reads `{{field}}` and `{{field|default}}`, white space around either dropped. One brace is itself; two are always a
 * place, so a text that needs them as such takes them from a field. Throws a usage error `INVALID_TEMPLATE` that names
 * line and column for braces that make no place, and for a place that names no field.
 */
export function parseTemplate(text: string): Template {
  const literals: string[] = [];
  const fields: TemplateField[] = [];
  let end = 0;
  for (const { 0: place, 1: written, 2: byDefault, index } of text.matchAll(placePattern)) {
    const name = written?.trim();
    if (!name) throw invalid(text, index, place);
    const field = { name, key: fieldKey(name) };
    fields.push(byDefault === undefined ? field : { ...field, default: byDefault.trim() });
    literals.push(text.slice(end, index));
    end = index + place.length;
  }
  literals.push(text.slice(end));
  return { literals, fields };
}

/**
 * Puts one recipient's fields in, as they are: braces in a value mean nothing. A blank value counts as missing, since
 * that is what an empty cell is; `{{field|}}` says that nothing may stand there.
 */
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

function invalid(text: string, index: number, place: string): Error {
  const lines = text.slice(0, index).split("\n");
  const column = Array.from(lines.at(-1) ?? "").length + 1;
  const fault = { "{{": "a {{ that is not closed", "}}": "a }} that closes nothing" }[place];
  return usageError(
    "INVALID_TEMPLATE",
    `the message has ${fault ?? `${place}, which names no field,`} at line ${lines.length}, column ${column}`,
    "write a field as {{name}} or {{name|what stands there without it}}",
  );
}
