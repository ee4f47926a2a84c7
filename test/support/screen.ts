/** Returns the lines that a terminal of that many columns shows after this output, without blank ones at the end. */
export function screenOf(output: string, columns = 80): readonly string[] {
  const lines: string[][] = [[]];
  let [row, column, wraps] = [0, 0, true];
  const line = () => (lines[row] ??= []);
  const controls: Readonly<Record<string, (count: number) => void>> = {
    A: (count) => (row = Math.max(0, row - count)),
    K: () => line().splice(column),
    J: () => {
      line().splice(column);
      lines.splice(row + 1);
    },
    m: () => {},
    "?7l": () => (wraps = false),
    "?7h": () => (wraps = true),
  };
  for (const [piece, count = "", letter = ""] of output.matchAll(/\u001b\[([\d;]*)(\??\d*[A-Za-z])|[^]/gu)) {
    if (letter !== "") {
      const control = controls[letter];
      if (control === undefined) throw new Error(`unknown control ${JSON.stringify(piece)}`);
      control(Number(count === "" ? 1 : count.split(";")[0]));
    } else if (piece === "\r") column = 0;
    else if (piece === "\n") row++;
    else {
      if (column === columns && wraps) [row, column] = [row + 1, 0];
      if (column === columns) column--;
      while (line().length < column) line().push(" ");
      line()[column++] = piece;
    }
  }
  const texts = Array.from(lines, (cells) => (cells ?? []).join("").trimEnd());
  while (texts.at(-1) === "") texts.pop();
  return texts;
}
