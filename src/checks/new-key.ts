import { type ApiKey, readKey } from "../key.ts";
import { addKey, requireUnknownKey, requireUnusedName, retiredName, rotateKey } from "../profiles/edits.ts";
import { addressFor, ownAddress, profileInUse, type ProfileInUse, storedProfile } from "../profiles/resolve.ts";
import { changeProfile } from "../profiles/store.ts";
import { newKey, requireOwnKey } from "../profiles/stored.ts";
import { baseUrlOf, sendPath } from "../service/address.ts";
import type { Context, GlobalOptions } from "../terminal/context.ts";
import { prompterFor } from "../terminal/prompt.ts";
import { readSecret } from "./ask-secret.ts";
import { verifyCredentials } from "./verification.ts";

/** A stored key goes only to its profile's base URL, so that a new profile takes SMS_BASE_URL. */
export async function storeNewKey(
  name: string,
  options: GlobalOptions & { readonly verify: boolean },
  context: Context,
): Promise<{ readonly key: ApiKey; readonly before: ProfileInUse; readonly profile: ProfileInUse }> {
  const { host } = context;
  const before = profileInUse(host, options.profile);
  requireUnusedName(before, name);
  const address = (before.baseUrl === undefined ? addressFor : ownAddress)(before, host.environment);
  const key = await askForKey(`API key to store as ${name}`, options, context);
  requireUnknownKey(before, key);
  const path = options.verify
    ? await verifyCredentials({ address, credentials: { kind: "key", key } }, "your input", context, "--no-verify")
    : sendPath;
  const entry = newKey(key, baseUrlOf(address), host.now());
  const profile = await changeProfile(before.name, context, (current) => addKey(current, name, entry, path), true);
  return { key, before, profile };
}

/** The old key is kept as retired. */
export async function replaceKey(
  name: string,
  options: GlobalOptions,
  context: Context,
): Promise<{ readonly profile: ProfileInUse; readonly retired: string }> {
  const { host } = context;
  const before = storedProfile(host, options.profile);
  requireOwnKey(before, name);
  const address = ownAddress(before, host.environment);
  const key = await askForKey(`New API key to replace ${name}`, options, context);
  await verifyCredentials({ address, credentials: { kind: "key", key } }, "the new key", context);
  const entry = newKey(key, baseUrlOf(address), host.now());
  const profile = await changeProfile(before.name, context, (current) => rotateKey(current, name, entry));
  return { profile, retired: retiredName(before, name) };
}

async function askForKey(question: string, options: GlobalOptions, context: Context): Promise<ApiKey> {
  const prompter = prompterFor(context.host, options);
  const isPiped = prompter === undefined && !context.host.stdin.isTerminal();
  const check = (answer: string) => readKey(answer, "this");
  return readKey(
    await readSecret({ question, check, isPiped, hint: "give it on standard input" }, prompter, context),
    "the input",
  );
}
