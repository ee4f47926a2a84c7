import { codePointOf, countSegments, encodingOf } from "./segments.ts";

export interface Replacement {
  readonly character: string;
  readonly codePoint: string;
  readonly gsm7: string;
  readonly count: number;
}

/** Replacing others loses something: 2½ is no 21/2. */
const lookAlikes: Readonly<Record<string, string>> = {
  "'": "`\u2018\u2019\u201A\u201B\u2032\u00B4\u02BB\u02BC\u02BD\u02B9\u02C8\u02CA\u275B\u275C",
  '"': "\u201C\u201D\u201E\u201F\u2033\u02BA\u02EE\u275D\u275E\u301D\u301E",
  "<": "\u2039\uFE64",
  ">": "\u203A\uFE65",
  "<<": "\u00AB",
  ">>": "\u00BB",
  "-": "\u2022\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u23BC\u23BD\uFE58\uFE63",
  _: "\u2017",
  "/": "\u2044\u2215\u29F8",
  "\\": "\u29F5\u29F9\uFE68",
  "|": "\u2223\u23B8\u23B9\u239C\u239F\u23D0",
  "@": "\uFE6B",
  $: "\uFE69",
  "!": "\u01C3\uFE15\uFE57",
  "!!": "\u203C",
  "!?": "\u2049",
  "?": "\uFE16\uFE56",
  "??": "\u2047",
  "?!": "\u2048",
  "#": "\uFE5F",
  "%": "\uFE6A",
  "&": "\uFE60",
  ",": "\u3001\uFE10\uFE11\uFE50\uFE51\uFF64",
  ".": "\u3002\uFE12\uFE52\uFF61",
  ":": "\u02D0\u02F8\u2236\u2982\uA789\uFE13\uFE55",
  ";": "\u204F\uFE14\uFE54",
  "(": "\u2768\u276A\u27EE\u2985\uFE59",
  ")": "\u2769\u276B\u27EF\u2986\uFE5A",
  "{": "\u2774\uFE5B",
  "}": "\u2775\uFE5C",
  "*": "\u204E\u2217\u229B\u2722\u2723\u2724\u2725\u2731\u2732\u2733\u273A\u273B\u273C\u273D\u2743\u2749\u274A\u274B\u29C6\uFE61",
  "+": "\u02D6\uFE62",
  "=": "\uA78A\uFE66",
  "^": "\u02C6",
  "~": "\u02DC\u02F7\u223C",
  "..": "\u2025",
  "...": "\u2026",
  " ": "\t\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000",
  "\n": "\u2028\u2029",
  "": "\u0003\u0004\u0010\u0011\u0012\u0013\u0014\u0017\u0019\u008D\u0090\u009B\u009F\u00AD\u200B\u2060\u2061\u2062\u2063\u2064\uFEFF",
};

const smallCapitals = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ";

/** These join letters and emoji, choose their form or turn the direction, which no GSM-7 text can use. */
const invisible = /[\u061C\u180E\u200C-\u200F\u202A-\u202E\u2065-\u206F]|\u034F|[\uFE00-\uFE0F]/;

const equals: ReadonlyMap<string, string> = new Map([
  ...Object.entries(lookAlikes).flatMap(([gsm7, all]) => Array.from(all, (character) => [character, gsm7] as const)),
  ...Array.from(smallCapitals, (character, index) => [character, "ABCDEFGHIJKLMNOPRSTUVWYZ".charAt(index)] as const),
]);

/** A text of an East Asian script keeps its own punctuation. */
const eastAsian = /[\u3000-\u3002\uFE10-\uFE1F\uFE50-\uFE6F\uFF01-\uFF65]/;

export type FindEqual = (character: string) => string | undefined;

export function equalsIn(text: string): FindEqual {
  const whole: FindEqual = (character) => equalOf(character) ?? (invisible.test(character) ? "" : undefined);
  const isGsm7 = encodingOf(rewrite(text, (character) => whole(character) ?? character)) === "GSM-7";
  return isGsm7 ? whole : (character) => (eastAsian.test(character) ? undefined : equalOf(character));
}

function equalOf(character: string): string | undefined {
  const code = character.charCodeAt(0);
  if (code >= 0xff01 && code <= 0xff5e && code !== 0xff40) return String.fromCharCode(code - 0xfee0);
  return equals.get(character);
}

/** The replacements are in order of first occurrence. */
export function replaceLookAlikes(text: string): {
  readonly text: string;
  readonly replacements: readonly Replacement[];
} {
  const equalIn = equalsIn(text);
  const counts = new Map<string, number>();
  const replacedText = rewrite(text, (character) => {
    const gsm7 = equalIn(character);
    if (gsm7 === undefined) return character;
    counts.set(character, (counts.get(character) ?? 0) + 1);
    return gsm7;
  });
  const replacements = [...counts].map(([character, count]) => ({
    character,
    codePoint: codePointOf(character),
    gsm7: equalIn(character) ?? character,
    count,
  }));
  return { text: replacedText, replacements };
}

/** If the replacement needs more segments, as `...` for many `…` may, then nothing is replaced. */
export function toGsm7(text: string): ReturnType<typeof replaceLookAlikes> {
  const replacement = replaceLookAlikes(text);
  const isLonger = countSegments(replacement.text).segments > countSegments(text).segments;
  return isLonger ? { text, replacements: [] } : replacement;
}

export function characterText(character: string): string {
  // V8 builds the Unicode tables of every literal at start, so this is no literal.
  return new RegExp("[\\p{Z}\\p{C}]", "u").test(character) ? codePointOf(character) : character;
}

export function replacementText(replacements: readonly Replacement[]): string {
  const each = replacements.map(({ character, gsm7 }) => `${characterText(character)} by ${equalText(gsm7)}`);
  return `replaced for GSM-7: ${each.join(", ")}`;
}

export function equalText(gsm7: string): string {
  if (gsm7 === "") return "nothing";
  if (gsm7 === " ") return "a space";
  return gsm7 === "\n" ? "a line end" : gsm7;
}

export function rewrite(text: string, replace: (character: string) => string): string {
  if (encodingOf(text) === "GSM-7") return text;
  let rewritten = "";
  for (const character of text) rewritten += isNonGsm7(character) ? replace(character) : character;
  return rewritten;
}

export function isNonGsm7(character: string): boolean {
  return encodingOf(character) === "UCS-2";
}
