import { keysView } from "../../output/keys.ts";
import { keyEntries } from "../../profiles/keys.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { warnOfRotation } from "../shared/rotation.ts";

/** Lists the keys of a profile, and warns of those that are due for rotation. */
export function listKeys(options: GlobalOptions, { host, presenter }: Context): void {
  const { profile } = chooseProfile(loadStore(host), host.environment, options.profile);
  const keys = keyEntries(profile, host);
  presenter.show(keysView(keys, host.now()));
  if (keys.length === 0) presenter.note("There are no keys yet: `sms login` or `sms keys add NAME` adds one.");
  for (const { name, ageDays } of keys.filter(({ retired }) => !retired)) {
    warnOfRotation(name, ageDays, options.profile, presenter);
  }
}
