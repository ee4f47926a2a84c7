/** A spreadsheet may begin a formula in a cell, and also where it splits a cell at a line end, tab or semicolon. */
const formulas = /(?<=^|[;\t\r\n])(?='*[=+\-@＝＋－＠])/g;

/** An apostrophe keeps a spreadsheet from running a text; `unguarded` takes the apostrophe away again. */
export function guarded(text: string): string {
  return text.replace(formulas, "'");
}

export function unguarded(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])'(?='*[=+\-@＝＋－＠])/g, "");
}
