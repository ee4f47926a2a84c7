/**
 * Characters that can drive a terminal or disguise what is shown: C0 and C1 controls, DEL, line and paragraph
 * separators, the bidirectional controls of Unicode UAX #9, and the byte order mark.
 */
const hazards = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/g;

/** Text from the service, a file or a person, safe for a terminal: each hazard is made visible, as in `\u001b`. */
export function visible(text: string): string {
  return text.toWellFormed().replace(hazards, escapeUnit);
}

/** A value as one line of JSON in which nothing can drive a terminal; it parses back to the same value. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(hazards, escapeUnit)}\n`;
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
