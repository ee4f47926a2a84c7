/** The places where a spreadsheet may begin a formula: a cell, also one that it splits at a line end, tab or semicolon. */
const formulas = /(?<=^|[;\t\r\n])(?='*[=+\-@＝＋－＠])/g;

/** Returns text with an apostrophe before whatever a spreadsheet may run; `unguarded` takes it away again. */
export function guarded(text: string): string {
  return text.replace(formulas, "'");
}

export function unguarded(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])'(?='*[=+\-@＝＋－＠])/g, "");
}
