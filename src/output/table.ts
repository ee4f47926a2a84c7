/** Returns rows in columns as wide as their widest cell. The first row is the heading. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0),
  );
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => `  ${line(row).trimEnd()}\n`).join("");
}
