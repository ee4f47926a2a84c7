export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function profileOption(name: string | undefined): string {
  return name === undefined ? "" : ` --profile ${shellWord(name)}`;
}

/** A copy from a terminal may lack these, or have others in their place: DI is what Unicode lets a terminal ignore. */
const unshown = "[\\p{C}\\p{DI}]|(?! )\\s";

/** Compiling the pattern takes milliseconds, so this compiles on use. */
export function isShownExactly(text: string): boolean {
  return /^[ -~]*$/.test(text) || !new RegExp(unshown, "u").test(text);
}
