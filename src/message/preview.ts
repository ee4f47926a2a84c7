import { extraSegments, type NonGsm7Character, nonGsm7Characters, type Replacement, toGsm7 } from "./look-alikes.ts";
import { countSegments, type Segmentation, segment } from "./segments.ts";

/** How a text will be encoded and cut into segments, and what raises their number. */
export interface Preview extends Segmentation {
  readonly nonGsm7: readonly NonGsm7Character[];
  /** Segments that the non-GSM-7 characters add together. */
  readonly extraSegments: number;
  /** What `--gsm7` would send; null if it would replace nothing. */
  readonly gsm7: Gsm7Text | null;
}

/** A text after `--gsm7`. */
interface Gsm7Text {
  readonly text: string;
  readonly segments: number;
  readonly replaced: readonly Replacement[];
}

/** Returns the preview of a text. */
export function previewOf(text: string): Preview {
  const { text: gsm7Text, replaced } = toGsm7(text);
  return {
    ...segment(text),
    nonGsm7: nonGsm7Characters(text),
    extraSegments: extraSegments(text),
    gsm7: replaced.length === 0 ? null : { text: gsm7Text, segments: countSegments(gsm7Text).segments, replaced },
  };
}
