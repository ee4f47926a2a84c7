import { type Address, readAddress } from "../../core/address.ts";
import { type ApiKey, readKey } from "../../core/key.ts";
import { usageError } from "../../errors.ts";
import {
  addKey,
  removeKey,
  renameKey,
  requireFree,
  retiredName,
  rotateKey,
  useKey,
} from "../../profiles/edits.ts";
import { requireKey, requireProfile } from "../../profiles/find.ts";
import { type ChosenProfile, chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Store } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import type { KeysVerb } from "./definition.ts";
import { listKeys } from "./list.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { confirmLoss } from "../profiles/profiles.ts";
import { changeProfiles, timestamp } from "../shared/profile-store.ts";
import { askOrReadSecret } from "../shared/secret.ts";
import { learnTyped } from "../shared/secrets.ts";
import { requireTaken } from "../shared/verification.ts";

/** Where keys are made and revoked. */
const dashboard = "the dashboard (Settings, API Keys)";

/** Carries out one verb of `sms keys` on the profile in question. */
export async function runKeys(verb: KeysVerb, options: GlobalOptions, context: Context): Promise<void> {
  const { host } = context;
  const chosen = chooseProfile(loadStore(host), host.environment, options.profile);
  const profile = chosen.name;
  const change = (edit: (store: Store) => Store) => changeProfiles(host, edit);
  const say = (text: string) => {
    if (!options.quiet && !options.json) host.stdout.write(`${text}\n`);
  };
  switch (verb.kind) {
    case "list":
      return listKeys(chosen, options, context);
    case "add": {
      // Said before anybody types a key that cannot be kept.
      if (chosen.profile !== undefined) requireFree(chosen.profile, verb.name);
      const key = await askForKey(`API key to keep as ${verb.name}`, options, context);
      const after = await change((store) =>
        addKey(store, profile, verb.name, { key, added: timestamp(host) }),
      );
      const { credentials } = requireProfile(after, profile);
      const isInUse = credentials.kind === "key" && credentials.name === verb.name;
      say(
        `Kept ${verb.name}, a ${key.mode} key${isInUse ? ", and it is in use." : `. \`sms keys use ${verb.name}\` puts it in use.`}`,
      );
      break;
    }
    case "use":
      await confirmSwitch(chosen, options, context);
      await change((store) => useKey(store, profile, verb.name));
      say(`${verb.name} is in use.`);
      break;
    case "rename":
      await change((store) => renameKey(store, profile, verb.from, verb.to));
      say(`${verb.from} is now ${verb.to}.`);
      break;
    case "verify": {
      const { name, key } = storedKey(chosen, verb.name);
      await requireTaken(
        addressOf(chosen, context),
        { kind: "key", key },
        `key ${JSON.stringify(name)}`,
        context,
      );
      say(`The service takes ${name}.`);
      break;
    }
    case "rotate": {
      storedKey(chosen, verb.name);
      await confirmSwitch(chosen, options, context);
      const key = await askForKey(`New API key, in place of ${verb.name}`, options, context);
      await requireTaken(addressOf(chosen, context), { kind: "key", key }, "the new key", context);
      const retired = retiredName(requireProfile(loadStore(host), profile), verb.name);
      await change((store) =>
        useKey(rotateKey(store, profile, verb.name, { key, added: timestamp(host) }), profile, verb.name),
      );
      say(
        `${verb.name} is the new key, and in use. The old one is kept as ${retired}: revoke it in ${dashboard},\nthen forget it with \`sms keys remove ${retired}\`.`,
      );
      break;
    }
    case "remove":
      await change((store) => removeKey(store, profile, verb.name));
      say(`${verb.name} is forgotten here. If it is not revoked yet, revoke it in ${dashboard}.`);
  }
  if (options.json)
    await listKeys({ name: profile, profile: requireProfile(loadStore(host), profile) }, options, context);
}

/** A key in use takes the place of the account's password, which is kept nowhere else here. */
async function confirmSwitch(
  { profile }: ChosenProfile,
  options: GlobalOptions,
  { host }: Context,
): Promise<void> {
  if (profile?.credentials.kind !== "account") return;
  await confirmLoss("Use a key, and forget the account's password?", options, host);
}

async function askForKey(
  question: string,
  options: GlobalOptions,
  { host, redactor }: Context,
): Promise<ApiKey> {
  const secret = await askOrReadSecret(host, options, question, (answer) => void readKey(answer, "that"));
  learnTyped(redactor, secret.trim());
  return readKey(secret, "what was given");
}

/** The key of that name, or the one in use. */
function storedKey({ name: profileName, profile }: ChosenProfile, asked: string | undefined) {
  const inUse = profile?.credentials.kind === "key" ? profile.credentials.name : undefined;
  const name = asked ?? inUse;
  if (profile === undefined || name === undefined) {
    throw usageError(
      "UNKNOWN_KEY",
      `profile ${JSON.stringify(profileName)} has no key in use`,
      "`sms keys add NAME` keeps one",
    );
  }
  return { name, key: readKey(requireKey(profile, name).secret, `key ${JSON.stringify(name)}`) };
}

function addressOf({ profile }: ChosenProfile, { host }: Context): Address {
  // The key is kept for the profile's service, whatever a send may be told to use.
  if (profile?.baseUrl !== undefined) return readAddress(profile.baseUrl, "the profile");
  const given = host.environment["SMS_BASE_URL"];
  if (given) return readAddress(given, "SMS_BASE_URL");
  throw usageError("NO_BASE_URL", "there is no base URL", "log in with `sms login`, or set SMS_BASE_URL");
}
