import { type DearCharacter, dearCharacters, dearCost, type Replacement, cheapened } from "./look-alikes.ts";
import { countSegments, type Segmentation, segment } from "./segments.ts";

/** All that is known of a text before it is sent. */
export interface Preview extends Segmentation {
  readonly dear: readonly DearCharacter[];
  /** Segments that the dear characters together add. */
  readonly dearSegments: number;
  /** The text with its look-alikes replaced; null where none can be replaced without loss. */
  readonly gsm7: Gsm7Text | null;
}

/** A text with its look-alikes as their GSM-7 equals. */
interface Gsm7Text {
  readonly text: string;
  readonly segments: number;
  readonly replaced: readonly Replacement[];
}

/** Looks at a text as the network and the bill will. */
export function previewOf(text: string): Preview {
  const { text: cheaper, replaced } = cheapened(text);
  return {
    ...segment(text),
    dear: dearCharacters(text),
    dearSegments: dearCost(text),
    gsm7:
      replaced.length === 0 ? null : { text: cheaper, segments: countSegments(cheaper).segments, replaced },
  };
}
