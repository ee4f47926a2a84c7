import type { Context } from "../shared/context.ts";
import { type GlobalOptions, refuseGlobals } from "../shared/options.ts";
import type { ProfilesVerb } from "./definition.ts";
import { listProfiles } from "./list.ts";
import { removeStoredProfile } from "./remove.ts";
import { useStoredProfile } from "./use.ts";

/** Carries out a verb of `sms profiles`. */
export async function runProfiles(
  verb: ProfilesVerb,
  options: GlobalOptions,
  context: Context,
): Promise<void> {
  refuseGlobals(options, "sms profiles", { profile: "leave it out" });
  switch (verb.kind) {
    case "list":
      return listProfiles(context);
    case "use":
      return useStoredProfile(verb.name, context);
    case "remove":
      return removeStoredProfile(verb.name, options, context);
  }
}
