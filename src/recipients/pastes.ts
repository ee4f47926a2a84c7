import type { Country } from "../message/number.ts";
import { numberAmongWords, plainDigits } from "../message/number-fault.ts";
import { withoutZeroWidth } from "../message/text.ts";
import { areKinds, nameIn, saysNo } from "./number-words.ts";

/** Copied contacts have characters without a width. */
export function bareNumber(text: string): string {
  return withoutZeroWidth(text)
    .trim()
    .replace(/^(?:'+|(?:\w+\.)?tel(?:;[^:]*)?:)\s*/i, "");
}

/** The only number of a cell or a line, and the words beside that number. Undefined if one of them says no. */
export function numberBeside(text: string, country: Country | undefined): ReturnType<typeof numberAmongWords> {
  return saysNo(text) ? undefined : numberAmongWords(plainDigits(bareNumber(text)), country);
}

/** The name is empty if the words say only of what kind the number is. */
export function nameBeside(words: string): string {
  return areKinds(words) ? "" : nameIn(words);
}
