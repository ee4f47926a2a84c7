import { codePointOf, countSegments, encodingOf, segment, type Segmentation } from "./segments.ts";

export interface NonGsm7Character {
  readonly character: string;
  readonly codePoint: string;
  readonly line: number;
  readonly column: number;
  /** Its GSM-7 equal, empty if it shows nothing; null if it has none. */
  readonly gsm7: string | null;
}

export interface Replacement {
  readonly character: string;
  readonly codePoint: string;
  readonly gsm7: string;
  readonly count: number;
}

/**
 * The look-alikes of each text of GSM-7: punctuation and spaces that a reader takes for it. Replacing others loses something:
 * the grave accent (in a command it is no quote), bullets, × and fractions, and what joins letters and emoji (ZWJ, ZWNJ).
 */
const lookAlikes: Readonly<Record<string, string>> = {
  "'": "\u2018\u2019\u201A\u201B\u2032\u00B4",
  '"': "\u201C\u201D\u201E\u201F\u2033",
  "<": "\u2039",
  ">": "\u203A",
  "<<": "\u00AB",
  ">>": "\u00BB",
  "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
  "..": "\u2025",
  "...": "\u2026",
  " ": "\t\u00A0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F",
  "\n": "\u2028\u2029",
  "": "\u00AD\u200B\u2060\uFEFF",
};

const equals: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([gsm7, all]) => Array.from(all, (character) => [character, gsm7] as const)),
);

function nonGsm7Characters(text: string): readonly NonGsm7Character[] {
  const found: NonGsm7Character[] = [];
  let line = 1;
  let column = 1;
  for (const character of text) {
    if (isNonGsm7(character)) {
      const gsm7 = equals.get(character) ?? null;
      found.push({ character, codePoint: codePointOf(character), line, column, gsm7 });
    }
    if (character === "\n") {
      line++;
      column = 1;
    } else column++;
  }
  return found;
}

/** Replaces each look-alike by its GSM-7 equal. `replaced` is in order of first occurrence. */
export function replaceLookAlikes(text: string): {
  readonly text: string;
  readonly replaced: readonly Replacement[];
} {
  const counts = new Map<string, number>();
  const replacedText = rewrite(text, (character) => {
    const gsm7 = equals.get(character);
    if (gsm7 === undefined) return character;
    counts.set(character, (counts.get(character) ?? 0) + 1);
    return gsm7;
  });
  const replaced = [...counts].map(([character, count]) => ({
    character,
    codePoint: codePointOf(character),
    gsm7: equals.get(character) ?? character,
    count,
  }));
  return { text: replacedText, replaced };
}

/** Applies `--gsm7`: replaces look-alikes, unless that needs more segments, as `...` for many `…` may. */
export function toGsm7(text: string): ReturnType<typeof replaceLookAlikes> {
  const replacement = replaceLookAlikes(text);
  const isLonger = countSegments(replacement.text).segments > countSegments(text).segments;
  return isLonger ? { text, replaced: [] } : replacement;
}

/** Returns a character, or its code point if it shows nothing. */
export function characterText(character: string): string {
  // Not a literal: V8 builds the Unicode tables of every literal at start.
  return new RegExp("[\\p{Z}\\p{C}]", "u").test(character) ? codePointOf(character) : character;
}

export function replacementText(replaced: readonly Replacement[]): string {
  const each = replaced.map(({ character, gsm7 }) => `${characterText(character)} by ${equalText(gsm7)}`);
  return `replaced for GSM-7: ${each.join(", ")}`;
}

export function equalText(gsm7: string): string {
  if (gsm7 === "") return "nothing";
  if (gsm7 === " ") return "a space";
  return gsm7 === "\n" ? "a line end" : gsm7;
}

function rewrite(text: string, replace: (character: string) => string): string {
  if (encodingOf(text) === "GSM-7") return text;
  let rewritten = "";
  for (const character of text) rewritten += isNonGsm7(character) ? replace(character) : character;
  return rewritten;
}

function isNonGsm7(character: string): boolean {
  return encodingOf(character) === "UCS-2";
}

export interface Preview extends Segmentation {
  readonly nonGsm7: readonly NonGsm7Character[];
  /** Segments that they add together: where several force UCS-2, removing one of them saves nothing. */
  readonly extraSegments: number;
  readonly gsm7: {
    readonly text: string;
    readonly segments: number;
    readonly replaced: readonly Replacement[];
  } | null;
}

export function previewOf(text: string): Preview {
  const { text: gsm7Text, replaced } = toGsm7(text);
  const cut = segment(text);
  // A character without an equal would be one septet.
  const shortest = rewrite(text, (character) => equals.get(character) ?? "x");
  return {
    ...cut,
    nonGsm7: nonGsm7Characters(text),
    extraSegments: cut.segments - countSegments(shortest).segments,
    gsm7: replaced.length === 0 ? null : { text: gsm7Text, segments: countSegments(gsm7Text).segments, replaced },
  };
}
