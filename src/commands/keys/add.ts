import { sendPath } from "../../core/address.ts";
import { profileOption } from "../../core/profile-option.ts";
import { shellWord } from "../../core/shell-word.ts";
import { variable } from "../../core/variable.ts";
import { doneView } from "../../output/done.ts";
import { addKey, putProfile, requireUnknownKey, requireUnusedName } from "../../profiles/edits.ts";
import { requireProfile } from "../../profiles/find.ts";
import { keyEntries } from "../../profiles/keys.ts";
import { chooseProfile, chosenAddress, loadStore, ownAddress } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import { liveNotice } from "../shared/live-notice.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeProfiles } from "../shared/profile-store.ts";
import { timestamp } from "../shared/times.ts";
import { verifyCredentials } from "../shared/verification.ts";
import { askForKey } from "./input.ts";

/**
 * Adds a key to a profile once the service has accepted it. Asks for it, or reads it from standard input. A profile without
 * a base URL keeps that of SMS_BASE_URL, because a stored key is only sent to the base URL of its profile.
 */
export async function addNewKey(
  name: string,
  options: GlobalOptions & { readonly verify: boolean },
  context: Context,
): Promise<void> {
  const { host, presenter } = context;
  const chosen = chooseProfile(loadStore(host), host.environment, options.profile);
  // Before anyone types a key that cannot be stored.
  if (chosen.profile !== undefined) requireUnusedName(chosen.profile, name);
  const isBound = chosen.profile?.baseUrl !== undefined;
  const address = isBound
    ? ownAddress(chosen, host.environment)
    : options.verify || variable(host.environment, "SMS_BASE_URL") !== undefined
      ? chosenAddress(chosen, host.environment)
      : undefined;
  const key = await askForKey(`API key to store as ${name}`, options, context);
  if (chosen.profile !== undefined) requireUnknownKey(chosen.profile, key);
  const path =
    options.verify && address !== undefined
      ? await verifyCredentials({ address, credentials: { kind: "key", key } }, "your input", context)
      : sendPath;
  const baseUrl = isBound || address === undefined ? undefined : address.origin + address.basePath;
  const added = timestamp(host);
  const store = await changeProfiles(context, (before) => {
    const bound = baseUrl === undefined ? before : putProfile(before, chosen.name, { baseUrl, path, defaults: {} });
    return addKey(bound, chosen.name, name, { key, added });
  });
  const profile = requireProfile(store, chosen.name);
  const { credentials } = profile;
  const isInUse = credentials.kind === "key" && credentials.name === name;
  const text = isInUse
    ? `Added ${key.mode} key ${name}, which is now in use.`
    : `Added ${key.mode} key ${name}. Run \`sms keys use ${shellWord(name)}${profileOption(options.profile)}\` to use it.`;
  const unchecked = options.verify ? [] : ["The key is stored, but the service has not checked it."];
  const notice = isInUse ? await liveNotice(chosen.name, profile) : [];
  const service = baseUrl === undefined ? [] : [`Profile ${chosen.name} uses ${baseUrl}.`];
  presenter.show(doneView(keyEntries(profile, host), text, ...unchecked, ...service, ...notice));
}
