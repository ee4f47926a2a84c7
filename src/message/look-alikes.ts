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
 * Look-alike, GSM-7 equal, name: punctuation and spaces that a reader takes for their equal. Replacing others loses something:
 * the grave accent (in a command it is no quote), bullets, × and fractions, and what joins letters and emoji (ZWJ, ZWNJ).
 */
const table: readonly (readonly [character: string, gsm7: string, name: string])[] = [
  ["\u2018", "'", "left single quotation mark"],
  ["\u2019", "'", "right single quotation mark"],
  ["\u201A", "'", "single low-9 quotation mark"],
  ["\u201B", "'", "single high-reversed-9 quotation mark"],
  ["\u201C", '"', "left double quotation mark"],
  ["\u201D", '"', "right double quotation mark"],
  ["\u201E", '"', "double low-9 quotation mark"],
  ["\u201F", '"', "double high-reversed-9 quotation mark"],
  ["\u2039", "<", "single left-pointing angle quotation mark"],
  ["\u203A", ">", "single right-pointing angle quotation mark"],
  ["\u00AB", "<<", "left-pointing double angle quotation mark"],
  ["\u00BB", ">>", "right-pointing double angle quotation mark"],
  ["\u2032", "'", "prime"],
  ["\u2033", '"', "double prime"],
  ["\u00B4", "'", "acute accent"],
  ["\u2010", "-", "hyphen"],
  ["\u2011", "-", "non-breaking hyphen"],
  ["\u2012", "-", "figure dash"],
  ["\u2013", "-", "en dash"],
  ["\u2014", "-", "em dash"],
  ["\u2015", "-", "horizontal bar"],
  ["\u2212", "-", "minus sign"],
  ["\u2025", "..", "two dot leader"],
  ["\u2026", "...", "horizontal ellipsis"],
  ["\t", " ", "tab"],
  ["\u00A0", " ", "no-break space"],
  ["\u2000", " ", "en quad"],
  ["\u2001", " ", "em quad"],
  ["\u2002", " ", "en space"],
  ["\u2003", " ", "em space"],
  ["\u2004", " ", "three-per-em space"],
  ["\u2005", " ", "four-per-em space"],
  ["\u2006", " ", "six-per-em space"],
  ["\u2007", " ", "figure space"],
  ["\u2008", " ", "punctuation space"],
  ["\u2009", " ", "thin space"],
  ["\u200A", " ", "hair space"],
  ["\u202F", " ", "narrow no-break space"],
  ["\u205F", " ", "medium mathematical space"],
  ["\u2028", "\n", "line separator"],
  ["\u2029", "\n", "paragraph separator"],
  ["\u00AD", "", "soft hyphen"],
  ["\u200B", "", "zero width space"],
  ["\u2060", "", "word joiner"],
  ["\uFEFF", "", "byte order mark"],
];

const equals: ReadonlyMap<string, string> = new Map(table.map(([character, gsm7]) => [character, gsm7]));

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

/** Returns the Unicode name of a look-alike in lower case; undefined for every other character. */
export function nameOf(character: string): string | undefined {
  return table.find(([known]) => known === character)?.[2];
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
