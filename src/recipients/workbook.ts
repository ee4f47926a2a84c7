import { crc32 } from "node:zlib";
import { Parser } from "saxen";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { SmsError, usageError } from "../errors.ts";
import { notAList, spreadsheet } from "./format.ts";
import { readOds } from "./ods.ts";
import { quoted } from "./row.ts";
import type { Source } from "./source.ts";
import { decoded, type ReadPart, type Sheet, tooLarge, type XmlHandlers } from "./sheet.ts";
import type { ListFacts } from "./notes.ts";
import type { Table } from "./table.ts";
import { readXlsx } from "./xlsx.ts";

// More than any spreadsheet writes for its 1,048,576 rows of a few columns; what is over is a bomb, or no list.
const mostBytes = 128 * 1024 * 1024;
const mostUnpacked = 1024 * 1024 * 1024;
const mostToken = 1024 * 1024;
// Spreadsheets pack to a tenth or a fiftieth.
const mostPacked = 250;
const mostDepth = 1000;

/** Yields the sheets of a workbook. Throws for one that is protected, broken or too large. */
export async function* readWorkbook(
  { name, chunks }: Source,
  wanted: string | undefined,
  facts: ListFacts,
): AsyncGenerator<Table> {
  const bytes = await gathered(chunks, name);
  if (bytes[0] === 0xd0) throw oldOrProtected(bytes, name);
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, autoClose: false });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
    const sheetNames: string[] = [];
    for await (const sheet of sheetsIn(zip, entries, name)) {
      sheetNames.push(sheet.name);
      if (wanted === undefined ? sheet.isHidden : wanted !== sheet.name) {
        if (wanted === undefined) facts.passed.push(`the hidden sheet ${quoted(sheet.name)}`);
        continue;
      }
      yield { name, sheet: sheet.name, records: withBatchesNamed(sheet.records, name) };
      facts.hiddenRows += facts.sheet === sheet.name ? sheet.hiddenRows() : 0;
    }
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

function sheetsIn(zip: ZipFile, entries: ReadonlyMap<string, Entry>, name: string): AsyncGenerator<Sheet> {
  const readPart: ReadPart = (part, handlers) => {
    const entry = entries.get(part.toLowerCase());
    return entry === undefined ? undefined : parsed(zip, entry, handlers);
  };
  if ([...entries.values()].some((entry) => entry.isEncrypted()) || entries.has("encrypted-package")) {
    throw protectedWorkbook(name);
  }
  if (entries.has("content.xml")) return readOds(readPart, () => protectedWorkbook(name));
  if (entries.has("xl/workbook.bin")) throw notAList(name, "a binary workbook (.xlsb)", spreadsheet);
  if (entries.has("xl/workbook.xml") || entries.has("_rels/.rels")) {
    return readXlsx(readPart, () => notAList(name, "not a list of recipients", spreadsheet));
  }
  throw notAList(name, "not a list of recipients", spreadsheet);
}

/** Parses a file of a workbook, and checks that it is as it was written. */
async function* parsed(zip: ZipFile, entry: Entry, handlers: XmlHandlers): AsyncGenerator<void> {
  const { compressedSize, uncompressedSize } = entry;
  const isBomb = uncompressedSize > mostUnpacked / 64 && uncompressedSize > mostPacked * compressedSize;
  if (isBomb || uncompressedSize > mostUnpacked) throw tooLarge();
  const stream = await zip.openReadStreamPromise(entry);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let checksum = 0;
  let sinceToken = 0;
  let depth = 0;
  let fault: Error | undefined;
  const parser = new Parser();
  const guard = (handle: () => void) => {
    sinceToken = 0;
    if (fault !== undefined) return;
    try {
      handle();
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error));
    }
  };
  parser.on("openTag", (name, attributes) =>
    guard(() => {
      if (++depth > mostDepth) throw tooLarge();
      handlers.open(withoutPrefix(name), attributes);
    }),
  );
  parser.on("closeTag", (name) =>
    guard(() => {
      depth--;
      handlers.close(withoutPrefix(name));
    }),
  );
  parser.on("text", (text) => guard(() => handlers.text?.(decoded(text))));
  parser.on("cdata", (text) => guard(() => handlers.text?.(text)));
  // A document type may define entities that grow without end; no spreadsheet writes one.
  parser.on("attention", () => (fault ??= new Error("it has a document type")));
  parser.on("error", (error) => (fault ??= error));
  try {
    for await (const chunk of stream) {
      checksum = crc32(chunk, checksum);
      const text = decoder.decode(chunk, { stream: true });
      sinceToken += text.length;
      parser.write(text);
      if (fault !== undefined) throw fault;
      if (sinceToken > mostToken) throw new Error("it has a text of more than a million characters");
      yield;
    }
    parser.end();
    if (fault !== undefined) throw fault;
    if (checksum !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} is wrong`);
    yield;
  } finally {
    stream.destroy();
  }
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(":") + 1);
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
