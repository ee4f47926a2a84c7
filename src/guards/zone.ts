import { usageError } from "../errors.ts";

/** A time zone of the IANA database. */
export interface Zone {
  readonly name: string;
  /** Returns local time minus UTC in milliseconds at an instant, which is in milliseconds since 1970. */
  readonly offset: (at: number) => number;
}

/** Returns the zone of an IANA name, such as Africa/Nairobi. Throws a usage error `INVALID_ZONE`; `source` says where the name came from. */
export function readZone(name: string, source: string): Zone {
  // Node 22 takes offsets such as +03:00 too, but an offset does not know about daylight saving.
  const format = /^[a-z]/i.test(name) ? formatFor(name) : undefined;
  if (format === undefined) {
    throw usageError("INVALID_ZONE", `${source}: there is no time zone ${JSON.stringify(name)}`, suggestion(name));
  }
  const canonical = format.resolvedOptions().timeZone;
  return {
    // An alias, such as Asia/Kolkata for Asia/Calcutta, stays as it was typed.
    name: canonical.toLowerCase() === name.toLowerCase() ? canonical : name,
    offset: (at) => {
      const [month = NaN, date = NaN, year = NaN, hour, minute, second] = (format.format(at).match(/\d+/g) ?? []).map(
        Number,
      );
      return Date.UTC(year, month - 1, date, hour, minute, second) - Math.floor(at / 1000) * 1000;
    },
  };
}

function formatFor(name: string): Intl.DateTimeFormat | undefined {
  const time = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      year: "numeric",
      month: "numeric",
      day: "numeric",
      ...time,
    });
  } catch {
    return undefined;
  }
}

/** Names the zones of a city, or the form of a name. */
function suggestion(name: string): string {
  const wanted = name.trim().replaceAll(/\s+/g, "_").toLowerCase();
  const near = Intl.supportedValuesOf("timeZone").filter((zone) => zone.toLowerCase().split("/").includes(wanted));
  if (near.length === 0 || near.length > 3) return "name a zone of the IANA database, such as Africa/Nairobi";
  return `did you mean ${near.join(" or ")}?`;
}
