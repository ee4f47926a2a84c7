import type { Template, TemplateField } from "../message/template.ts";
import type { Row, RowFault } from "./row.ts";

/** The fields of a template that no row has had yet, and the columns of the rows, as long as there is such a field. */
export interface UnmetFields {
  /** By key; those with a default are not among them. */
  readonly fields: Map<string, TemplateField>;
  readonly columns: Set<string>;
}

/** More columns than a person reads. */
const mostColumns = 100;

/** Returns the fields of a template before the first row. */
export function unmetFields(template: Template | undefined): UnmetFields {
  const required = (template?.fields ?? []).filter((field) => field.default === undefined);
  return { fields: new Map(required.map((field) => [field.key, field])), columns: new Set() };
}

/** Removes the fields that a row has. */
export function meetFields({ fields, columns }: UnmetFields, row: Row | RowFault): void {
  if (fields.size === 0 || row.kind === "fault") return;
  for (const key of Object.keys(row.fields)) {
    fields.delete(key);
    if (columns.size < mostColumns) columns.add(key);
  }
}
