import { modeOf } from "../core/credentials.ts";
import { ageInDays, shownKey } from "../core/key.ts";
import type { Host } from "../host.ts";
import { stateFolder } from "./folders.ts";
import { type ChosenProfile, credentialsSource, resolve } from "./resolve.ts";
import { payerId, readState } from "./state.ts";

/** Returns what the next send would use, where each came from, and the last known balance and price. Throws as `resolve`. */
export async function statusOf(
  chosen: ChosenProfile,
  { environment, home, now, platform, uid }: Pick<Host, "environment" | "home" | "now" | "platform" | "uid">,
) {
  const resolved = await resolve(environment, chosen);
  const { profile, address, path, credentials, key, sources } = resolved;
  const folder = { path: stateFolder(environment, platform, home()), uid };
  const { balance, price } = readState(folder, payerId(address, credentials));
  return {
    profile,
    baseUrl: address.origin + address.basePath,
    path,
    mode: modeOf(credentials),
    credentials:
      credentials.kind === "account"
        ? { kind: credentials.kind, email: credentials.email }
        : {
            kind: credentials.kind,
            name: key?.name ?? null,
            shown: shownKey(credentials.key.secret),
            ageDays: key === undefined ? null : ageInDays(key.added, now()),
          },
    credentialsSource: credentialsSource(resolved),
    sources,
    balance,
    price,
  };
}
