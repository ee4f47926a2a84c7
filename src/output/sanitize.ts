/**
 * Characters that can control a terminal or disguise text: C0 and C1 controls, DEL, line and paragraph separators, the
 * bidirectional controls of Unicode UAX #9, and the byte order mark.
 */
const hazards = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/g;

/** Returns text that is safe for a terminal: each hazard is written as in `\u001b`. */
export function visible(text: string): string {
  return text.toWellFormed().replace(hazards, escapeUnit);
}

/** Returns a value as one line of JSON that is safe for a terminal; it parses back to the same value. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(hazards, escapeUnit)}\n`;
}

/** Returns a UTF-16 code unit as JSON escapes it, as in `\u001b`. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
