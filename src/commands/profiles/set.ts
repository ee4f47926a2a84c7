import { readCountry } from "../../core/number.ts";
import { senderByName } from "../../core/sender.ts";
import { usageError } from "../../errors.ts";
import { doneView } from "../../output/done.ts";
import { setDefault } from "../../profiles/edits.ts";
import { requireProfile } from "../../profiles/find.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { type Defaults, settings } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import { limits } from "../shared/limits.ts";
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
  const { name } = chooseProfile(loadStore(host), host.environment, profile);
  const value = text === undefined ? undefined : valueOf(setting, text);
  const field = setting === "tier" ? "rate" : setting;
  const store = await changeProfiles(host, (before) => setDefault(before, name, field, value));
  const { defaults } = requireProfile(store, name);
  const done = value === undefined ? `Cleared ${setting}` : `Set ${setting} to ${value}`;
  presenter.show(doneView({ profile: name, defaults }, `${done} in profile ${name}.`));
}

function valueOf(setting: (typeof settings)[number], text: string): Defaults[keyof Defaults] {
  switch (setting) {
    case "sender":
      senderByName(text);
      return text;
    case "country":
      return readCountry(text);
    case "tier":
      return limits.tier(text, undefined);
    case "rate":
      return limits.rate(text, undefined);
  }
}
