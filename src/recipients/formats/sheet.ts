import type { TableRecord } from "../table.ts";

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** The columns that it hides and that have had a value, by index; complete once its records were read. */
  readonly hiddenColumns: ReadonlySet<number>;
  readonly records: AsyncGenerator<readonly TableRecord[]>;
}

/** An element of XML. Names of elements are without their prefix, names of attributes are not. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: (string | Element)[];
}

/**
 * Yields the elements of these names in a file of the workbook, in order and many at a time; undefined if there is no such file.
 * An element of `heads` is yielded as it begins, without its content.
 */
export type ReadPart = (
  part: string,
  names: readonly string[],
  heads?: readonly string[],
) => AsyncGenerator<readonly Element[]> | undefined;

export type ReadTail = (part: string, name: string) => Promise<string>;

export async function allOf(batches: ReturnType<ReadPart>): Promise<readonly Element[]> {
  const all: Element[] = [];
  for await (const batch of batches ?? []) all.push(...batch);
  return all;
}

export function elementsIn({ content }: Element): readonly Element[] {
  return content.filter((item) => typeof item !== "string");
}

export function tooLarge(): Error {
  return new Error("it unpacks to more than a spreadsheet can hold");
}

/** What all sheets are at most, by the programs that write them. */
export const mostRows = 1_048_576;
export const mostColumns = 16_384;

export interface Value {
  readonly text: string;
  readonly fault?: string;
}

export function numberValue(number: number, text: string): Value {
  if (Math.abs(number) < 1e15) return { text };
  return { text, fault: "it has more than 15 digits, which the workbook has rounded: make it text" };
}

/** Returns a number as people write it: without an exponent, and without what binary fractions add after 15 digits. */
export function numberText(number: number): string {
  const text = String(Number(number.toPrecision(15)));
  return text.includes("e") ? number.toFixed(15).replace(/\.?0+$/, "") : text;
}

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
