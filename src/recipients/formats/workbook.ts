import { crc32 } from "node:zlib";
import { Parser } from "saxen";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { SmsError, usageError } from "../../errors.ts";
import { notAList, spreadsheet } from "./format.ts";
import { maxRowBytes, quoted } from "../row.ts";
import type { Source } from "../source.ts";
import { decoded, type Element, type ReadPart, type ReadTail, type Sheet, tooLarge } from "./sheet.ts";
import type { ListFacts } from "../source.ts";
import type { Table } from "../table.ts";
import { readXlsx } from "./xlsx.ts";

// More than any spreadsheet writes for its 1,048,576 rows of a few columns; what is over is a bomb, or no list.
const mostBytes = 128 * 1024 * 1024;
const mostUnpacked = 1024 * 1024 * 1024;
const mostToken = 1024 * 1024;
// Spreadsheets pack to a tenth or a fiftieth.
const mostPacked = 250;
const mostDepth = 1000;
const mostElements = 65_536;
const mostTail = 16 * 1024 * 1024;

/** These are no values of cells: notes, drawings, and how Japanese is pronounced. */
const beside = ["annotation", "shapes", "rPh"];

/** Throws for a workbook that is protected, broken or too large. */
export async function* readWorkbook(
  { name, chunks }: Source,
  { sheet: wanted, keepsHidden = false }: { readonly sheet?: string; readonly keepsHidden?: boolean },
  facts: ListFacts,
): AsyncGenerator<Table> {
  const bytes = await gathered(chunks, name);
  if (bytes[0] === 0xd0) throw oldOrProtected(bytes, name);
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, autoClose: false });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
    const sheetNames: string[] = [];
    for await (const sheet of sheetsIn({ zip, entries, name }, keepsHidden)) {
      sheetNames.push(sheet.name);
      if (wanted === undefined ? sheet.isHidden : wanted !== sheet.name) {
        if (wanted === undefined) facts.passed.push(`the hidden sheet ${quoted(sheet.name)}`);
        continue;
      }
      const { hiddenColumns } = sheet;
      yield { name, sheet: sheet.name, hiddenColumns, records: withBatchesNamed(sheet.records, name) };
    }
    if (sheetNames.length === 0) throw notAList(name, "not a list of recipients", spreadsheet);
    if (wanted !== undefined && !sheetNames.includes(wanted)) {
      throw usageError(
        "INVALID_RECIPIENTS",
        `${name} has no sheet ${quoted(wanted)}`,
        `its sheets are ${sheetNames.slice(0, 20).map(quoted).join(", ")}`,
      );
    }
  } catch (error) {
    throw named(error, name);
  }
}

async function* withBatchesNamed<Batch>(batches: AsyncIterable<Batch>, name: string): AsyncGenerator<Batch> {
  try {
    yield* batches;
  } catch (error) {
    throw named(error, name);
  }
}

function named(error: unknown, name: string): Error {
  if (error instanceof SmsError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return notAList(name, `a broken workbook: ${reason}`, "open it in a spreadsheet, and save it again");
}

interface Package {
  readonly zip: ZipFile;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly name: string;
}

function sheetsIn({ zip, entries, name }: Package, keepsHidden: boolean): AsyncGenerator<Sheet> {
  const readPart: ReadPart = (part, names, heads = []) => {
    const entry = entries.get(part.toLowerCase());
    return entry === undefined ? undefined : parsed(zip, entry, { names, heads });
  };
  const readTail: ReadTail = async (part, element) => {
    const entry = entries.get(part.toLowerCase());
    return entry === undefined ? "" : tailOf(zip, entry, element);
  };
  if ([...entries.values()].some((entry) => entry.isEncrypted()) || entries.has("encrypted-package")) {
    throw protectedWorkbook(name);
  }
  if (entries.has("content.xml"))
    throw notAList(name, "an OpenDocument file", "save it as .xlsx or CSV, and give that");
  return readXlsx(readPart, readTail, { keepsHidden });
}

/** Merged cells stand behind the rows, which are read without them. */
async function tailOf(zip: ZipFile, entry: Entry, element: string): Promise<string> {
  requireSize(entry);
  const stream = await zip.openReadStreamPromise(entry);
  let tail = "";
  let isFound = false;
  try {
    for await (const chunk of stream) {
      tail += Buffer.from(chunk).toString("latin1");
      if (!isFound) {
        const start = tail.indexOf(element);
        isFound = start >= 0;
        tail = tail.slice(isFound ? start : -element.length);
      }
      if (tail.length > mostTail) throw tooLarge();
    }
  } finally {
    stream.destroy();
  }
  return isFound ? tail : "";
}

function requireSize({ compressedSize, uncompressedSize }: Entry): void {
  const isBomb = uncompressedSize > mostUnpacked / 64 && uncompressedSize > mostPacked * compressedSize;
  if (isBomb || uncompressedSize > mostUnpacked) throw tooLarge();
}

async function* parsed(
  zip: ZipFile,
  entry: Entry,
  { names, heads }: { readonly names: readonly string[]; readonly heads: readonly string[] },
): AsyncGenerator<readonly Element[]> {
  requireSize(entry);
  const found: Element[] = [];
  const open: Element[] = [];
  let [elements, characters, sinceTag, depth, depthBeside] = [0, 0, 0, 0, 0];
  const parser = new Parser();
  parser.on("openTag", (prefixed, attributes) => {
    sinceTag = 0;
    if (++depth > mostDepth) throw tooLarge();
    const name = prefixed.slice(prefixed.indexOf(":") + 1);
    if (depthBeside > 0 || beside.includes(name)) {
      depthBeside++;
      return;
    }
    const parent = open.at(-1);
    if (parent === undefined) {
      [elements, characters] = [0, 0];
      if (heads.includes(name)) found.push({ name, attributes: attributes(), content: [] });
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
    if (depthBeside > 0) {
      depthBeside--;
      return;
    }
    const element = open.pop();
    if (element !== undefined && open.length === 0) found.push(element);
  });
  const add = (text: string) => {
    const [wanted] = open;
    if (depthBeside > 0 || wanted === undefined) return;
    characters += text.length;
    if (characters > maxRowBytes)
      throw new Error(`a ${wanted.name} of it has more than ${maxRowBytes / 1024} KiB of text`);
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
      if (found.length > 0) yield found.splice(0);
    }
    parser.end();
    if (checksum !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} is wrong`);
    yield found;
  } finally {
    stream.destroy();
  }
}

async function gathered(chunks: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > mostBytes) throw notAList(name, "a workbook of more than 128 MiB", "save the sheet as CSV UTF-8");
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** An old workbook and a protected new one are both in Microsoft's compound file. */
function oldOrProtected(bytes: Buffer, name: string): SmsError {
  if (bytes.includes(Buffer.from("EncryptedPackage", "utf16le"))) return protectedWorkbook(name);
  return notAList(name, "an Excel workbook of before 2007 (.xls)", "save it as .xlsx or CSV UTF-8, and give that file");
}

function protectedWorkbook(name: string): SmsError {
  return notAList(name, "protected by a password", "open it in a spreadsheet, and save it without the password");
}
