import { TextDecoder } from "node:util";
import { shellWord } from "../../words/shell-word.ts";
import { type SmsError, usageError } from "../../errors.ts";
import type { Source } from "../source.ts";

/** Returns the encoding of a text that begins with the byte order mark of UTF-16. */
export function utf16Of(start: Buffer): string | undefined {
  const mark = start.toString("latin1", 0, 2);
  return { "\xFF\xFE": "utf-16le", "\xFE\xFF": "utf-16be" }[mark];
}

/** Returns the bytes of a text as UTF-8. Throws `NOT_UTF8` if it is not in that encoding. */
export async function* toUtf8({ name, chunks }: Source, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes?: Uint8Array): Buffer => {
    try {
      return Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch {
      throw usageError(
        "NOT_UTF8",
        `${name} is not ${encoding} text`,
        "save it again as CSV UTF-8, or give another --encoding to `sms clean`",
      );
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}

/** Encodings that people's programs write, the likeliest first. */
const encodings = [
  "windows-1252",
  "macintosh",
  "windows-1250",
  "windows-1251",
  "windows-1256",
  "windows-1254",
  "windows-1253",
  "gb18030",
  "shift_jis",
] as const;

/** Returns the error for bytes that are not UTF-8, with the two encodings in which they make most sense. */
export function notUtf8(bytes: Buffer, line: number, name: string): SmsError {
  const readings = encodings
    .map((encoding) => ({ encoding, ...reading(bytes, encoding) }))
    .sort((one, other) => other.score - one.score);
  const [first] = readings;
  const second = readings.find(({ words }) => words !== first?.words);
  const likely = [first, second].flatMap((one) => one ?? []);
  const shown = likely.map(({ encoding, words }) => `${JSON.stringify(words)} in ${encoding}`).join(", or ");
  const file = name === "standard input" ? "FILE" : shellWord(name);
  const [option, otherwise] = likely.map(({ encoding }) => `--encoding ${encoding}`);
  return usageError(
    "NOT_UTF8",
    `line ${line} of ${name} is not UTF-8 text: it reads ${shown}`,
    `convert it: \`sms clean ${file} -o NEW.csv ${option}\`${otherwise === undefined ? "" : `, or with ${otherwise}`}`,
  );
}

/** The words of a line that are not ASCII in an encoding, and how much they look like words. */
function reading(bytes: Buffer, encoding: string): { readonly words: string; readonly score: number } {
  const text = new TextDecoder(encoding).decode(bytes);
  const words = text.split(/[\s,;|"]+/).filter((word) => /[^\0-\x7F]/.test(word));
  const score = words.reduce((sum, word) => sum + (isWord(word) ? 1 : -1), 0) / Math.max(1, words.length);
  return { words: words.slice(0, 3).join(" ").slice(0, 40).toWellFormed(), score };
}

/** Whether a word is of one script, and has its capitals where words have them. */
function isWord(word: string): boolean {
  const letters = word.replace(/^[!-@[-`{-~€£’“”]+|[!-@[-`{-~€£’“”]+$/g, "");
  if (/^(?:\p{Script=Arabic}{2,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2,})$/u.test(letters))
    return true;
  const isLatin = /^[\p{Script=Latin}'’.-]*$/u.test(letters) && (/[a-z]/i.test(letters) || letters.length < 3);
  const isOneScript = isLatin || /^(?:[\p{Script=Cyrillic}.-]{2,}|[\p{Script=Greek}.-]{2,})$/u.test(letters);
  return isOneScript && letters.split(/['’.-]/).every((part) => /^(?:\p{Lu}?\p{Ll}*|\p{Lu}+)$/u.test(part));
}
