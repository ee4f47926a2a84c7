import { equalsIn, isNonGsm7, type Replacement, rewrite, toGsm7 } from "./look-alikes.ts";
import { codePointOf, countSegments, segment, type Segmentation } from "./segments.ts";

export interface NonGsm7Character {
  readonly character: string;
  readonly codePoint: string;
  readonly line: number;
  readonly column: number;
  /** Empty if the character shows nothing; null if GSM-7 has no equal. */
  readonly gsm7: string | null;
}

function nonGsm7Characters(text: string): readonly NonGsm7Character[] {
  const equalIn = equalsIn(text);
  const found: NonGsm7Character[] = [];
  let line = 1;
  let column = 1;
  for (const character of text) {
    if (isNonGsm7(character)) {
      const gsm7 = equalIn(character) ?? null;
      found.push({ character, codePoint: codePointOf(character), line, column, gsm7 });
    }
    if (character === "\n") {
      line++;
      column = 1;
    } else column++;
  }
  return found;
}

export interface Preview extends Segmentation {
  readonly nonGsm7: readonly NonGsm7Character[];
  /** If several characters force UCS-2, removing one of them saves nothing. */
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
  const equalIn = equalsIn(text);
  const shortest = rewrite(text, (character) => equalIn(character) ?? "x");
  return {
    ...cut,
    nonGsm7: nonGsm7Characters(text),
    extraSegments: cut.segments - countSegments(shortest).segments,
    gsm7: replaced.length === 0 ? null : { text: gsm7Text, segments: countSegments(gsm7Text).segments, replaced },
  };
}
