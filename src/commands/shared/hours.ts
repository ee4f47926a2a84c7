import type { Mode } from "../../core/credentials.ts";
import { profileOption } from "../../core/profile-option.ts";
import { usageError } from "../../errors.ts";
import type { Guard } from "../../guards/guard.ts";
import type { Host } from "../../host.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import type { RunHours } from "../../runs/header.ts";
import { lacking } from "./option-values.ts";

/** The flags that say when to send. */
export interface HourFlags {
  readonly between?: string;
  readonly zone?: string;
  readonly anyTime?: true;
}

/** The hours of a send. */
export interface SendHours {
  /** None if it may be sent at any time. */
  readonly guards: readonly Guard[];
  /** The hours of `--between`, for the header of a run. */
  readonly between: RunHours | undefined;
}

/**
 * Returns the hours of a send: those of `--between`, else those that its run `began` with; and those of the profile for what
 * reaches phones. `--any-time` leaves out all but `--between`. Throws a usage error for hours or a zone that cannot be read.
 */
export async function hoursOf(
  flags: HourFlags,
  began: RunHours | undefined,
  chosen: ChosenProfile | undefined,
  mode: Mode,
  host: Host,
): Promise<SendHours> {
  const wanted = wantedHours(flags, began, chosen, mode);
  if (wanted.length === 0) return { guards: [], between: undefined };
  const [{ hoursText, readHours }, { withinHours }, { readZone }] = await Promise.all([
    import("../../guards/hours.ts"),
    import("../../guards/within-hours.ts"),
    import("../../guards/zone.ts"),
  ]);
  const all = wanted.map(({ hours, source, zone = machineZone(host, source, chosen) }) =>
    readHours(hours, readZone(zone, zone === flags.zone ? "--zone" : source), source),
  );
  const isOverridden = ({ source }: (typeof all)[number]) => flags.anyTime === true && source !== "--between";
  const overridden = all.filter(isOverridden).map((hours) => ({
    rule: `at any time: --any-time overrides ${hoursText(hours)} (${hours.source})`,
  }));
  const [first, ...others] = all.filter((hours) => !isOverridden(hours));
  const guards = first === undefined ? [] : [withinHours([first, ...others], host.wallClock())];
  const zone = all[0]?.zone.name;
  return {
    guards: [...overridden, ...guards],
    between: flags.between === undefined || zone === undefined ? undefined : { hours: flags.between, zone },
  };
}

interface WantedHours {
  readonly hours: string;
  /** That of the machine if it is undefined. */
  readonly zone: string | undefined;
  readonly source: string;
}

function wantedHours(
  { between, zone }: HourFlags,
  began: RunHours | undefined,
  chosen: ChosenProfile | undefined,
  mode: Mode,
): readonly WantedHours[] {
  if (zone !== undefined && between === undefined) throw lacking("--zone", "--between");
  const profile = chosen?.profile?.defaults;
  const wanted: WantedHours[] = [];
  if (between !== undefined) wanted.push({ hours: between, zone: zone ?? profile?.zone, source: "--between" });
  else if (began !== undefined) wanted.push({ ...began, source: "as the run began" });
  if (profile?.hours !== undefined && (mode === "live" || mode === "account")) {
    wanted.push({ hours: profile.hours, zone: profile.zone, source: `profile ${JSON.stringify(chosen?.name)}` });
  }
  return wanted;
}

function machineZone({ timeZone }: Host, source: string, chosen: ChosenProfile | undefined): string {
  const name = timeZone();
  // What ICU calls a TZ that it does not know, such as an empty one.
  if (name !== undefined && name !== "Etc/Unknown") return name;
  const ofProfile = `sms profiles set zone Africa/Nairobi${profileOption(chosen?.name)}`;
  const way = source === "--between" ? "--zone Africa/Nairobi" : ofProfile;
  throw usageError("INVALID_ZONE", `${source}: this machine has no time zone set`, `name one, as with \`${way}\``);
}
