import { type Address, readAddress } from "../../core/address.ts";
import { ageInDays, readKey, rotationWarning, shownKey } from "../../core/key.ts";
import { paintFor } from "../../output/paint.ts";
import { jsonLine, visible } from "../../output/sanitize.ts";
import { tableText } from "../../output/table.ts";
import { plural } from "../../output/text.ts";
import { stateFolder } from "../../profiles/folders.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import { payerId, readState } from "../../profiles/state.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";

/** A key as `keys list --json` gives it. */
interface ListedKey {
  readonly name: string;
  readonly mode: string;
  readonly shown: string;
  readonly added: string;
  readonly ageDays: number;
  readonly lastUsed: string | null;
  readonly active: boolean;
  readonly retired: boolean;
}

/** Lists the keys of the profile, and says which are due to be rotated. */
export async function listKeys(
  chosen: ChosenProfile,
  options: GlobalOptions,
  { host }: Context,
): Promise<void> {
  const now = host.now();
  const folder = stateFolder(host.environment, host.platform, host.home());
  const keys = listed(chosen, folder, now);
  if (options.json) {
    host.stdout.write(jsonLine(keys));
    return;
  }
  if (options.quiet) {
    host.stdout.write(keys.map(({ name }) => `${visible(name)}\n`).join(""));
    return;
  }
  if (keys.length === 0) {
    host.stderr.write("No keys are kept here. `sms login` or `sms keys add NAME` keeps one.\n");
    return;
  }
  const rows = keys.map(({ name, mode, shown, ageDays, lastUsed, active, retired }) => [
    visible(name),
    mode,
    shown,
    plural(ageDays, "day"),
    lastUsed === null ? "never" : `${plural(ageInDays(lastUsed, now), "day")} ago`,
    active ? "in use" : retired ? "retired" : "",
  ]);
  host.stdout.write(tableText([["NAME", "MODE", "KEY", "AGE", "LAST USED", ""], ...rows]));
  const paint = await paintFor(host.stderr.hasColor() && options.color);
  for (const { name, ageDays, retired } of keys) {
    const warning = retired ? undefined : rotationWarning(name, ageDays);
    if (warning !== undefined) host.stderr.write(`${paint.doubtful("Warning:")} ${visible(warning)}\n`);
  }
}

function listed({ profile }: ChosenProfile, folder: string, now: number): readonly ListedKey[] {
  if (profile === undefined) return [];
  const address = profile.baseUrl === undefined ? undefined : readAddress(profile.baseUrl, "the profile");
  return Object.entries(profile.keys).map(([name, { secret, added, retired }]) => {
    const key = readKey(secret, `key ${JSON.stringify(name)}`);
    return {
      name,
      mode: key.mode,
      shown: shownKey(secret),
      added,
      ageDays: ageInDays(added, now),
      lastUsed: address === undefined ? null : lastUse(address, key, folder),
      active: profile.credentials.kind === "key" && profile.credentials.name === name,
      retired,
    };
  });
}

function lastUse(address: Address, key: ReturnType<typeof readKey>, folder: string): string | null {
  return readState(folder, payerId(address, { kind: "key", key })).lastUsed ?? null;
}
