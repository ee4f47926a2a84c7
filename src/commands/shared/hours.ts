import { isLive, type Mode } from "../../message/credentials.ts";
import { profileOption } from "../../message/shell-word.ts";
import { usageError } from "../../errors.ts";
import type { Guard } from "../../guards/guard.ts";
import type { Hours } from "../../guards/hours.ts";
import type { Host } from "../../host.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";

/** The flag that says when to send. */
export interface HourFlags {
  readonly between?: string;
}

/** What `--between` is given to send at any time. */
export const anyTime = "any";

/** The hours of a send. */
export interface SendHours {
  /** None if it may be sent at any time. */
  readonly guards: readonly Guard[];
  /** The hours of `--between` with their zone, for the header of a run. */
  readonly between: string | undefined;
}

/**
 * Returns the hours of a send: those of `--between`, else those that its run `began` with; and those of the profile for what
 * reaches phones. `--between any` overrides them all. Throws a usage error for hours or a zone that cannot be read.
 */
export async function hoursOf(
  { between }: HourFlags,
  began: string | undefined,
  chosen: ChosenProfile | undefined,
  mode: Mode,
  host: Host,
): Promise<SendHours> {
  const [wanted, ...others] = wantedHours(between, began, chosen, mode);
  if (wanted === undefined) return { guards: [], between: undefined };
  const [{ hoursText, readHours }, { withinHours }, { readZone }] = await Promise.all([
    import("../../guards/hours.ts"),
    import("../../guards/hours.ts"),
    import("../../guards/hours.ts"),
  ]);
  const read = ({ hours, source, zone = machineZone(host, source, chosen) }: WantedHours) =>
    readHours(hours, readZone(zone, source), source);
  const first = read(wanted);
  const all = [first, ...others.map(read)] as const;
  if (between === anyTime) {
    const rule = (hours: Hours) => `at any time: --between any overrides ${hoursText(hours)} (${hours.source})`;
    return { guards: all.map((hours) => ({ rule: rule(hours) })), between: undefined };
  }
  return {
    guards: [withinHours(all, host.wallClock())],
    between: between === undefined ? undefined : `${first.text} ${first.zone.name}`,
  };
}

interface WantedHours {
  readonly hours: string;
  /** The zone of the machine if it is undefined. */
  readonly zone: string | undefined;
  readonly source: string;
}

function wantedHours(
  between: string | undefined,
  began: string | undefined,
  chosen: ChosenProfile | undefined,
  mode: Mode,
): readonly WantedHours[] {
  const { hours, zone } = chosen?.profile?.defaults ?? {};
  const wanted: WantedHours[] = [];
  if (between !== undefined && between !== anyTime) wanted.push({ ...zonedHours(between, zone), source: "--between" });
  else if (began !== undefined) wanted.push({ ...zonedHours(began, zone), source: "as the run began" });
  if (hours !== undefined && isLive(mode))
    wanted.push({ hours, zone, source: `profile ${JSON.stringify(chosen?.name)}` });
  return wanted;
}

/** Divides a text such as `08:00-20:00 Africa/Nairobi`. */
function zonedHours(text: string, zone: string | undefined): Pick<WantedHours, "hours" | "zone"> {
  const [hours = "", ...words] = text.split(" ");
  return { hours, zone: words.length === 0 ? zone : words.join(" ") };
}

function machineZone({ timeZone }: Host, source: string, chosen: ChosenProfile | undefined): string {
  const name = timeZone();
  // What ICU calls a TZ that it does not know, such as an empty one.
  if (name !== undefined && name !== "Etc/Unknown") return name;
  const ofProfile = `sms profiles set zone Africa/Nairobi${profileOption(chosen?.name)}`;
  const way = source === "--between" ? '--between "08:00-20:00 Africa/Nairobi"' : ofProfile;
  throw usageError("INVALID_ZONE", `${source}: this machine has no time zone set`, `name one, as with \`${way}\``);
}
