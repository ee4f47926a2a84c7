import type { TableRecord } from "../table.ts";

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** The hidden columns are complete once the records of the sheet were read. */
  readonly hiddenColumns: ReadonlySet<number>;
  readonly records: AsyncGenerator<readonly TableRecord[]>;
}

/** Names of elements are without their prefix, names of attributes are not. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: (string | Element)[];
}

/** Undefined if there is no such file. An element of `heads` comes as it begins, without its content. */
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

/** The programs that write sheets allow no more. */
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

/** Binary fractions add digits after the first 15. */
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

/** saxen replaces no character reference beyond U+FFFF. */
export function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
