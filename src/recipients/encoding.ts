import { TextDecoder } from "node:util";
import { shellWord } from "../message/shell-word.ts";
import { type SmsError, usageError } from "../errors.ts";

/** Returns the bytes of a text as UTF-8. UTF-16 is known by its byte order mark. Throws `NOT_UTF8` for broken UTF-16. */
export async function* toUtf8(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  onUtf16: () => void,
  encoding: string | undefined,
): AsyncGenerator<Uint8Array> {
  let decoder = encoding === undefined ? undefined : new TextDecoder(encoding, { fatal: true });
  let start: Buffer | undefined = decoder === undefined ? Buffer.alloc(0) : undefined;
  const decode = (bytes?: Uint8Array): Buffer => {
    try {
      return Buffer.from(decoder?.decode(bytes, { stream: bytes !== undefined }) ?? "");
    } catch {
      throw encoding === undefined
        ? usageError("NOT_UTF8", `${name} begins as UTF-16 and is not UTF-16 text`, "save it again as CSV UTF-8")
        : usageError("NOT_UTF8", `${name} is not ${encoding} text`, "give another --encoding");
    }
  };
  for await (const chunk of chunks) {
    if (start === undefined) {
      yield decoder === undefined ? chunk : decode(chunk);
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < 2) continue;
    const mark = start.readUInt16BE(0);
    if (mark === 0xfffe || mark === 0xfeff) {
      decoder = new TextDecoder(mark === 0xfffe ? "utf-16le" : "utf-16be", { fatal: true });
      onUtf16();
    }
    yield decoder === undefined ? start : decode(start);
    start = undefined;
  }
  if (start !== undefined && start.length > 0) yield start;
  if (decoder !== undefined) yield decode();
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
  const isFile = name !== "standard input";
  const file = isFile
    ? `${shellWord(name)} -o ${shellWord(name.replace(/(\.\w+)?$/, "-clean.csv"))}`
    : "FILE -o NEW.csv";
  const [option, otherwise] = likely.map(({ encoding }) => `--encoding ${encoding}`);
  return usageError(
    "NOT_UTF8",
    `line ${line} of ${name} is not UTF-8 text: it reads ${shown}`,
    `convert it: \`sms clean ${file} ${option}\`${otherwise === undefined ? "" : `, or with ${otherwise}`}`,
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
