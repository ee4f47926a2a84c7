import { Command } from "@commander-js/extra-typings";
import { resolve } from "node:path";
import { readCountry } from "../message/number.ts";
import { senderByName } from "../message/sender.ts";
import { invalidOption } from "../errors.ts";
import { readHours, readZone } from "../guards/hours.ts";
import type { Host } from "../host.ts";
import { doneView, listingText } from "../terminal/layout.ts";
import type { View } from "../terminal/presenter.ts";
import { visible } from "../terminal/redact.ts";
import { countText, plural } from "../words/count.ts";
import { removeProfile, renameProfile, setDefault, useProfile } from "../profiles/edits.ts";
import { profileEntries } from "../profiles/keys.ts";
import { type Defaults, type Profile, requireProfile, type Store } from "../profiles/stored.ts";
import { profileInUse, type ProfileInUse, loadStore } from "../profiles/resolve.ts";
import { confirmLoss } from "../terminal/prompt.ts";
import type { Context, Runner, GlobalOptions } from "../terminal/context.ts";
import { countryOf, sendDefaults } from "../profiles/defaults.ts";
import { changeProfile, changeProfiles } from "../profiles/store.ts";
import { verb, withExamples, withGlobalOptions } from "./shared/options.ts";
import { creditsOf, wordOf, rateOf } from "./shared/option-values.ts";
import { nextSendNotice } from "../checks/next-send.ts";
import { isNumbers, readOnlyTo } from "../guards/lists.ts";

type Value = Defaults[keyof Defaults];

interface Setting {
  readonly field: keyof Defaults;
  /** Returns the value to store. Throws a usage error for a text that has none. */
  readonly read: (text: string, profile: ProfileInUse, host: Host) => Value | Promise<Value>;
}

const settings = {
  sender: { field: "sender", read: (text) => checked(text, senderByName) },
  country: { field: "country", read: (text) => readCountry(text) },
  rate: { field: "rate", read: (text) => rateOf("rate")(text, undefined) },
  "only-to": { field: "onlyTo", read: readOnlyToSetting },
  hours: { field: "hours", read: (text) => checked(text, hoursOf) },
  zone: { field: "zone", read: (text) => readZone(text, "zone").name },
  "daily-credits": { field: "dailyCredits", read: (text) => creditsOf("daily-credits")(text, undefined) },
  "low-balance": { field: "lowBalance", read: (text) => creditsOf("low-balance")(text, undefined) },
  history: { field: "history", read: (text) => wordOf("history", ["on", "off"])(text, undefined) },
  record: { field: "record", read: (text) => checked(text, placeOf) },
} as const satisfies Readonly<Record<string, Setting>>;

type SettingName = keyof typeof settings;

export function profilesCommand(run: Runner) {
  const names = Object.keys(settings).filter((name): name is SettingName => Object.hasOwn(settings, name));
  const profiles = new Command("profiles")
    .description(
      "List, switch, change, rename and remove profiles. A profile is a base URL with its credentials and defaults. `sms login --profile NAME` creates one.",
    )
    .addCommand(
      withGlobalOptions(
        verb("list", "list the profiles and mark the one in use", "sms profiles list", "sms profiles list --json"),
        ["json", "quiet"],
      ).action((_, command) => run(command, listProfiles)),
    )
    .addCommand(
      withGlobalOptions(verb("use", "switch to a profile", "sms profiles use shop"), ["json", "quiet"])
        .description("Switch to a profile: sms uses it when neither --profile nor SMS_PROFILE names another.")
        .argument("<name>", "the profile")
        .action((name, _, command) => run(command, (_options, context) => useStoredProfile(name, context))),
    )
    .addCommand(
      withGlobalOptions(
        verb(
          "set",
          "set or clear a default of a profile",
          "sms profiles set sender ACME",
          "sms profiles set rate starter --profile shop",
          "sms profiles set country --unset",
        )
          .description(
            "Set or clear a default of a profile: sender; country; rate (requests a minute, or a tier); hours of live sends, and their zone; daily-credits, which live messages may cost in a day; low-balance, below which sms warns; only-to, the only numbers to send to; history (on or off), to which single messages are added; record, which a team shares.",
          )
          .option("--unset", "clear it"),
        ["profile", "json", "quiet"],
      )
        .argument("<setting>", "the default", wordOf("profiles set", names))
        .argument("[value]", "its new value")
        .action((setting, value, flags, command) =>
          run(command, (options, context) =>
            setProfileDefault({ name: setting, text: value }, { ...flags, ...options }, context),
          ),
        ),
    )
    .addCommand(
      withGlobalOptions(verb("rename", "rename a profile", "sms profiles rename default shop"), ["json", "quiet"])
        .argument("<from>", "the profile")
        .argument("<to>", "its new name")
        .action((from, to, _, command) => run(command, (_options, context) => renameStoredProfile(from, to, context))),
    )
    .addCommand(
      withGlobalOptions(verb("remove", "remove a profile with all its keys", "sms profiles remove shop"), [
        "json",
        "quiet",
        "input",
        "yes",
      ])
        .description("Remove a profile with all its keys, after a confirmation. The service never shows a key again.")
        .argument("<name>", "the profile")
        .action((name, _, command) => run(command, (options, context) => removeStoredProfile(name, options, context))),
    );
  return withExamples(profiles, ["sms profiles list", "sms profiles use shop"]);
}

async function listProfiles(_: GlobalOptions, { host, presenter }: Context): Promise<void> {
  const store = loadStore(host);
  const profiles = profileEntries(store);
  presenter.show(profilesView(profiles));
  if (profiles.length === 0) presenter.note("There are no profiles yet: `sms login` makes one.");
  else presenter.note((await nextSendNotice(store.active, host)).join(" "));
}

async function useStoredProfile(name: string, { host, presenter }: Context): Promise<void> {
  const store = await changeProfiles({ host, presenter }, (before) => useProfile(before, name));
  const notice = await nextSendNotice(name, host);
  presenter.show(doneView(profileEntries(store), `Profile ${name} is in use.`, ...notice));
}

async function renameStoredProfile(from: string, to: string, { host, presenter }: Context): Promise<void> {
  const store = await changeProfiles({ host, presenter }, (before) => renameProfile(before, from, to));
  presenter.show(doneView(profileEntries(store), `Renamed profile ${from} to ${to}.`));
}

async function setProfileDefault(
  { name, text }: { readonly name: SettingName; readonly text: string | undefined },
  { unset, ...options }: GlobalOptions & { readonly unset?: true },
  { host, presenter }: Context,
): Promise<void> {
  if ((text === undefined) !== (unset === true)) {
    throw invalidOption(`${name} needs a value or --unset`, "give one of the two");
  }
  const profile = profileInUse(host, options.profile);
  const { field, read } = settings[name];
  const value = text === undefined ? undefined : await read(text, profile, host);
  const edit = (before: Profile) => setDefault(before, field, value);
  const { defaults } = await changeProfile(profile.name, { host, presenter }, edit, value !== undefined);
  const { record } = defaults;
  const shown = record === undefined ? defaults : { ...defaults, record: await placeOf(record) };
  const done = value === undefined ? `Cleared ${name}` : `Set ${name} to ${shown[field]}`;
  presenter.show(doneView({ profile: profile.name, defaults: shown }, `${done} in profile ${profile.name}.`));
}

/** Returns a text that `check` accepts, as it was typed. */
async function checked(text: string, check: (text: string) => unknown): Promise<string> {
  await check(text);
  return text;
}

function hoursOf(text: string) {
  return readHours(text, readZone("UTC", "UTC"), "hours");
}

async function readOnlyToSetting(text: string, profile: ProfileInUse, host: Host): Promise<string> {
  // The profile is used in other working folders.
  const value = isNumbers(text) ? text : resolve(text);
  const country = countryOf(undefined, sendDefaults(host.environment, profile));
  await readOnlyTo({ value, name: "profiles set only-to" }, country, host);
  return value;
}

/** Returns the address of a record without its password. Throws `INVALID_RECORD`. */
async function placeOf(url: string): Promise<string> {
  const { readRecordAddress } = await import("../record/postgres/address.ts");
  return readRecordAddress(url).place;
}

async function removeStoredProfile(name: string, options: GlobalOptions, { host, presenter }: Context): Promise<void> {
  const edit = (before: Store) => removeProfile(before, name);
  const before = loadStore(host);
  // Throws before the question if it cannot be removed.
  edit(before);
  const count = plural(Object.keys(requireProfile(before, name).keys).length, "key");
  await confirmLoss(`Remove profile ${name} with ${count}?`, options, host);
  const store = await changeProfiles({ host, presenter }, edit);
  presenter.show(doneView(profileEntries(store), `Removed profile ${name}.`));
}

export function profilesView(profiles: ReturnType<typeof profileEntries>): View {
  return {
    json: () => profiles,
    quiet: () => profiles.map(({ name }) => visible(name)),
    text: (page) => {
      if (profiles.length === 0) return "";
      const rows = profiles.map(({ name, baseUrl, mode, keyCommand, keys, sender, country, onlyTo, active }) => [
        visible(name),
        baseUrl ?? "no base URL",
        mode ?? (keyCommand === undefined ? "no credentials" : "key command"),
        countText(keys),
        sender === null ? "" : visible(sender),
        country ?? "",
        [active && "in use", onlyTo !== undefined && `only to ${visible(onlyTo)}`].filter(Boolean).join(", "),
      ]);
      return listingText(page, [["NAME", "BASE URL", "MODE", "KEYS", "SENDER", "COUNTRY", ""], ...rows]);
    },
  };
}
