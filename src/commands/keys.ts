import { liveText, nextSendNotice } from "../checks/status.ts";
import { replaceKey, storeNewKey } from "../logins/new-credentials.ts";
import { SmsError } from "../errors.ts";
import { warnOfRotation } from "../profiles/defaults.ts";
import { isInUse, removeKey, renameKey, useKey } from "../profiles/edits.ts";
import { keyEntries, turnsLive } from "../profiles/keys.ts";
import { profileInUse, type ProfileInUse, storedProfile } from "../profiles/resolve.ts";
import { changeProfile } from "../profiles/store.ts";
import { findKey } from "../profiles/stored.ts";
import type { Context, GlobalOptions, Perform, View } from "../terminal/context.ts";
import { doneView, listingText } from "../terminal/layout.ts";
import { confirmLoss } from "../terminal/prompt.ts";
import { agoText } from "../terminal/ago.ts";
import { visible } from "../terminal/text.ts";
import { plural } from "../words/count.ts";
import { profileOption, shellWord } from "../words/shell-word.ts";
import { askingGlobals, newGroup, verb, usualGlobals } from "./shared/options.ts";

export function keysCommand(performAny: Perform) {
  const perform = inProfile(performAny);
  return newGroup(
    "keys",
    "Manage the API keys of a profile. The service shows a key only once, when the dashboard makes it (Settings, API Keys). sms stores it so that only you can read it, and never prints it whole.",
    "sms keys list",
    "sms keys add prod < key.txt",
    "sms keys rotate prod < key.txt",
  )
    .addCommand(
      verb("list", "list the keys with their modes and ages", "list", usualGlobals, "sms keys list --json").action(
        (_, command) => perform(command, listKeys),
      ),
    )
    .addCommand(
      verb("add", "store a key that the service accepts", "done", checks, "sms keys add prod --with-key < key.txt")
        .description("Store a key, from a hidden prompt or standard input, once the service has accepted it.")
        .option("--with-key", withKeyText)
        .option("--no-verify", "do not check the key with the service")
        .argument("<name>", "a name for the key")
        .action((name, _, command) => perform(command, (options, context) => addKeyAs(name, options, context))),
    )
    .addCommand(
      verb("use", "switch to a key", "done", usualGlobals, "sms keys use prod")
        .argument("<name>", "the key")
        .action((name, _, command) => perform(command, (options, context) => switchToKey(name, options, context))),
    )
    .addCommand(
      verb("rename", "rename a key", "done", usualGlobals, "sms keys rename prod production")
        .argument("<from>", "the key")
        .argument("<to>", "its new name")
        .action((from, to, _, command) => perform(command, (options, context) => renameTo(from, to, options, context))),
    )
    .addCommand(
      verb("rotate", "replace a key, and keep the old one as retired", "done", checks, "sms keys rotate prod < key.txt")
        .description(
          "Replace a key by a new one, and keep the old one as retired. Asks for the new key, or reads it from standard input, and stores it once the service takes it.",
        )
        .option("--with-key", withKeyText)
        .argument("<name>", "the key")
        .action((name, _, command) => perform(command, (options, context) => rotateKeyCalled(name, options, context))),
    )
    .addCommand(
      verb("remove", "remove a key from this machine", "done", askingGlobals, "sms keys remove prod-retired")
        .description(
          "Remove a key from this machine, after a confirmation. It stays valid until you revoke it in the dashboard.",
        )
        .argument("<name>", "the key")
        .action((name, _, command) => perform(command, (options, context) => removeKeyCalled(name, options, context))),
    );
}

/** As of `login`; without it, a key that is piped is read the same. */
const withKeyText = "read the key from standard input";

const checks = [...usualGlobals, "verbose", "input"] as const;

async function listKeys(options: GlobalOptions, { host, presenter }: Context): Promise<void> {
  const profile = profileInUse(host, options.profile);
  const keys = await keyEntries(profile, host);
  presenter.show(keysView(keys, host.now()));
  if (keys.length === 0) presenter.note("There are no keys yet: `sms login` or `sms keys add NAME` adds one.");
  else presenter.note((await nextSendNotice(profile.name, host)).join(" "));
  for (const { name, ageDays } of keys.filter(({ retired }) => !retired))
    warnOfRotation(name, ageDays, options.profile, presenter);
}

async function addKeyAs(
  name: string,
  options: GlobalOptions & { readonly verify: boolean },
  context: Context,
): Promise<void> {
  const { key, before, profile } = await storeNewKey(name, options, context);
  const use = `sms keys use ${shellWord(name)}${profileOption(options.profile)}`;
  const isUsed = isInUse(profile, name);
  await showDone(profile, context, [
    `Added ${key.mode} key ${name}${isUsed ? ", which is now in use." : `. Run \`${use}\` to use it.`}`,
    ...(options.verify ? [] : ["The key is stored, but the service has not checked it."]),
    ...(before.baseUrl === undefined ? [`Profile ${profile.name} uses ${profile.baseUrl}.`] : []),
    ...(isUsed ? await nextSendNotice(profile.name, context.host) : []),
  ]);
}

async function switchToKey(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const before = profileInUse(context.host, options.profile);
  const profile = await changeProfile(before.name, context, (current) => useKey(current, name));
  if (findKey(before, name)?.retired)
    context.presenter.warn(`key ${JSON.stringify(name)} was retired; if it is revoked, the service refuses it`);
  await showDone(profile, context, [
    `Key ${name} is in use.`,
    ...(turnsLive(before, profile) ? [liveText(profile.name)] : []),
    ...(await nextSendNotice(profile.name, context.host)),
  ]);
}

async function renameTo(from: string, to: string, options: GlobalOptions, context: Context): Promise<void> {
  const { name } = profileInUse(context.host, options.profile);
  const profile = await changeProfile(name, context, (current) => renameKey(current, from, to));
  await showDone(profile, context, [`Renamed key ${from} to ${to}.`]);
}

async function rotateKeyCalled(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const { profile, oldName } = await replaceKey(name, options, context);
  const { credentials } = profile;
  const other = credentials.kind === "key" ? `; key ${credentials.name} stays in use` : "";
  await showDone(profile, context, [
    `Key ${name} is replaced${isInUse(profile, name) ? ", and the new one is in use" : other}.`,
    `The old one is now ${oldName}: revoke it in ${dashboard},`,
    `then remove it with \`sms keys remove ${shellWord(oldName)}${profileOption(options.profile)}\`.`,
    ...(await nextSendNotice(profile.name, context.host)),
  ]);
}

async function removeKeyCalled(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const before = storedProfile(context.host, options.profile);
  // Throws before the question if nobody can remove the key.
  removeKey(before, name);
  await confirmLoss(`Remove key ${name}? The service never shows a key again.`, options, context.host);
  const profile = await changeProfile(before.name, context, (current) => removeKey(current, name));
  const advice = `If it is not revoked yet, revoke it in ${dashboard}.`;
  await showDone(profile, context, [`Removed key ${name} from this machine. ${advice}`]);
}

/** Without the profile, a command in a hint would change the keys of another profile. */
function inProfile(perform: Perform): Perform {
  return (command, work) =>
    perform(command, async (options, context) => {
      try {
        return await work(options, context);
      } catch (error) {
        if (!(error instanceof SmsError)) throw error;
        const withProfile = (line: string) => `\`${line.slice(1, -1)}${profileOption(options.profile)}\``;
        throw Object.assign(error, { hint: error.hint?.replace(/`sms (?:keys|logout)\b[^`]*`/g, withProfile) });
      }
    });
}

const dashboard = "the dashboard (Settings, API Keys)";

async function showDone(profile: ProfileInUse, { host, presenter }: Context, lines: readonly string[]): Promise<void> {
  presenter.show(doneView(await keyEntries(profile, host), ...lines));
}

type KeyEntry = Awaited<ReturnType<typeof keyEntries>>[number];

function keysView(keys: readonly KeyEntry[], now: number): View {
  return {
    json: () => keys,
    quiet: () => keys.map(({ name }) => visible(name)),
    text: (page) => {
      // The key as it is shown begins with its mode.
      const rows = keys.map((key) => [
        visible(key.name),
        key.shown,
        plural(key.ageDays, "day"),
        key.lastUsed === null ? "never" : agoText(Date.parse(key.lastUsed), now),
        key.active ? "in use" : key.retired ? "retired" : "",
      ]);
      return listingText(page, [["NAME", "KEY", "AGE", "LAST USED", ""], ...rows]);
    },
  };
}
