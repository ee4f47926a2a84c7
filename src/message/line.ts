/** The line of a recipient, as in `line 3`. Without a file, or if it is negative, it is the place of a `--to`, as in `--to 1`. */
export function lineText(line: number, hasFile = true): string {
  return line < 0 || !hasFile ? `--to ${Math.abs(line)}` : `line ${line}`;
}
