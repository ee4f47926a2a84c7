import { nameOf, type NonGsm7Character, type Replacement } from "../core/look-alikes.ts";
import type { Preview } from "../core/preview.ts";
import { fitted, shownCharacter } from "./cells.ts";
import { equalText } from "./look-alikes.ts";
import { pictureOf } from "./picture.ts";
import type { Page, View } from "./presenter.ts";
import { estimateText, type KnownPrice, plural } from "./text.ts";

/** A person sees at most this many places of a character, and this many characters; JSON has them all. */
const mostPlaces = 5;
const mostKinds = 12;

/** Shows the segments of a message and what raises their number. `gsm7` is what `--gsm7` replaced, if it was given. */
export function previewView(
  preview: Preview,
  price: KnownPrice | undefined,
  gsm7: { readonly text: string; readonly replaced: readonly Replacement[] } | undefined,
): View {
  return {
    json: () => ({ ...previewJson(preview, price), ...gsm7 }),
    quiet: () => [String(preview.segments)],
    text: (page) => previewText(preview, price, page),
  };
}

function previewText(preview: Preview, price: KnownPrice | undefined, page: Page): string {
  const { encoding, units, segments, unitsLeft, parts } = preview;
  const unit = encoding === "GSM-7" ? "septet" : "unit";
  const head = [
    encoding,
    plural(units, unit),
    plural(segments, "segment"),
    `${plural(unitsLeft, unit)} left`,
    estimateText(segments, price),
  ];
  return `${fitted(page, head.join(", "), 0)}\n\n${pictureOf(parts, page)}${nonGsm7Text(preview, page)}`;
}

/** The names are those of docs/scripting.md. */
function previewJson(
  { encoding, units, segments, unitsLeft, parts, nonGsm7, extraSegments, gsm7 }: Preview,
  price: KnownPrice | undefined,
) {
  return {
    encoding,
    units,
    segments,
    unitsLeft,
    parts,
    nonGsm7,
    extraSegments,
    gsm7: gsm7 === null ? null : { text: gsm7.text, segments: gsm7.segments },
    totalCredits: segments,
    kesPerCredit: price?.kesPerCredit ?? null,
    priceAgeDays: price?.ageDays ?? null,
  };
}

function nonGsm7Text({ nonGsm7, extraSegments, gsm7, segments }: Preview, page: Page): string {
  if (nonGsm7.length === 0) return "";
  const kinds = new Map<string, NonGsm7Character[]>();
  for (const found of nonGsm7) kinds.set(found.character, [...(kinds.get(found.character) ?? []), found]);
  const what = `${plural(kinds.size, "character")} that GSM-7 does not have`;
  const cost = extraSegments > 0 ? `, which cost ${plural(extraSegments, "segment")} more` : "";
  const lines = [...kinds.values()].slice(0, mostKinds).map((places) => `${fitted(page, kindText(places), 2, 5)}\n`);
  if (kinds.size > mostKinds) lines.push(`  and ${kinds.size - mostKinds} more\n`);
  return `\n${page.paint.doubtful(fitted(page, `${what}${cost}:`, 0))}\n${lines.join("")}${adviceText(gsm7, segments)}`;
}

function kindText(places: readonly NonGsm7Character[]): string {
  const [first] = places;
  if (first === undefined) return "";
  const { character, codePoint, gsm7 } = first;
  const named = places.slice(0, mostPlaces).map(({ line, column }) => `${line}:${column}`);
  const more = places.length > mostPlaces ? ` and ${places.length - mostPlaces} more` : "";
  const name = nameOf(character);
  const equal = gsm7 === null ? "" : `, --gsm7 makes it ${equalText(gsm7)}`;
  return `${shownCharacter(character)}  ${codePoint}${name === undefined ? "" : ` ${name}`} at ${named.join(", ")}${more}${equal}`;
}

function adviceText(gsm7: Preview["gsm7"], segments: number): string {
  if (gsm7 === null) return "";
  const saved = segments - gsm7.segments;
  return saved > 0 ? `\nWith --gsm7: ${plural(gsm7.segments, "segment")}, ${saved} fewer.\n` : "";
}
