import { resolve } from "node:path";
import { readCountry } from "../../core/number.ts";
import { senderByName } from "../../core/sender.ts";
import { usageError } from "../../errors.ts";
import { readHours } from "../../guards/hours.ts";
import { isNumbers } from "../../guards/only-to.ts";
import { readZone } from "../../guards/zone.ts";
import type { Host } from "../../host.ts";
import { doneView } from "../../output/done.ts";
import { setDefault } from "../../profiles/edits.ts";
import { requireProfile } from "../../profiles/find.ts";
import { chooseProfile, type ChosenProfile, loadStore } from "../../profiles/resolve.ts";
import { type Defaults, settings } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import { countryOf, sendDefaults } from "../shared/defaults.ts";
import { rateOf } from "../shared/limits.ts";
import { readOnlyTo } from "../shared/number-lists.ts";
import { oneOf } from "../shared/option-values.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeProfiles } from "../shared/profile-store.ts";

/** Sets a default of a profile, or clears it. */
export async function setProfileDefault(
  named: string,
  text: string | undefined,
  { unset, profile }: GlobalOptions & { readonly unset?: true },
  { host, presenter }: Context,
): Promise<void> {
  const setting = oneOf("profiles set", settings)(named, undefined);
  if ((text === undefined) !== (unset === true)) {
    throw usageError("INVALID_OPTION", `${setting} needs a value or --unset`, "give one of the two");
  }
  const chosen = chooseProfile(loadStore(host), host.environment, profile);
  const { name } = chosen;
  const value = text === undefined ? undefined : await valueOf(setting, text, chosen, host);
  const store = await changeProfiles({ host, presenter }, (before) =>
    setDefault(before, name, fieldOf[setting], value),
  );
  const { defaults } = requireProfile(store, name);
  const done = value === undefined ? `Cleared ${setting}` : `Set ${setting} to ${value}`;
  presenter.show(doneView({ profile: name, defaults }, `${done} in profile ${name}.`));
}

type Setting = (typeof settings)[number];

const fieldOf = {
  sender: "sender",
  country: "country",
  rate: "rate",
  "only-to": "onlyTo",
  hours: "hours",
  zone: "zone",
  history: "history",
} as const satisfies Readonly<Record<Setting, keyof Defaults>>;

async function valueOf(
  setting: Setting,
  text: string,
  chosen: ChosenProfile,
  host: Host,
): Promise<Defaults[keyof Defaults]> {
  switch (setting) {
    case "sender":
      senderByName(text);
      return text;
    case "country":
      return readCountry(text);
    case "rate":
      return rateOf("rate")(text, undefined);
    case "only-to": {
      // The profile is used in other working folders.
      const value = isNumbers(text) ? text : resolve(text);
      const country = countryOf(undefined, sendDefaults(host.environment, chosen.profile));
      await readOnlyTo(value, "profiles set only-to", country, host);
      return value;
    }
    case "hours":
      readHours(text, readZone("UTC", "UTC"), "hours");
      return text;
    case "zone":
      return readZone(text, "zone").name;
    case "history":
      return oneOf("history", ["on", "off"])(text, undefined);
  }
}
