/** Returns a word as it is typed in a POSIX shell: quoted, if it needs that. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns the option that chooses a profile, to end a command that is named; empty without a name. */
export function profileOption(name: string | undefined): string {
  return name === undefined ? "" : ` --profile ${shellWord(name)}`;
}
