import { crc32 } from "node:zlib";
import { Parser } from "saxen";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { maxRowBytes } from "../row.ts";
import type { Source } from "../source.ts";
import { notAList, spreadsheet } from "./format.ts";

// More than any spreadsheet writes for its 1,048,576 rows of a few columns; what is over is a bomb, or no list.
const mostBytes = 128 * 1024 * 1024;
const mostUnpacked = 1024 * 1024 * 1024;
const mostToken = 1024 * 1024;
// Spreadsheets pack to a tenth or a fiftieth.
const mostPacked = 250;
const mostDepth = 1000;
const mostElements = 65_536;

/** These are no values of cells: notes, drawings, and how Japanese is pronounced. */
const ignored = ["annotation", "shapes", "rPh"];

/** Names of elements are without their prefix, names of attributes are not. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: (string | Element)[];
}

export function elementsIn({ content }: Element): readonly Element[] {
  return content.filter((item) => typeof item !== "string");
}

/** The files of XML that a workbook is made of. */
export interface Package {
  readonly has: (part: string) => boolean;
  /** Yields the elements of these names in batches, and nothing if there is no such part. */
  readonly read: (part: string, ...names: readonly string[]) => AsyncGenerator<readonly Element[]>;
}

/** Throws for what is protected or too large; a part is checked as it is read. */
export async function openPackage({ name, chunks }: Source): Promise<Package> {
  const bytes = await gathered(chunks, name);
  if (bytes[0] === 0xd0) throw oldOrProtected(bytes, name);
  const zip = await fromBufferPromise(bytes, { lazyEntries: true, autoClose: false });
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  if ([...entries.values()].some((entry) => entry.isEncrypted()) || entries.has("encrypted-package"))
    throw protectedWorkbook(name);
  return {
    has: (part) => entries.has(part.toLowerCase()),
    read: async function* (part, ...names) {
      const entry = entries.get(part.toLowerCase());
      if (entry !== undefined) yield* parsed(zip, entry, names);
    },
  };
}

async function gathered(chunks: Source["chunks"], name: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > mostBytes)
      throw notAList(
        name,
        "a workbook of more than 128 MiB",
        "save the sheet that has the numbers as a workbook of its own",
      );
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** An old workbook and a protected new one are both in Microsoft's compound file. */
function oldOrProtected(bytes: Buffer, name: string): Error {
  if (bytes.includes(Buffer.from("EncryptedPackage", "utf16le"))) return protectedWorkbook(name);
  return notAList(name, "an Excel workbook of before 2007 (.xls)", spreadsheet);
}

function protectedWorkbook(name: string): Error {
  return notAList(name, "protected by a password", "open it in a spreadsheet, and save it without the password");
}

export function tooLarge(): Error {
  return new Error("it unpacks to more than a spreadsheet can have");
}

async function* parsed(zip: ZipFile, entry: Entry, names: readonly string[]): AsyncGenerator<readonly Element[]> {
  const { compressedSize, uncompressedSize } = entry;
  const isBomb = uncompressedSize > mostUnpacked / 64 && uncompressedSize > mostPacked * compressedSize;
  if (isBomb || uncompressedSize > mostUnpacked) throw tooLarge();
  const whole: Element[] = [];
  const open: Element[] = [];
  let [elements, characters, sinceTag, depth, depthIgnored] = [0, 0, 0, 0, 0];
  const parser = new Parser();
  parser.on("openTag", (prefixed, attributes) => {
    sinceTag = 0;
    if (++depth > mostDepth) throw tooLarge();
    const name = prefixed.slice(prefixed.indexOf(":") + 1);
    if (depthIgnored > 0 || ignored.includes(name)) {
      depthIgnored++;
      return;
    }
    const parent = open.at(-1);
    if (parent === undefined) {
      [elements, characters] = [0, 0];
      if (!names.includes(name)) return;
    }
    if (++elements > mostElements) throw tooLarge();
    const element = { name, attributes: attributes(), content: [] };
    parent?.content.push(element);
    open.push(element);
  });
  parser.on("closeTag", () => {
    sinceTag = 0;
    depth--;
    if (depthIgnored > 0) {
      depthIgnored--;
      return;
    }
    const element = open.pop();
    if (element !== undefined && open.length === 0) whole.push(element);
  });
  const add = (text: string) => {
    const [root] = open;
    if (depthIgnored > 0 || root === undefined) return;
    characters += text.length;
    if (characters > maxRowBytes)
      throw new Error(`a ${root.name} of it has more than ${maxRowBytes / 1024} KiB of text`);
    open.at(-1)?.content.push(text);
  };
  parser.on("text", (text) => add(decoded(text)));
  parser.on("cdata", add);
  parser.on("attention", () => {
    // A document type may define entities that grow without end; no spreadsheet writes one.
    throw new Error("it has a document type");
  });
  const stream = await zip.openReadStreamPromise(entry);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let checksum = 0;
  try {
    for await (const chunk of stream) {
      checksum = crc32(chunk, checksum);
      const text = decoder.decode(chunk, { stream: true });
      sinceTag += text.length;
      parser.write(text);
      if (sinceTag > mostToken) throw new Error("it has a text of more than a million characters");
      if (whole.length > 0) yield whole.splice(0);
    }
    parser.end();
    if (checksum !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} is wrong`);
    yield whole;
  } finally {
    stream.destroy();
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** saxen replaces no character reference beyond U+FFFF. */
export function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
