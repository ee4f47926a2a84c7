import { shellWord } from "./shell-word.ts";

/** Returns the option that chooses a profile, to end a command that is named; empty without a name. */
export function profileOption(name: string | undefined): string {
  return name === undefined ? "" : ` --profile ${shellWord(name)}`;
}
