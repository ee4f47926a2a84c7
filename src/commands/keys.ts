import { learnTyped } from "../profiles/secrets.ts";
import { Command } from "@commander-js/extra-typings";
import { sendPath } from "../service/address.ts";
import { type ApiKey, readKey } from "../key.ts";
import { profileOption, shellWord } from "../words/shell-word.ts";
import type { Host } from "../host.ts";
import { plural } from "../words/count.ts";
import { agoText } from "../terminal/text.ts";
import { doneView, listingText } from "../terminal/layout.ts";
import type { View } from "../terminal/presenter.ts";
import { visible } from "../terminal/redact.ts";
import { addKey, isInUse, removeKey, renameKey, requireUnknownKey, rotateKey, useKey } from "../profiles/edits.ts";
import { requireProfile, type Store } from "../profiles/stored.ts";
import { keyEntries, placeOfNewKey, placeOfRotation, turnsLive } from "../profiles/keys.ts";
import { profileInUse, type ProfileInUse, loadStore } from "../profiles/resolve.ts";
import { type Context, type Runner, type GlobalOptions } from "../terminal/context.ts";
import { liveText, nextSendNotice } from "../checks/next-send.ts";
import { type GlobalName, verb, withExamples, withGlobalOptions } from "./shared/options.ts";
import { warnOfRotation } from "../profiles/defaults.ts";
import { notedOf } from "../profiles/record.ts";
import { changeProfiles } from "../profiles/change.ts";
import { askOrReadSecret, confirmLoss } from "../terminal/prompt.ts";
import { timestamp } from "./shared/times.ts";
import { verifyCredentials } from "../checks/verification.ts";

export function keysCommand(run: Runner) {
  const keys = new Command("keys")
    .description(
      "Manage the API keys of a profile. The service shows a key only once, when the dashboard makes it (Settings, API Keys). sms stores it so that only you can read it, and never prints it whole.",
    )
    .addCommand(
      keyVerb(
        "list",
        { summary: "list the keys with their modes and ages", example: "sms keys list --json" },
        [],
      ).action((_, command) => run(command, listKeys)),
    )
    .addCommand(
      withGlobalOptions(
        verb("add", "store a key that the service accepts", "sms keys add prod < key.txt")
          .description("Store a key, from a hidden prompt or standard input, once the service has accepted it.")
          .option("--no-verify", "do not check the key with the service"),
        ["profile", "json", "quiet", "verbose", "input"],
      )
        .argument("<name>", "a name for the key")
        .action((name, flags, command) =>
          run(command, (options, context) => addNewKey(name, { ...flags, ...options }, context)),
        ),
    )
    .addCommand(
      keyVerb("use", { summary: "switch to a key", example: "sms keys use prod" }, [])
        .argument("<name>", "the key")
        .action((name, _, command) => run(command, (options, context) => useStoredKey(name, options, context))),
    )
    .addCommand(
      keyVerb("rename", { summary: "rename a key", example: "sms keys rename prod production" }, [])
        .argument("<from>", "the key")
        .argument("<to>", "its new name")
        .action((from, to, _, command) =>
          run(command, (options, context) => renameStoredKey(from, to, options, context)),
        ),
    )
    .addCommand(
      keyVerb(
        "rotate",
        { summary: "replace a key, and keep the old one as retired", example: "sms keys rotate prod < key.txt" },
        ["verbose", "input"],
      )
        .description(
          "Replace a key by a new one, and keep the old one as retired. Asks for the new key, or reads it from standard input, and stores it once the service takes it.",
        )
        .argument("<name>", "the key")
        .action((name, _, command) => run(command, (options, context) => rotateStoredKey(name, options, context))),
    )
    .addCommand(
      keyVerb("remove", { summary: "remove a key from this machine", example: "sms keys remove prod-retired" }, [
        "input",
        "yes",
      ])
        .description(
          "Remove a key from this machine, after a confirmation. It stays valid until you revoke it in the dashboard.",
        )
        .argument("<name>", "the key")
        .action((name, _, command) => run(command, (options, context) => removeStoredKey(name, options, context))),
    );
  return withExamples(keys, ["sms keys list", "sms keys add prod < key.txt", "sms keys rotate prod < key.txt"]);
}

function keyVerb(
  name: string,
  { summary, example }: { readonly summary: string; readonly example: string },
  uses: readonly GlobalName[],
) {
  return withGlobalOptions(verb(name, summary, example), ["profile", "json", "quiet", ...uses]);
}

function entriesOf(profile: ProfileInUse, host: Host) {
  return keyEntries(profile, host, (payer) => notedOf(payer, host, profile));
}

async function listKeys(options: GlobalOptions, { host, presenter }: Context): Promise<void> {
  const profile = profileInUse(host, options.profile);
  const keys = await entriesOf(profile, host);
  presenter.show(keysView(keys, host.now()));
  if (keys.length === 0) presenter.note("There are no keys yet: `sms login` or `sms keys add NAME` adds one.");
  else presenter.note((await nextSendNotice(profile.name, host)).join(" "));
  for (const { name, ageDays } of keys.filter(({ retired }) => !retired)) {
    warnOfRotation({ name, ageDays, profile: options.profile }, presenter);
  }
}

async function addNewKey(
  name: string,
  options: GlobalOptions & { readonly verify: boolean },
  context: Context,
): Promise<void> {
  const { host } = context;
  const profile = profileInUse(host, options.profile);
  const { address, isBound } = placeOfNewKey(profile, name, host.environment);
  const key = await askForKey(`API key to store as ${name}`, options, context);
  requireUnknownKey(profile, key);
  const path = options.verify
    ? await verifyCredentials({ address, credentials: { kind: "key", key } }, "your input", context, "--no-verify")
    : sendPath;
  const baseUrl = address.origin + address.basePath;
  const added = { key, baseUrl, path, added: timestamp(host) };
  const after = await changed(profile, (store) => addKey(store, { profile: profile.name, name }, added), context);
  const use = `sms keys use ${shellWord(name)}${profileOption(options.profile)}`;
  const lines = [
    isInUse(after, name)
      ? `Added ${key.mode} key ${name}, which is now in use.`
      : `Added ${key.mode} key ${name}. Run \`${use}\` to use it.`,
    ...(options.verify ? [] : ["The key is stored, but the service has not checked it."]),
    ...(isBound ? [] : [`Profile ${profile.name} uses ${baseUrl}.`]),
    ...(isInUse(after, name) ? await nextSendNotice(profile.name, host) : []),
  ];
  await showDone(after, lines, context);
}

async function useStoredKey(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const profile = profileInUse(context.host, options.profile);
  const after = await changed(profile, (store) => useKey(store, profile.name, name), context);
  const turned = turnsLive(profile, after) ? [liveText(profile.name)] : [];
  const notice = await nextSendNotice(profile.name, context.host);
  await showDone(after, [`Key ${name} is in use.`, ...turned, ...notice], context);
}

async function renameStoredKey(from: string, to: string, options: GlobalOptions, context: Context): Promise<void> {
  const profile = profileInUse(context.host, options.profile);
  const after = await changed(profile, (store) => renameKey(store, profile.name, from, to), context);
  await showDone(after, [`Renamed key ${from} to ${to}.`], context);
}

async function rotateStoredKey(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const { host } = context;
  const profile = profileInUse(host, options.profile);
  const { address, retired } = placeOfRotation(profile, name, host);
  const key = await askForKey(`New API key to replace ${name}`, options, context);
  await verifyCredentials({ address, credentials: { kind: "key", key } }, "the new key", context);
  const added = { key, baseUrl: address.origin + address.basePath, added: timestamp(host) };
  const after = await changed(profile, (store) => rotateKey(store, { profile: profile.name, name }, added), context);
  const { credentials } = after;
  const other = credentials.kind === "key" ? `; key ${credentials.name} stays in use` : "";
  const lines = [
    `Key ${name} is replaced${isInUse(after, name) ? ", and the new one is in use" : other}.`,
    `The old one is now ${retired}: revoke it in ${dashboard},`,
    `then remove it with \`sms keys remove ${shellWord(retired)}${profileOption(options.profile)}\`.`,
    ...(await nextSendNotice(profile.name, host)),
  ];
  await showDone(after, lines, context);
}

async function removeStoredKey(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const { host } = context;
  const profile = profileInUse(host, options.profile);
  const edit = (before: Store) => removeKey(before, profile.name, name);
  // Throws before the question if it cannot be removed.
  edit(loadStore(host));
  await confirmLoss(`Remove key ${name}? The service never shows a key again.`, options, host);
  const after = await changed(profile, edit, context);
  const lines = [`Removed key ${name} from this machine. If it is not revoked yet, revoke it in ${dashboard}.`];
  await showDone(after, lines, context);
}

const dashboard = "the dashboard (Settings, API Keys)";

async function changed({ name }: ProfileInUse, edit: (store: Store) => Store, context: Context): Promise<ProfileInUse> {
  return { ...requireProfile(await changeProfiles(context, edit), name), name, isStored: true };
}

async function showDone(after: ProfileInUse, lines: readonly string[], { host, presenter }: Context): Promise<void> {
  presenter.show(doneView(await entriesOf(after, host), ...lines));
}

async function askForKey(question: string, options: GlobalOptions, { host, redactor }: Context): Promise<ApiKey> {
  const secret = await askOrReadSecret(host, options, { question, check: (answer) => void readKey(answer, "this") });
  learnTyped(redactor, secret.trim());
  return readKey(secret, "the input");
}

type KeyEntry = Awaited<ReturnType<typeof keyEntries>>[number];

export function keysView(keys: readonly KeyEntry[], now: number): View {
  return {
    json: () => keys,
    quiet: () => keys.map(({ name }) => visible(name)),
    text: (page) => {
      if (keys.length === 0) return "";
      // The key as it is shown begins with its mode.
      const rows = keys.map(({ name, shown, ageDays, lastUsed, active, retired }) => [
        visible(name),
        shown,
        plural(ageDays, "day"),
        lastUsed === null ? "never" : agoText(Date.parse(lastUsed), now),
        active ? "in use" : retired ? "retired" : "",
      ]);
      return listingText(page, [["NAME", "KEY", "AGE", "LAST USED", ""], ...rows]);
    },
  };
}
