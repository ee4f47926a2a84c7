import { profileOption } from "../../core/profile-option.ts";
import { shellWord } from "../../core/shell-word.ts";
import { retiredName, rotateKey, useKey } from "../../profiles/edits.ts";
import { requireProfile } from "../../profiles/find.ts";
import { storedKey } from "../../profiles/keys.ts";
import { chooseProfile, loadStore, ownAddress } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import { liveNotice } from "../shared/live-notice.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { verifyCredentials } from "../shared/verification.ts";
import { timestamp } from "../shared/times.ts";
import { changeKeys, dashboard } from "./change.ts";
import { askForKey, confirmSwitch } from "./input.ts";

/** Replaces a key by a new one that the service accepts, and keeps the old one as retired. */
export async function rotateStoredKey(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const { host } = context;
  const chosen = chooseProfile(loadStore(host), host.environment, options.profile);
  storedKey(chosen, name);
  const address = ownAddress(chosen, host.environment);
  await confirmSwitch(chosen, options, host);
  const key = await askForKey(`New API key to replace ${name}`, options, context);
  await verifyCredentials({ address, credentials: { kind: "key", key } }, "the new key", context);
  const retired = retiredName(requireProfile(loadStore(host), chosen.name), name);
  const added = timestamp(host);
  await changeKeys(
    chosen,
    (store) => useKey(rotateKey(store, chosen.name, name, { key, added }), chosen.name, name),
    [
      `The new key ${name} is in use. The old one is now ${retired}: revoke it in ${dashboard},`,
      `then remove it with \`sms keys remove ${shellWord(retired)}${profileOption(options.profile)}\`.`,
    ],
    context,
    liveNotice,
  );
}
