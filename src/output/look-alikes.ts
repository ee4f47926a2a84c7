import { nameOf, type Replacement } from "../core/look-alikes.ts";
import { visible } from "./sanitize.ts";

/** Says what `--gsm7` replaced. */
export function replacementText(replaced: readonly Replacement[]): string {
  const each = replaced.map(({ character, gsm7 }) => `${characterText(character)} by ${equalText(gsm7)}`);
  return `replaced for GSM-7: ${each.join(", ")}`;
}

/** Returns the GSM-7 equal of a look-alike, in words if it is invisible. */
export function equalText(gsm7: string): string {
  if (gsm7 === "") return "nothing";
  if (gsm7 === " ") return "a space";
  return gsm7 === "\n" ? "a line end" : gsm7;
}

/** Returns a character, or its name if it is invisible. */
function characterText(character: string): string {
  // Not a literal: V8 builds the Unicode tables of every literal at start.
  const isSeen = new RegExp("^[\\p{P}\\p{S}]$", "u").test(character);
  return isSeen ? character : (nameOf(character) ?? visible(character));
}
