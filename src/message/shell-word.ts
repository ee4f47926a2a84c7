/** Returns a word as it is typed in a POSIX shell: quoted, if it needs that. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
