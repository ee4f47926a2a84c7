import { usageError } from "../errors.ts";

/** The rule for the name of a profile or a key, as people are told it. */
export const nameRule =
  "a name has 1 to 64 printable characters, single spaces inside it at most, and no hyphen in front";

/** Whether a profile or a key may have that name. One that looks like a key is a key pasted in the wrong place. */
export function isName(text: string): boolean {
  return (
    (/^[!-~]+( [!-~]+)*$/.test(text) || isPrintable(text)) &&
    Array.from(text).length <= 64 &&
    !text.startsWith("-") &&
    !/sk_(test|live)_/.test(text) &&
    text !== "__proto__"
  );
}

/** For names beyond ASCII. As a literal the pattern would be gone through at every start, which takes milliseconds. */
function isPrintable(text: string): boolean {
  const word = "[^\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}]+";
  return new RegExp(`^${word}( ${word})*$`, "u").test(text);
}

/** That name, where a profile or a key may have it; else a usage error that does not quote it. */
export function requireName(text: string, of: "profile" | "key"): string {
  if (isName(text)) return text;
  throw usageError("INVALID_NAME", `that cannot be the name of a ${of}`, nameRule);
}
