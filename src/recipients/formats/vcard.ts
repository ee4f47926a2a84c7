import { type Country, readListedNumber } from "../../message/number.ts";
import { withoutZeroWidth } from "../../message/text.ts";
import type { Columns } from "../columns.ts";
import { isFaxOrPager } from "../number-words.ts";
import type { Row, RowBatches, RowFault } from "../row.ts";
import { type Block, type Line, linesOf } from "./lines.ts";

/** The columns that a card fills. */
export const cardColumns: Columns = {
  names: ["to", "name"],
  keys: ["to", "name"],
  ownNames: new Map([["name", "name"]]),
  to: 0,
  name: "to",
  others: [],
  kinds: new Map(),
  unseen: new Map(),
  besides: [],
  by: "name",
};

/** The text is the value. A program of Apple labels a property by its group. */
interface Property extends Line {
  readonly name: string;
  readonly kind: string;
  readonly group: string;
}

interface Card {
  readonly line: number;
  readonly properties: Property[];
}

/** Reads vCards 2.1, 3.0 and 4.0 (RFC 6350). Yields a row a card. */
export async function* readCards(blocks: AsyncIterable<Block>, country: Country | undefined): RowBatches {
  let open: Line | undefined;
  let card: Card | undefined;
  const rows: (Row | RowFault)[] = [];
  const finish = () => {
    const property = propertyOf(open);
    const { name, line } = property;
    if (name === "BEGIN" || (name === "END" && card !== undefined)) {
      if (card !== undefined) rows.push(name === "END" ? rowOfCard(card, country) : endless(card));
      card = name === "BEGIN" ? { line, properties: [] } : undefined;
    } else card?.properties.push(property);
  };
  for await (const block of blocks) {
    for (const { line, text } of linesOf(block)) {
      if (open !== undefined && /^[ \t]/.test(text)) open = { ...open, text: open.text + text.slice(1) };
      else if (open !== undefined && isOpen(open.text)) open = { ...open, text: open.text.slice(0, -1) + text };
      else {
        finish();
        open = { line, text };
      }
    }
    yield rows.splice(0);
  }
  finish();
  if (card !== undefined) rows.push(endless(card));
  yield rows;
}

/** Lines of quoted-printable end in = if the next one continues them. */
function isOpen(text: string): boolean {
  return text.endsWith("=") && /^[^:]*quoted-printable/i.test(text);
}

const propertyPattern = /^(?:([\w-]+)\.)?([\w-]+)((?:;(?:"[^"]*"|[^":;])*)*):(.*)$/s;

function propertyOf({ line, text }: Line = { line: 0, text: "" }): Property {
  const [, group = "", name = "", kind = "", raw = ""] = propertyPattern.exec(text.trim()) ?? [];
  const value = /quoted-printable/i.test(kind) ? printable(raw, kind) : raw;
  return { line, group, name: name.toUpperCase(), kind, text: value };
}

function printable(text: string, kind: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const charset = /charset=("?)([\w-]+)\1/i.exec(kind)?.[2] ?? "utf-8";
  return new TextDecoder(charset).decode(Buffer.from(bytes, "latin1"));
}

function unescaped(text: string): string {
  return text.replace(/\\([nN,;:\\])/g, (_, mark: string) => (mark.toLowerCase() === "n" ? " " : mark));
}

function givenFirst(value: string): string {
  const [family = "", first = ""] = value.split(/(?<!\\);/).map((part) => unescaped(part).trim());
  return `${first} ${family}`.trim();
}

function rowOfCard({ line, properties }: Card, country: Country | undefined): Row {
  const all = (name: string) => properties.filter((property) => property.name === name);
  const labels = new Map(all("X-ABLABEL").map(({ group, text }) => [group, text.replace(/^_\$!<|>!\$_$/g, "")]));
  const kindOf = ({ kind, group }: Property) =>
    `${kind};${(labels.get(group) ?? "").replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")}`;
  const telephones = all("TEL").map((property) => {
    const number = withoutZeroWidth(property.text).replace(/^tel:|;.*$/gi, "");
    return { ...property, text: number.trim() };
  });
  const able = telephones.filter((telephone) => telephone.text !== "" && !isFaxOrPager(kindOf(telephone)));
  const mobiles = able.filter((telephone) => /(?:^|[^a-z])(?:cell|iphone|mobile)(?![a-z])/i.test(kindOf(telephone)));
  const choice = mobiles.length > 0 ? mobiles : able;
  const numbers = choice.map((telephone) => numberOf(telephone, country));
  const different = choice.filter((_, index) => numbers.indexOf(numbers[index] ?? "") === index);
  const [first] = different;
  const to = different.map(({ text }) => text).join(" / ");
  const fullName = unescaped(all("FN")[0]?.text ?? "").trim();
  const fields = { to, name: fullName || givenFirst(all("N")[0]?.text ?? "") };
  return { kind: "row", line: first?.line ?? line, to, fields, cells: Object.values(fields) };
}

function numberOf({ text }: Property, country: Country | undefined): string {
  const number = readListedNumber(text, country);
  return number.kind === "number" ? number.e164 : text;
}

function endless({ line }: Card): RowFault {
  return { kind: "fault", line, sentence: "its card has no END:VCARD", hint: "export the contact again" };
}
