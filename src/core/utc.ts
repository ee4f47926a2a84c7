/**
 * Writes a time as `Date.toISOString` does, for which V8 first reads the time zone of the machine. Milliseconds since 1970,
 * in the years 0 to 9999.
 */
export function utc(at: number): string {
  const date = new Date(at);
  const day = [padded(date.getUTCFullYear(), 4), padded(date.getUTCMonth() + 1), padded(date.getUTCDate())].join("-");
  const time = [padded(date.getUTCHours()), padded(date.getUTCMinutes()), padded(date.getUTCSeconds())].join(":");
  return `${day}T${time}.${padded(date.getUTCMilliseconds(), 3)}Z`;
}

function padded(value: number, length = 2): string {
  return String(value).padStart(length, "0");
}
