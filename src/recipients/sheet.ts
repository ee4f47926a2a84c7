import type { TableRecord } from "./table.ts";

/** A sheet that can be read once, before the next one. */
export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Hidden ones too, which `hiddenRows` counts. */
  readonly records: AsyncGenerator<readonly TableRecord[]>;
  readonly hiddenRows: () => number;
}

/** Reads a file of the workbook; undefined if it has none of that name. Each step of the generator has read more of it. */
export type ReadPart = (name: string, handlers: XmlHandlers) => AsyncGenerator<void> | undefined;

/** What happens in an XML document; names are without their prefix. */
export interface XmlHandlers {
  readonly open: (name: string, attributes: () => Readonly<Record<string, string>>) => void;
  readonly close: (name: string) => void;
  readonly text?: (text: string) => void;
}

export function tooLarge(): Error {
  return new Error("it unpacks to more than a spreadsheet can hold");
}

/** What all sheets are at most, by the programs that write them. */
export const mostRows = 1_048_576;
export const mostColumns = 16_384;

export function numberFault(number: number): string | undefined {
  return Math.abs(number) >= 1e15
    ? "it has more than 15 digits, which the workbook has rounded: make it text"
    : undefined;
}

/** Returns a number as people write it: without an exponent, and without what binary fractions add after 15 digits. */
export function numberText(number: number): string {
  const text = String(Number(number.toPrecision(15)));
  return text.includes("e") ? number.toFixed(15).replace(/\.?0+$/, "") : text;
}

/** Returns the time of a day, or a duration: then of as many hours as it has. */
export function clock(seconds: number): string {
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Returns a text with its character references replaced. saxen replaces none beyond U+FFFF. */
export function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
