import { lineOf, operandsOf, type Word } from "./words.ts";

const numberLike = /^\+?\d[\d ().-]{4,}$/;
const recipientOptions = new Set(["-t", "--to", "-r", "--recipients"]);
const messageOptions = new Set(["-m", "--message", "--message-file"]);

/** Returns what to type instead of a `send` or `preview` that got its number, file or text without an option. */
export function lineWithOptions(words: readonly Word[], takesNumbers: boolean, hasCountry: boolean): string {
  const operands = withWholeNumbers(withoutOptionNames(operandsOf(words)));
  const numbers = takesNumbers ? operands.filter((text) => numberLike.test(text)) : [];
  const named = operands.filter((text) => /\.(csv|tsv|txt|ndjson|jsonl|xlsx?)$/i.test(text));
  const given = words.filter(({ kind }) => kind === "command" || kind === "option");
  const hasOption = (names: ReadonlySet<string>) =>
    given.some(({ kind, text }) => kind === "option" && names.has(text));
  const hasRecipient = hasOption(recipientOptions);
  const lacksText = operands.length === numbers.length + named.length && !hasOption(messageOptions);
  const isAlone = takesNumbers && !hasRecipient && operands.length === 1;
  const textFile = lacksText && !isAlone ? named.findLast((file) => /\.txt$/i.test(file)) : undefined;
  const files = takesNumbers ? named.filter((file) => file !== textFile) : [];
  const texts = operands.filter((text) => ![...numbers, ...files, textFile].includes(text));
  const isMessage = (word: Word) => word.kind === "option" && ["-m", "--message"].includes(word.text);
  const begun = given.some((word) => isMessage(word) && texts.length > 0);
  const kept = given.flatMap((word) => {
    if (word.kind !== "option" || word.value === undefined) return [word.text];
    return [word.text, isMessage(word) ? textOf([word.value, ...texts]) : word.value];
  });
  const lacksRecipient = takesNumbers && !hasRecipient && numbers.length + files.length === 0;
  const isCountryless = !hasCountry && numbers.some((number) => !number.startsWith("+"));
  const line = lineOf([
    ...kept,
    ...(lacksRecipient ? ["--to", "NUMBER"] : []),
    ...files.flatMap((file) => ["--recipients", file.replace(/^@/, "")]),
    ...numbers.flatMap((number) => ["--to", number]),
    ...(isCountryless ? ["--country", "CC"] : []),
    ...(textFile === undefined ? [] : ["--message-file", textFile.replace(/^@/, "")]),
    ...(texts.length === 0 || begun ? [] : ["--message", textOf(texts)]),
    ...words.flatMap(({ kind, text }) => (kind === "after" ? [text] : [])),
  ]);
  return isCountryless ? `\`${line}\`, where CC is the country of the number, such as KE` : `\`${line}\``;
}

/** Leaves out `to` before a number, and `message` behind it: options without their dashes are no text. */
function withoutOptionNames(operands: readonly string[]): readonly string[] {
  if (operands[0] !== "to" || !numberLike.test(operands[1] ?? "")) return operands;
  return operands.slice(1).filter((text, index) => index !== 1 || text !== "message");
}

/** Joins the parts of a number that was typed with spaces, such as `0712 345 678`, and parts numbers with commas. */
function withWholeNumbers(operands: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const operand of operands.flatMap(parted)) {
    const before = joined.at(-1);
    const goesOn = before !== undefined && /^[+0(][\d() .-]*$/.test(before) && /^[\d().-]+$/.test(operand);
    if (goesOn) joined.splice(-1, 1, `${before} ${operand}`);
    else joined.push(operand);
  }
  return joined;
}

function parted(operand: string): readonly string[] {
  const parts = operand.split(/[,;]/).map((part) => part.trim());
  return parts.every((part) => numberLike.test(part)) ? parts : [operand];
}

/** A text of several words, which the shell had split; `TEXT` in place of one that no line can show. */
function textOf(texts: readonly string[]): string {
  const text = texts.join(" ");
  return /[\p{Cc}`]/u.test(text) ? "TEXT" : text;
}
