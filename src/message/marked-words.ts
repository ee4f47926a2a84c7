import { usageError } from "../errors.ts";
import { fieldKey, positionOf, typedName } from "./text.ts";

/** A word stands between the two marks of a pair. */
const marks = "[ ], (( )), { }, ${ }, < >, « », *| |*, % %, # #, : :, $ $, @ @, [[ ]], << >>, %% %%, ## ##"
  .split(", ")
  .map((pair) => pair.split(" "));

export interface MarkedWord {
  readonly name: string;
  readonly placeholder: string;
  readonly index: number;
}

export function markedWords(text: string): ReadonlyMap<string, MarkedWord> {
  const words = new Map<string, MarkedWord>();
  for (const [before = "", after = ""] of marks) {
    for (let index = text.indexOf(before); index >= 0; index = text.indexOf(before, index + 1)) {
      const end = text.indexOf(after, index + before.length);
      const name = end < 0 ? "" : text.slice(index + before.length, end);
      const isSpaced = before === after && name !== name.trim();
      const isField = before === "{" && (text[index - 1] === "{" || text[end + 1] === "}");
      if (fieldKey(name) === "" || name.length > 60 || isSpaced || isField) continue;
      words.set(fieldKey(name), { name: typedName(name), placeholder: before + name + after, index });
    }
  }
  return words;
}

export function otherPlaceholder(text: string, { name, placeholder, index }: MarkedWord): Error {
  return usageError(
    "INVALID_TEMPLATE",
    `the message has ${placeholder} at ${positionOf(text, index)}, which is of another template language`,
    `write {{${name}}}, or rename the column ${JSON.stringify(name)} if ${placeholder} is to be sent as written`,
  );
}
