import { type Address, readAddress, sendPath } from "../core/address.ts";
import type { BodyFields, Credentials } from "../core/credentials.ts";
import { readKey } from "../core/key.ts";
import { readCountry } from "../core/number.ts";
import { senderByName } from "../core/sender.ts";
import { usageError } from "../errors.ts";
import { loginWithKey, putProfile, useAccount } from "../profiles/edits.ts";
import { checkedAccount } from "../profiles/environment.ts";
import { findProfile } from "../profiles/find.ts";
import { loadStore } from "../profiles/resolve.ts";
import type { Defaults, Profile } from "../profiles/stored.ts";
import type { Context } from "./context.ts";
import type { LoginOptions } from "./login.ts";
import { changeProfiles, timestamp } from "./profile-store.ts";
import { type Prompter, prompterFor } from "./prompt.ts";
import { secretFromInput } from "./secret.ts";
import { showStatus } from "./run-status.ts";
import { requireTaken } from "./verification.ts";

/** Stores the credentials of a profile, once the service has taken them. */
export async function runLogin(options: LoginOptions, context: Context): Promise<void> {
  const { host } = context;
  const store = loadStore(host);
  const name = options.profile ?? (host.environment["SMS_PROFILE"] || store.active);
  const before = findProfile(store, name);
  const defaults = readDefaults(options);
  const prompter = prompterFor(host, options);
  const address = await chooseAddress(options, before, context, prompter);
  const credentials = await chooseCredentials(options, context, prompter);
  const path = options.verify
    ? await requireTaken(address, credentials, "what you gave", context)
    : (before?.path ?? sendPath);
  await changeProfiles(host, (current) => {
    const settings = { baseUrl: address.origin + address.basePath, path, defaults };
    const after = putProfile(current, name, settings);
    if (credentials.kind === "account") return useAccount(after, name, credentials);
    const keyName = options.keyName ?? credentials.key.mode;
    return loginWithKey(after, name, keyName, { key: credentials.key, added: timestamp(host) });
  });
  await showStatus({ ...options, profile: name }, context, "Logged in");
}

async function chooseAddress(
  { baseUrl }: LoginOptions,
  before: Profile | undefined,
  { host }: Context,
  prompter: Prompter | undefined,
): Promise<Address> {
  if (baseUrl !== undefined) return readAddress(baseUrl, "--base-url");
  const known = host.environment["SMS_BASE_URL"] || before?.baseUrl;
  if (prompter !== undefined) {
    const question = "Base URL of the service";
    return readAddress(
      await prompter.ask(question, known, (answer) => readAddress(answer, "the service")),
      "the service",
    );
  }
  if (known !== undefined) return readAddress(known, "the environment or the profile");
  throw usageError("NO_BASE_URL", "there is no base URL", "give it with --base-url https://HOST");
}

async function chooseCredentials(
  options: LoginOptions,
  { host }: Context,
  prompter: Prompter | undefined,
): Promise<Credentials> {
  const isAccount = options.email !== undefined;
  if (options.withKey && (isAccount || options.withPassword)) {
    throw usageError("AMBIGUOUS_CREDENTIALS", "a key and an account are both given", "give one of them");
  }
  if (!isAccount && (options.withPassword || options.bodyFields !== undefined)) {
    throw usageError(
      "NO_EMAIL",
      "there is no e-mail address for the account",
      "give it with --email ADDRESS",
    );
  }
  if (options.email !== undefined) {
    const { email } = options;
    const password = await chooseSecret(
      "Password",
      options.withPassword,
      "--with-password",
      (answer) => void checkedAccount(email, answer),
    );
    const bodyFields = readBodyFields(options.bodyFields);
    return { ...checkedAccount(email, password), ...(bodyFields !== undefined && { bodyFields }) };
  }
  const secret = await chooseSecret(
    "API key",
    options.withKey,
    "--with-key",
    (answer) => void readKey(answer, "that"),
  );
  return { kind: "key", key: readKey(secret, options.withKey ? "standard input" : "what you typed") };

  async function chooseSecret(
    what: string,
    isOnInput: true | undefined,
    flag: string,
    check: (answer: string) => void,
  ) {
    if (isOnInput) return secretFromInput(host);
    if (prompter !== undefined) return prompter.askSecret(what, check);
    throw usageError(
      "NO_SECRET",
      "nobody can be asked for the secret here",
      `give it on standard input with ${flag}`,
    );
  }
}

function readBodyFields(text: string | undefined): BodyFields | undefined {
  if (text === undefined) return undefined;
  const [email = "", password = "", ...others] = text.split(",").map((name) => name.trim());
  const taken = ["", "to", "message", "senderIdName", "senderId"];
  if (others.length > 0 || email === password || taken.includes(email) || taken.includes(password)) {
    throw usageError(
      "INVALID_OPTION",
      "--body-fields does not name two fields of their own",
      "give it as EMAILFIELD,PASSWORDFIELD",
    );
  }
  return { email, password };
}

function readDefaults({ sender, country, tier, rate }: LoginOptions): Defaults {
  if (tier !== undefined && rate !== undefined) {
    throw usageError("AMBIGUOUS_RATE", "--tier and --rate are both given", "give one of them");
  }
  if (sender !== undefined) senderByName(sender);
  const limit = rate ?? tier;
  return {
    ...(sender !== undefined && { sender }),
    ...(country !== undefined && { country: readCountry(country) }),
    ...(limit !== undefined && { rate: limit }),
  };
}
