/** The name of the page of help that a command line asks for, such as `runs.show.help` or `help.exit-codes`. */
export function pageName(argv: readonly string[]): string {
  return argv.map((word) => (word === "-h" || word === "--help" ? "help" : word)).join(".");
}
