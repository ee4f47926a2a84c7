import { TextDecoder } from "node:util";
import { type SmsError, usageError } from "../../errors.ts";
import type { Source } from "../source.ts";

export interface NamedList extends Source {
  /** This command can name an encoding. */
  readonly command: string;
}

export function utf16Of(start: Buffer): string | undefined {
  const mark = start.toString("latin1", 0, 2);
  return { "\xFF\xFE": "utf-16le", "\xFE\xFF": "utf-16be" }[mark];
}

/** Throws `NOT_UTF8` if the text is not in that encoding. */
export async function* toUtf8({ name, chunks }: Source, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes?: Uint8Array): Buffer => {
    try {
      return Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch {
      const hint = "save it again as UTF-8, or give another --encoding to `sms clean`";
      throw usageError("NOT_UTF8", `${name} is not ${encoding} text`, hint);
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}

/** The most usual first. */
const encodings = ["windows-1252", "windows-1250", "macintosh", "windows-1251", "windows-1256", "gb18030"] as const;

/** The error shows the words as the likeliest encoding has them. */
export function notUtf8(bytes: Buffer, line: number, { name, command }: NamedList): SmsError {
  const readings = encodings.map((encoding) => ({ encoding, text: decoded(bytes, encoding) }));
  const [{ encoding, text } = { encoding: "windows-1252", text: "" }] = readings.toSorted(
    (a, b) => likelihood(b.text) - likelihood(a.text),
  );
  const words = text.split(/[\s,;|"]+/).filter((word) => /[^\0-\x7F]/.test(word));
  const sample = JSON.stringify(words.slice(0, 3).join(" ").slice(0, 40).toWellFormed());
  return usageError(
    "NOT_UTF8",
    `line ${line} of ${name} is not UTF-8 text: it reads ${sample} in ${encoding}`,
    `if that is right: \`${command} --encoding ${encoding}\` reads it; else give the encoding in which it was saved`,
  );
}

/** Node 20 reads 0x80 of windows-1252 as a control character, unless the text is a stream. */
function decoded(bytes: Buffer, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}

/** The mean of what each character outside ASCII says: words have letters of one script, and capitals begin them. */
function likelihood(text: string): number {
  let sum = 0;
  let count = 0;
  for (const [character, before, after] of neighbours(text)) {
    count++;
    sum += /[äöüßéèêëàâçîïôùûñóíáúãõøåÄÖÜÉ€–—‘’“”]/u.test(character) ? 2 : /\p{L}/u.test(character) ? 1 : 0;
    const isBeside = /\p{L}/u.test(before) || /\p{L}/u.test(after);
    if (/[\p{Cc}\uFFFD]/u.test(character) || (isBeside && /[\p{S}\p{No}¡-¿]/u.test(character) && character !== "€"))
      sum -= 3;
    if (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(character)) sum -= 2;
    if (/\p{L}/u.test(before) && /\p{L}/u.test(character) && isLatin(before) !== isLatin(character)) sum -= 3;
    // Words of Latin letters rarely have two in a row that ASCII lacks.
    if (isLatin(character) && before > "\x7F" && isLatin(before)) sum -= 2;
  }
  return count === 0 ? 0 : sum / count;
}

function* neighbours(text: string) {
  const all = Array.from(` ${text} `);
  for (const [index, character] of all.entries())
    if (character > "\x7F") yield [character, all[index - 1] ?? " ", all[index + 1] ?? " "] as const;
}

function isLatin(character: string): boolean {
  return /\p{Script=Latin}/u.test(character);
}
