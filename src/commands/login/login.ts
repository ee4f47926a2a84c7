import { type Address, sendPath } from "../../core/address.ts";
import { shellWord } from "../../core/shell-word.ts";
import { variable } from "../../core/variable.ts";
import { loginWithKey, putProfile, useInstead } from "../../profiles/edits.ts";
import { findProfile } from "../../profiles/find.ts";
import { isAddressOf, loadStore } from "../../profiles/resolve.ts";
import type { Profile } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import { changeProfiles } from "../shared/profile-store.ts";
import { prompterFor } from "../shared/prompt.ts";
import { timestamp } from "../shared/times.ts";
import { verifyCredentials } from "../shared/verification.ts";
import { showStatus } from "../status/status.ts";
import { chooseCredentials, keyOfCommand } from "./credentials.ts";
import { chooseAddress, type LoginOptions, readDefaults } from "./input.ts";

/** Stores the credentials of a profile after the service has accepted them. */
export async function login(options: LoginOptions, context: Context): Promise<void> {
  const { host } = context;
  const store = loadStore(host);
  const name = options.profile ?? variable(host.environment, "SMS_PROFILE") ?? store.active;
  const before = findProfile(store, name);
  const defaults = readDefaults(options);
  const prompter = prompterFor(host, options);
  const address = await chooseAddress(options, before, context, prompter);
  const { keyCommand } = options;
  const credentials =
    keyCommand === undefined
      ? await chooseCredentials(options, context, prompter)
      : await keyOfCommand(keyCommand, options, context);
  const path =
    options.verify && credentials !== undefined
      ? await verifyCredentials({ address, credentials }, "your input", context)
      : pathBefore(before, address);
  const { active } = await changeProfiles(context, (current) => {
    const settings = { baseUrl: address.origin + address.basePath, path, defaults };
    const after = putProfile(current, name, settings);
    if (keyCommand !== undefined) return useInstead(after, name, { kind: "command", command: keyCommand });
    if (credentials === undefined) return after;
    if (credentials.kind === "account") return useInstead(after, name, credentials);
    const keyName = options.keyName ?? credentials.key.mode;
    return loginWithKey(after, name, keyName, { key: credentials.key, added: timestamp(host) });
  });
  await showStored(options, name, context);
  const chosen = name === (host.environment["SMS_PROFILE"]?.trim() || active) ? "" : `--profile ${shellWord(name)} `;
  context.presenter.tell(({ isTerminal, paint, foreign }) =>
    isTerminal ? `\n${paint.faint("Next:")} ${foreign(`sms send ${chosen}--to NUMBER --message "Hello"`)}\n` : "",
  );
}

/** Returns the path that an earlier login found at this service, else the default one. */
function pathBefore(before: Profile | undefined, address: Address): string {
  return before !== undefined && isAddressOf(before, address) ? before.path : sendPath;
}

/** Shows what was stored, and warns of variables in the environment that override it. */
async function showStored(options: LoginOptions, name: string, context: Context): Promise<void> {
  const { host, presenter } = context;
  const overriding = [
    "SMS_BASE_URL",
    "SMS_API_KEY",
    "SMS_API_KEY_FILE",
    "SMS_API_KEY_CMD",
    "SMS_EMAIL",
    "SMS_PASSWORD",
  ];
  const kept = Object.entries(host.environment).filter(([each]) => !overriding.includes(each));
  const stored = { ...context, host: { ...host, environment: Object.fromEntries(kept) } };
  const set = overriding.filter((each) => host.environment[each] !== undefined);
  if (set.length > 0) presenter.warn(`the environment overrides the profile: ${set.join(", ")}`);
  await showStatus(
    { ...options, profile: name },
    stored,
    options.verify ? "Logged in" : "Stored, but the service has not checked it",
  );
}
