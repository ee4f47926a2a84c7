import { readKey } from "../../core/key.ts";
import { usageError } from "../../errors.ts";
import { jsonLine, visible } from "../../output/sanitize.ts";
import { tableText } from "../../output/table.ts";
import { plural } from "../../output/text.ts";
import { removeProfile, useProfile } from "../../profiles/edits.ts";
import { requireProfile } from "../../profiles/find.ts";
import { loadStore } from "../../profiles/resolve.ts";
import type { Profile, Store } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import { type GlobalOptions, refuseGlobals } from "../shared/options.ts";
import type { ProfilesVerb } from "./definition.ts";
import { changeProfiles } from "../shared/profile-store.ts";
import { prompterFor } from "../shared/prompt.ts";

/** Carries out one verb of `sms profiles`. */
export async function runProfiles(
  verb: ProfilesVerb,
  options: GlobalOptions,
  { host }: Context,
): Promise<void> {
  refuseGlobals(options, "sms profiles", { profile: "leave it out" });
  switch (verb.kind) {
    case "list":
      break;
    case "use":
      await changeProfiles(host, (store) => useProfile(store, verb.name));
      break;
    case "remove": {
      const { keys } = requireProfile(loadStore(host), verb.name);
      await confirmLoss(
        `Forget profile ${verb.name} with ${plural(Object.keys(keys).length, "key")}?`,
        options,
        host,
      );
      await changeProfiles(host, (store) => removeProfile(store, verb.name));
    }
  }
  const store = loadStore(host);
  if (options.json) host.stdout.write(jsonLine(listed(store)));
  else if (verb.kind === "list") host.stdout.write(listText(store, options.quiet));
  else if (!options.quiet)
    host.stdout.write(`${visible(verb.name)} is ${verb.kind === "use" ? "in use" : "forgotten"}.\n`);
}

/** Asks before something is lost that nobody can bring back; where nobody can be asked, the command is the answer. */
export async function confirmLoss(
  question: string,
  options: GlobalOptions,
  host: Context["host"],
): Promise<void> {
  const prompter = prompterFor(host, options);
  if (prompter === undefined || (await prompter.confirm(question))) return;
  throw usageError("DECLINED", "nothing was forgotten");
}

function listed({ profiles, active }: Store) {
  return Object.entries(profiles).map(([name, profile]) => ({
    name,
    baseUrl: profile.baseUrl ?? null,
    mode: modeText(profile),
    keys: Object.keys(profile.keys).length,
    active: name === active,
  }));
}

function listText(store: Store, quiet: boolean): string {
  const all = listed(store);
  if (quiet) return all.map(({ name }) => `${visible(name)}\n`).join("");
  const rows = all.map(({ name, baseUrl, mode, keys, active }) => [
    visible(name),
    baseUrl ?? "no base URL",
    mode ?? "no credentials",
    plural(keys, "key"),
    active ? "in use" : "",
  ]);
  return tableText([["NAME", "BASE URL", "MODE", "KEYS", ""], ...rows]);
}

function modeText({ credentials, keys }: Profile): string | null {
  if (credentials.kind !== "key") return credentials.kind === "account" ? "account" : null;
  const key = keys[credentials.name];
  return key === undefined ? null : readKey(key.secret, "the key in use").mode;
}
