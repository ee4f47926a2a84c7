import { usageError } from "../errors.ts";

/** The rule for profile and key names, for hints. */
export const nameRule =
  "a name has 1 to 64 printable characters, may contain single spaces, and does not start with a hyphen";

const apiKey = /sk_(test|live)_/;

/** Whether a profile or key may have that name. A name that contains an API key is refused: it was pasted by mistake. */
export function isName(text: string): boolean {
  return (
    (/^[!-~]+( [!-~]+)*$/.test(text) || isPrintable(text)) &&
    Array.from(text).length <= 64 &&
    !text.startsWith("-") &&
    !apiKey.test(text) &&
    text !== "__proto__"
  );
}

/** For non-ASCII names. Compiled on use: compiling a pattern with Unicode properties takes milliseconds at start. */
function isPrintable(text: string): boolean {
  const word = "[^\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}]+";
  return new RegExp(`^${word}( ${word})*$`, "u").test(text);
}

/** The name itself. Throws a usage error `INVALID_NAME` that does not quote it. */
export function requireName(text: string, of: "profile" | "key"): string {
  if (isName(text)) return text;
  if (of === "key" && apiKey.test(text)) {
    const hint = "`sms keys list` lists the names, and `sms keys add NAME` reads a new key from standard input";
    throw usageError("INVALID_NAME", "this is a key, not its name", hint);
  }
  throw usageError("INVALID_NAME", `invalid ${of} name`, nameRule);
}
