export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function profileOption(name: string | undefined): string {
  return name === undefined ? "" : ` --profile ${shellWord(name)}`;
}
