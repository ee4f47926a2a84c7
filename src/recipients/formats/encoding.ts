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
      const hint = "save it again as CSV UTF-8, or give another --encoding to `sms clean`";
      throw usageError("NOT_UTF8", `${name} is not ${encoding} text`, hint);
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}

/** Most other lists are in windows-1252, so the error shows the words as that encoding has them. */
export function notUtf8(bytes: Buffer, line: number, { name, command }: NamedList): SmsError {
  const words = new TextDecoder("windows-1252")
    .decode(bytes)
    .split(/[\s,;|"]+/)
    .filter((word) => /[^\0-\x7F]/.test(word));
  const sample = JSON.stringify(words.slice(0, 3).join(" ").slice(0, 40).toWellFormed());
  return usageError(
    "NOT_UTF8",
    `line ${line} of ${name} is not UTF-8 text: it reads ${sample} in windows-1252`,
    `if that is right: \`${command} --encoding windows-1252\` reads it; else give the encoding in which it was saved`,
  );
}
