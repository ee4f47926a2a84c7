import { type Address, sendPath } from "../../core/address.ts";
import { loginWithKey, putProfile, useAccount } from "../../profiles/edits.ts";
import { findProfile } from "../../profiles/find.ts";
import { loadStore } from "../../profiles/resolve.ts";
import type { Profile } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import type { LoginOptions } from "./definition.ts";
import { chooseAddress, chooseCredentials, readDefaults } from "./input.ts";
import { changeProfiles, timestamp } from "../shared/profile-store.ts";
import { prompterFor } from "../shared/prompt.ts";
import { showStatus } from "../status/status.ts";
import { requireTaken } from "../shared/verification.ts";

/** Stores the credentials of a profile, once the service has taken them. */
export async function runLogin(options: LoginOptions, context: Context): Promise<void> {
  const { host } = context;
  const store = loadStore(host);
  const name = options.profile ?? (host.environment["SMS_PROFILE"] || store.active);
  const before = findProfile(store, name);
  const defaults = readDefaults(options);
  const prompter = prompterFor(host, options);
  const address = await chooseAddress(options, before, context, prompter);
  const credentials = await chooseCredentials(options, context, prompter);
  const path = options.verify
    ? await requireTaken(address, credentials, "what you gave", context)
    : pathBefore(before, address);
  await changeProfiles(host, (current) => {
    const settings = { baseUrl: address.origin + address.basePath, path, defaults };
    const after = putProfile(current, name, settings);
    if (credentials.kind === "account") return useAccount(after, name, credentials);
    const keyName = options.keyName ?? credentials.key.mode;
    return loginWithKey(after, name, keyName, { key: credentials.key, added: timestamp(host) });
  });
  await showStored(options, name, context);
}

/** The path that an earlier login found at this service. */
function pathBefore(before: Profile | undefined, { origin, basePath }: Address): string {
  return before !== undefined && before.baseUrl === origin + basePath ? before.path : sendPath;
}

/** Shows what was stored, whatever the environment says, and warns of what in it will beat the profile. */
async function showStored(options: LoginOptions, name: string, context: Context): Promise<void> {
  const { host } = context;
  const beating = ["SMS_BASE_URL", "SMS_API_KEY", "SMS_API_KEY_FILE", "SMS_EMAIL", "SMS_PASSWORD"];
  const kept = Object.entries(host.environment).filter(([variable]) => !beating.includes(variable));
  const stored = { ...context, host: { ...host, environment: Object.fromEntries(kept) } };
  await showStatus({ ...options, profile: name }, stored, "Logged in");
  const set = beating.filter((variable) => host.environment[variable]);
  if (set.length > 0 && !options.json && !options.quiet) {
    host.stderr.write(`Warning: ${set.join(", ")} in the environment will be used before the profile\n`);
  }
}
