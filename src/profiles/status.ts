import { modeOf } from "../core/credentials.ts";
import { ageInDays, shownKey } from "../core/key.ts";
import { variable } from "../core/variable.ts";
import type { Host } from "../host.ts";
import { stateFolder } from "./folders.ts";
import { type ChosenProfile, credentialsSource, type Found, locate } from "./resolve.ts";
import { payerId, readState } from "./state.ts";

/** Returns what the next send would use, where each came from, and the last known balance and price. Throws as `locate`. */
export async function statusOf(
  chosen: ChosenProfile,
  host: Pick<Host, "environment" | "home" | "now" | "platform" | "readFile" | "timeZone" | "uid">,
) {
  const found = await locate(host, chosen);
  const { profile, address, path, credentials, sources, warnings } = found;
  const { balance, price } =
    credentials === undefined ? {} : readState(stateFolder(host), payerId(address, credentials));
  return {
    profile,
    baseUrl: address.origin + address.basePath,
    path,
    mode: credentials === undefined ? null : modeOf(credentials),
    credentials: describe(found, host.now()),
    credentialsSource: credentialsSource(found),
    sources,
    balance,
    price,
    onlyTo: onlyToOf(chosen, host.environment),
    hours: hoursOf(chosen, host.timeZone()),
    warnings,
  };
}

/** Returns the hours of live sends and their time zone; null if the machine, whose zone it is, has none. */
function hoursOf({ profile }: ChosenProfile, machineZone: string | undefined) {
  const { hours, zone = machineZone ?? null } = profile?.defaults ?? {};
  return hours === undefined ? undefined : { hours, zone };
}

/** Returns the lists that all recipients must be in, each with its source. */
function onlyToOf({ profile }: ChosenProfile, environment: Host["environment"]) {
  const lists = { SMS_ONLY_TO: variable(environment, "SMS_ONLY_TO"), profile: profile?.defaults.onlyTo };
  return Object.entries(lists).flatMap(([source, list]) => (list === undefined ? [] : [{ source, list }]));
}

function describe({ credentials, key, keyCommand = "" }: Found, now: number) {
  if (credentials === undefined) return { kind: "command", command: keyCommand } as const;
  if (credentials.kind === "account") return { kind: credentials.kind, email: credentials.email };
  const ageDays = key === undefined ? null : ageInDays(key.added, now);
  return { kind: credentials.kind, name: key?.name ?? null, shown: shownKey(credentials.key.secret), ageDays };
}
