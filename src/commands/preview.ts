import { encodingOf } from "../message/segments.ts";
import { toGsm7, equalText, replacementText } from "../message/look-alikes.ts";
import { type NonGsm7Character, type Preview, previewOf } from "../message/preview.ts";
import { requireText } from "../message/text.ts";
import { fitted, shownCharacter, wrapped } from "../terminal/layout.ts";
import { plural } from "../words/count.ts";
import { estimateText, type KnownPrice } from "../terminal/text.ts";
import type { Page, View, Context, GlobalOptions, Perform } from "../terminal/context.ts";
import { newCommand, withOptions } from "./shared/options.ts";
import { readText } from "../terminal/input.ts";
import { SmsError } from "../errors.ts";
import type { Host } from "../host.ts";
import { profileInUse, locate } from "../profiles/resolve.ts";
import { standingOf } from "../sending/destination.ts";
import type { OptionsReadBy } from "../sending/options.ts";
import { sharedRecord } from "../profiles/record.ts";

export function previewCommand(perform: Perform) {
  return withOptions(describedPreview(), "preview").action((_, command) => perform(command, showPreview));
}

function describedPreview() {
  return newCommand("preview", {
    endsWith: "done",
    description:
      "Show the segments of a message, the characters that force Unicode, and what --gsm7 would save. Nothing is sent, and no network is used. --quiet prints only the number of segments.",
    uses: ["profile", "json", "quiet"],
    examples: [
      'sms preview --message "It’s ready"',
      "sms preview --message-file note.txt --gsm7",
      'test "$(sms preview --quiet < note.txt)" -le 2',
    ],
    notes: "The text comes from --message, --message-file or piped standard input.",
  });
}

async function showPreview(flags: GlobalOptions & OptionsReadBy<"preview">, context: Context): Promise<void> {
  const { host, presenter } = context;
  const original = requireText(await readText(flags, context));
  const { text, replacements } = flags.gsm7 ? toGsm7(original) : { text: original, replacements: [] };
  if (replacements.length > 0) presenter.warn(replacementText(replacements));
  const price = await currentPrice(host, flags.profile);
  presenter.show(previewView(previewOf(requireText(text)), price));
}

/** A person sees at most this many places of a character, and this many characters; JSON has them all. */
const mostPlaces = 5;
const mostKinds = 12;

function previewView(preview: Preview, price: KnownPrice | undefined): View {
  return {
    json: () => ({
      ...preview,
      kesPerCredit: price?.kesPerCredit ?? null,
    }),
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

function nonGsm7Text({ nonGsm7, extraSegments, gsm7, segments }: Preview, page: Page): string {
  if (nonGsm7.length === 0) return "";
  const kinds = new Map<string, NonGsm7Character[]>();
  for (const place of nonGsm7) kinds.set(place.character, [...(kinds.get(place.character) ?? []), place]);
  const what = `${plural(kinds.size, "character")} that GSM-7 does not have`;
  const cost = extraSegments > 0 ? `, which cost ${plural(extraSegments, "segment")} more` : "";
  const lines = [...kinds.values()].slice(0, mostKinds).map((places) => `${fitted(page, kindText(places), [2, 5])}\n`);
  if (kinds.size > mostKinds) lines.push(`  and ${kinds.size - mostKinds} more\n`);
  return `\n${page.paint.doubtful(fitted(page, `${what}${cost}:`, 0))}\n${lines.join("")}${adviceText(gsm7, segments)}`;
}

function kindText(places: readonly NonGsm7Character[]): string {
  const [first] = places;
  if (first === undefined) return "";
  const { character, codePoint, gsm7 } = first;
  const positions = places.slice(0, mostPlaces).map(({ line, column }) => `${line}:${column}`);
  const more = places.length > mostPlaces ? ` and ${places.length - mostPlaces} more` : "";
  const equal = gsm7 === null ? "" : `, --gsm7 makes it ${equalText(gsm7)}`;
  return `${shownCharacter(character)}  ${codePoint} at ${positions.join(", ")}${more}${equal}`;
}

function adviceText(gsm7: Preview["gsm7"], segments: number): string {
  if (gsm7 === null || gsm7.segments >= segments) return "";
  return `\nWith --gsm7: ${plural(gsm7.segments, "segment")}, ${segments - gsm7.segments} fewer.\n`;
}

function pictureOf(parts: readonly string[], { columns, paint }: Page): string {
  const gutter = String(parts.length).length;
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  const painted = (character: string) =>
    encodingOf(character) === "UCS-2" ? paint.doubtful(shownCharacter(character)) : shownCharacter(character);
  const lines = parts.flatMap((part, index) => {
    const text = Array.from(segmenter.segment(part), ({ segment }) => painted(segment)).join("");
    const numbered = (row: string, at: number) =>
      `  ${(at === 0 ? String(index + 1) : "").padStart(gutter)} ${paint.faint("│")} ${row}\n`;
    return wrapped(text.replace(/\n$/, ""), columns - gutter - 5).map(numbered);
  });
  return lines.join("");
}

/** The price for what the next send would use. Throws for a named profile that does not exist. */
async function currentPrice(host: Host, name: string | undefined): Promise<KnownPrice | undefined> {
  const isNamed = name !== undefined || Boolean(host.environment["SMS_PROFILE"]);
  try {
    const profile = profileInUse(host, name);
    // A preview uses no network.
    if (sharedRecord(host, profile) !== undefined) return undefined;
    const { address, credentials } = await locate(host, profile);
    // A preview runs no key command.
    return credentials && (await standingOf({ address, credentials }, host, profile)).price;
  } catch (error) {
    const matters = ["INTERRUPTED", ...(isNamed ? ["UNKNOWN_PROFILE"] : [])];
    if (error instanceof SmsError && !matters.includes(error.errorCode)) return undefined;
    throw error;
  }
}
