import { equalsIn, type FindEqual, isNonGsm7, rewrite, toGsm7 } from "./look-alikes.ts";
import { codePointOf, countSegments, segment, type Segmentation } from "./segments.ts";

export interface NonGsm7Character {
  readonly character: string;
  readonly codePoint: string;
  readonly line: number;
  readonly column: number;
  /** Empty if the character shows nothing; null if GSM-7 has no equal. */
  readonly gsm7: string | null;
}

export interface Preview extends Segmentation {
  readonly nonGsm7: readonly NonGsm7Character[];
  /** If several characters force UCS-2, removing one of them saves nothing. */
  readonly extraSegments: number;
  readonly gsm7: { readonly text: string; readonly segments: number } | null;
}

export function previewOf(text: string): Preview {
  const equalIn = equalsIn(text);
  const segmentation = segment(text);
  const shortest = rewrite(text, (character) => equalIn(character) ?? "x");
  const { text: gsm7Text, replacements } = toGsm7(text);
  return {
    ...segmentation,
    nonGsm7: text.split("\n").flatMap((line, index) => nonGsm7In(line, index + 1, equalIn)),
    extraSegments: segmentation.segments - countSegments(shortest).segments,
    gsm7: replacements.length === 0 ? null : { text: gsm7Text, segments: countSegments(gsm7Text).segments },
  };
}

function nonGsm7In(text: string, line: number, equalIn: FindEqual): readonly NonGsm7Character[] {
  return Array.from(text).flatMap((character, index) => {
    if (!isNonGsm7(character)) return [];
    const gsm7 = equalIn(character) ?? null;
    return [{ character, codePoint: codePointOf(character), line, column: index + 1, gsm7 }];
  });
}
