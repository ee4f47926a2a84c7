import { nameOf, type Replacement } from "../core/look-alikes.ts";
import { visible } from "./sanitize.ts";

/** What `--gsm7` replaced, in words. */
export function replacementText(replaced: readonly Replacement[]): string {
  const each = replaced.map(({ character, gsm7 }) => `${characterText(character)} by ${equalText(gsm7)}`);
  return `replaced for GSM-7: ${each.join(", ")}`;
}

/** What stands in place of a look-alike, in words where nothing would be seen. */
export function equalText(gsm7: string): string {
  if (gsm7 === "") return "nothing";
  if (gsm7 === " ") return "a space";
  return gsm7 === "\n" ? "a line end" : gsm7;
}

/** A character, or its name where nothing would be seen. */
function characterText(character: string): string {
  // No literal, since V8 goes through the tables of each one at every start.
  const isSeen = new RegExp("^[\\p{P}\\p{S}]$", "u").test(character);
  return isSeen ? character : (nameOf(character) ?? visible(character));
}
