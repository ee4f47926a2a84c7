import { crc32, deflateRawSync } from "node:zlib";

/** A zip archive of these files, as the programs that write workbooks make it. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(crc32(bytes), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(bytes.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), head, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000"), head, rest, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, entries, Buffer.from("PK\u0005\u0006"), end]);
}

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

interface XlsxSheet {
  readonly name?: string;
  readonly state?: string;
  /** What is in its `sheetData`. */
  readonly rows: string;
  /** What is in its `cols`. */
  readonly columns?: string;
  /** Ranges of merged cells, as in A2:A3. */
  readonly merged?: readonly string[];
}

interface XlsxParts {
  readonly strings?: string;
  readonly properties?: string;
  readonly calculation?: string;
  /** Codes of number formats, or numbers of those that need no code, of the styles from 5 on. */
  readonly formats?: readonly (string | number)[];
  readonly others?: Readonly<Record<string, string>>;
}

/** An Excel workbook of these sheets. Styles 1 to 4: a day, a day with its time, a time, a duration. */
export function xlsxOf(sheets: readonly XlsxSheet[], parts: XlsxParts = {}): Buffer {
  const { strings = "", properties = "", calculation = "", formats = [], others = {} } = parts;
  const named = sheets.map(
    ({ name = "Sheet1", state = "visible" }, index) =>
      `<sheet name="${name}" sheetId="${index + 1}" state="${state}" r:id="rId${index + 1}"/>`,
  );
  const targets = sheets.map(
    (_, index) =>
      `<Relationship Id="rId${index + 1}" Type="${relations}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  const pages = sheets.map(({ rows, columns = "", merged = [] }, index) => [
    `xl/worksheets/sheet${index + 1}.xml`,
    `<?xml version="1.0"?><worksheet><cols>${columns}</cols><sheetData>${rows}</sheetData>${mergedCells(merged)}</worksheet>`,
  ]);
  const codes = formats.map((code, index) =>
    typeof code === "number" ? "" : `<numFmt numFmtId="${200 + index}" formatCode="${escaped(code)}"/>`,
  );
  const styles = formats.map((code, index) => `<xf numFmtId="${typeof code === "number" ? code : 200 + index}"/>`);
  return zipOf({
    "_rels/.rels": `<Relationships><Relationship Id="r" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ...Object.fromEntries(pages),
    "xl/workbook.xml": `<workbook xmlns:r="${relations}"><workbookPr ${properties}/><sheets>${named.join("")}</sheets><calcPr ${calculation}/></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${targets.join("")}</Relationships>`,
    "xl/styles.xml":
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd&quot; um &quot;hh:mm"/><numFmt numFmtId="165" formatCode="[h]:mm"/>' +
      `${codes.join("")}</numFmts>` +
      '<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>' +
      '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="21"/><xf numFmtId="165"/>' +
      `${styles.join("")}</cellXfs></styleSheet>`,
    ...(strings !== "" && { "xl/sharedStrings.xml": `<sst>${strings}</sst>` }),
    ...others,
  });
}

function mergedCells(ranges: readonly string[]): string {
  if (ranges.length === 0) return "";
  return `<mergeCells count="${ranges.length}">${ranges.map((ref) => `<mergeCell ref="${ref}"/>`).join("")}</mergeCells>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** A row of texts, from its first cell on. */
export function rowOf(line: number, ...texts: readonly string[]): string {
  const cells = texts.map((text) => (text === "" ? "<c/>" : `<c t="inlineStr"><is><t>${text}</t></is></c>`));
  return `<row r="${line}">${cells.join("")}</row>`;
}
