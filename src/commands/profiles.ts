import { resolve } from "node:path";
import { readCountry } from "../message/number.ts";
import { senderByName } from "../message/sender.ts";
import { invalidOption } from "../errors.ts";
import { readHours, readZone } from "../guards/hours.ts";
import { doneView, listingText } from "../terminal/layout.ts";
import type { View, Context, Perform, GlobalOptions } from "../terminal/context.ts";
import { visible } from "../terminal/text.ts";
import { countText, plural } from "../words/count.ts";
import { removeProfile, renameProfile, setDefault, useProfile } from "../profiles/edits.ts";
import { profileEntries } from "../profiles/keys.ts";
import type { Defaults, Profile, Store } from "../profiles/stored.ts";
import { profileInUse, type ProfileInUse, loadStore, storedProfile } from "../profiles/resolve.ts";
import { confirmLoss } from "../terminal/prompt.ts";
import { requireNumber } from "../recipients/one-message.ts";
import { explainedForSetting } from "../recipients/ways-on.ts";
import { requireOneNumber } from "../recipients/numbers.ts";
import { placeOfRecord } from "../profiles/record.ts";
import { countryOf } from "../profiles/defaults.ts";
import { changeProfile, changeProfiles } from "../profiles/store.ts";
import { newGroup, verb } from "./shared/options.ts";
import { amounts, wordOf } from "../sending/option-values.ts";
import { checked } from "./shared/typed-values.ts";
import { nextSendNotice } from "../checks/status.ts";
import { isNumbers, readOnlyTo } from "../guards/lists.ts";

interface Setting {
  readonly field: keyof Defaults;
  readonly read: (text: string, profile: ProfileInUse, context: Context) => string | number | Promise<string>;
}

const { credits, rate } = amounts;

const settings = {
  sender: { field: "sender", read: (text) => asTyped(text, senderByName) },
  country: { field: "country", read: (text) => readCountry(text) },
  rate: { field: "rate", read: (text) => checked("rate", rate)(text, undefined) },
  "only-to": { field: "onlyTo", read: readOnlyToSetting },
  hours: { field: "hours", read: (text) => asTyped(text, () => readHours(text, readZone("UTC", "UTC"), "hours")) },
  zone: { field: "zone", read: (text) => readZone(text, "zone").name },
  "daily-credits": { field: "dailyCredits", read: (text) => checked("daily-credits", credits)(text, undefined) },
  "low-balance": { field: "lowBalance", read: (text) => checked("low-balance", credits)(text, undefined) },
  "notify-to": { field: "notifyTo", read: readNotifyTo },
  history: { field: "history", read: (text) => checked("history", wordOf(["on", "off"]))(text, undefined) },
  record: { field: "record", read: (text) => asTyped(text, placeOfRecord) },
} as const satisfies Readonly<Record<Kebab<keyof Defaults>, Setting>>;

type Kebab<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : Name;

type SettingName = keyof typeof settings;

export function profilesCommand(perform: Perform) {
  const names = Object.keys(settings).filter((name): name is SettingName => Object.hasOwn(settings, name));
  return newGroup(
    "profiles",
    "List, switch, change, rename and remove profiles. A profile is a base URL with its credentials and defaults. `sms login --profile NAME` creates one.",
    "sms profiles list",
    "sms profiles use shop",
  )
    .addCommand(
      verb(
        "list",
        "list the profiles and mark the one in use",
        "list",
        ofResult,
        "sms profiles list",
        "sms profiles list --json",
      ).action((_, command) => perform(command, listProfiles)),
    )
    .addCommand(
      verb("use", "switch to a profile", "done", ofResult, "sms profiles use shop")
        .description("Switch to a profile: sms uses it when neither --profile nor SMS_PROFILE names another.")
        .argument("<name>", "the profile")
        .action((name, _, command) => perform(command, (_options, context) => switchToProfile(name, context))),
    )
    .addCommand(
      verb(
        "set",
        "set or clear a default of a profile",
        "done",
        ["profile", ...ofResult],
        "sms profiles set sender ACME",
        "sms profiles set rate starter --profile shop",
        "sms profiles set country --unset",
      )
        .description(
          "Set or clear a default of a profile: sender; country; rate (requests a minute, or a tier); hours of live sends, and their zone; daily-credits, which live messages may cost in a day; low-balance, below which sms warns; only-to, the only numbers to send to; notify-to, the number to which notify tells how a command ended; history (on or off), to which single messages are added; record, which a team shares.",
        )
        .option("--unset", "clear it")
        .argument("<setting>", "the default", wordOf(names))
        .argument("[value]", "its new value")
        .action((name, value, _, command) =>
          perform(command, (options, context) => setProfileDefault(name, value, options, context)),
        ),
    )
    .addCommand(
      verb("rename", "rename a profile", "done", ofResult, "sms profiles rename default shop")
        .argument("<from>", "the profile")
        .argument("<to>", "its new name")
        .action((from, to, _, command) => perform(command, (_options, context) => renameProfileTo(from, to, context))),
    )
    .addCommand(
      verb("remove", "remove a profile with all its keys", "done", asks, "sms profiles remove shop")
        .description("Remove a profile with all its keys, after a confirmation. The service never shows a key again.")
        .argument("<name>", "the profile")
        .action((name, _, command) => perform(command, (options, context) => removeNamed(name, options, context))),
    );
}

const ofResult = ["json", "quiet"] as const;
const asks = [...ofResult, "input", "yes"] as const;

async function listProfiles(_: GlobalOptions, { host, presenter }: Context): Promise<void> {
  const store = loadStore(host);
  const profiles = profileEntries(store);
  presenter.show(profilesView(profiles));
  if (profiles.length === 0) presenter.note("There are no profiles yet: `sms login` makes one.");
  else presenter.note((await nextSendNotice(store.active, host)).join(" "));
}

async function switchToProfile(name: string, context: Context): Promise<void> {
  const store = await changeProfiles(context, (before) => useProfile(before, name));
  showDone(store, context, `Profile ${name} is in use.`, ...(await nextSendNotice(name, context.host)));
}

async function renameProfileTo(from: string, to: string, context: Context): Promise<void> {
  const store = await changeProfiles(context, (before) => renameProfile(before, from, to));
  showDone(store, context, `Renamed profile ${from} to ${to}.`);
}

async function removeNamed(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const { keys } = storedProfile(context.host, name);
  // Throws before the question if nobody can remove the profile.
  removeProfile(loadStore(context.host), name);
  const question = `Remove profile ${name} with ${plural(Object.keys(keys).length, "key")}?`;
  await confirmLoss(question, options, context.host);
  const store = await changeProfiles(context, (before) => removeProfile(before, name));
  showDone(store, context, `Removed profile ${name}.`);
}

function showDone(store: Store, { presenter }: Context, ...lines: readonly string[]): void {
  presenter.show(doneView(profileEntries(store), ...lines));
}

async function setProfileDefault(
  name: SettingName,
  text: string | undefined,
  options: GlobalOptions & { readonly unset?: true },
  context: Context,
): Promise<void> {
  if ((text === undefined) !== (options.unset === true))
    throw invalidOption(`${name} needs a value or --unset`, "give one of the two");
  const before = profileInUse(context.host, options.profile);
  const { field, read } = settings[name];
  const value = text === undefined ? undefined : await read(text, before, context);
  const edit = (current: Profile) => setDefault(current, field, value);
  const profile = await changeProfile(before.name, context, edit, value !== undefined);
  const { record } = profile.defaults;
  const defaults = { ...profile.defaults, record: record && (await placeOfRecord(record)) };
  const change = value === undefined ? `Cleared ${name}` : `Set ${name} to ${defaults[field]}`;
  context.presenter.show(doneView({ profile: profile.name, defaults }, `${change} in profile ${profile.name}.`));
}

/** A number is stored with its country, and a list by its name. */
async function readNotifyTo(text: string, profile: ProfileInUse, context: Context): Promise<string> {
  const number = await requireOneNumber(text, context);
  const country = countryOf(undefined, context.host.environment, profile);
  const { e164 } = await explainedForSetting(profile.name, requireNumber(number, country));
  return number === text ? e164 : text;
}

async function asTyped(text: string, check: (text: string) => unknown): Promise<string> {
  await check(text);
  return text;
}

async function readOnlyToSetting(text: string, profile: ProfileInUse, { host, presenter }: Context): Promise<string> {
  // The profile is used in other working folders.
  const value = isNumbers(text) ? text : resolve(text);
  const country = countryOf(undefined, host.environment, profile);
  const { warnings } = await explainedForSetting(
    profile.name,
    readOnlyTo(value, "profiles set only-to", country, host),
  );
  for (const warning of warnings) presenter.insist(warning);
  return value;
}

function profilesView(profiles: ReturnType<typeof profileEntries>): View {
  return {
    json: () => profiles,
    quiet: () => profiles.map(({ name }) => visible(name)),
    text: (page) => {
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
