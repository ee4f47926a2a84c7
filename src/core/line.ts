/** The line of a recipient, as in `line 3`. A negative one is the place of a `--to` that stands beside a file, as in `--to 1`. */
export function lineText(line: number): string {
  return line < 0 ? `--to ${-line}` : `line ${line}`;
}
