/**
 * Returns a sentence for a terminal of that many columns, broken between words. `used` columns of the first line are
 * taken, and the others are indented by `indent`. A command in backticks stays whole, so that it can be copied.
 */
export function paragraph(text: string, columns: number, used: number, indent: number): string {
  const lines: string[] = [];
  let line = "";
  let left = columns - used;
  for (const [word] of text.matchAll(/(?:`[^`]*`|[^ ])+ *| +/g)) {
    if (line !== "" && line.length + word.trimEnd().length > left) {
      lines.push(line.trimEnd());
      line = "";
      left = columns - indent;
    }
    line += word;
  }
  return [...lines, line].join(`\n${" ".repeat(indent)}`);
}
