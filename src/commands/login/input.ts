import { type Address, readAddress, urlOfHost } from "../../core/address.ts";
import type { BodyFields, Credentials } from "../../core/credentials.ts";
import { readKey } from "../../core/key.ts";
import { readCountry } from "../../core/number.ts";
import { senderByName } from "../../core/sender.ts";
import { usageError } from "../../errors.ts";
import { checkedAccount } from "../../profiles/environment.ts";
import { commandWords, keyFromCommand } from "../../profiles/key-command.ts";
import type { Defaults, Profile } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import { announceKeyCommand } from "../shared/destination.ts";
import type { GlobalOptions } from "../shared/options.ts";
import type { Prompter } from "../shared/prompt.ts";
import { secretFromInput } from "../shared/secret.ts";
import { learnTyped } from "../shared/secrets.ts";

/** The flags of `sms login`. */
interface LoginFlags {
  readonly baseUrl?: string;
  readonly withKey?: true;
  readonly keyCommand?: string;
  readonly keyName?: string;
  readonly email?: string;
  readonly withPassword?: true;
  readonly bodyFields?: string;
  /** False with `--no-verify`. */
  readonly verify: boolean;
  readonly sender?: string;
  readonly country?: string;
  readonly tier?: "free" | "starter" | "professional";
  readonly rate?: number;
}

/** The options of `sms login`. */
export type LoginOptions = LoginFlags & GlobalOptions;

/** Returns the base URL of --base-url, else asks for it, else takes that of the environment or the profile. */
export async function chooseAddress(
  { baseUrl }: LoginOptions,
  before: Profile | undefined,
  { host }: Context,
  prompter: Prompter | undefined,
): Promise<Address> {
  if (baseUrl !== undefined) return readAddress(baseUrl, "--base-url");
  const known = host.environment["SMS_BASE_URL"] || before?.baseUrl;
  // Checked before it is shown, because people paste secrets into URLs.
  const knownAddress = known === undefined ? undefined : readAddress(known, "the environment or the profile");
  if (prompter !== undefined) return askAddress(known, prompter);
  if (knownAddress !== undefined) return knownAddress;
  throw usageError("NO_BASE_URL", "there is no base URL", "give it with --base-url https://HOST");
}

/** Asks for the base URL until there is one, and offers a scheme for a bare host. */
async function askAddress(known: string | undefined, prompter: Prompter): Promise<Address> {
  const read = (text: string) => readAddress(text, "your input");
  for (;;) {
    const answer = await prompter.ask("Base URL of the service", known, (text) => read(urlOfHost(text) ?? text));
    const url = urlOfHost(answer);
    if (url === undefined) return read(answer);
    if (await prompter.confirm(`Use ${url}?`, true)) return read(url);
  }
}

/** Returns the key that --key-command prints now; undefined with --no-verify. Throws a usage error for contradictory flags. */
export async function keyOfCommand(
  command: string,
  { withKey, withPassword, email, bodyFields, keyName, verify }: LoginOptions,
  { host, presenter }: Context,
): Promise<Credentials | undefined> {
  if ([withKey, withPassword, email, bodyFields, keyName].some((flag) => flag !== undefined)) {
    throw usageError("AMBIGUOUS_CREDENTIALS", "--key-command is given with other credentials", "give one of them");
  }
  commandWords(command, "--key-command");
  if (!verify) return undefined;
  announceKeyCommand("--key-command", presenter);
  return { kind: "key", key: await keyFromCommand(command, "--key-command", host) };
}

/** Reads the credentials from standard input if a flag says so, else asks. Throws a usage error for contradictory flags. */
export async function chooseCredentials(
  options: LoginOptions,
  { host, redactor }: Context,
  prompter: Prompter | undefined,
): Promise<Credentials> {
  const isAccount = options.email !== undefined;
  if (options.withKey && (isAccount || options.withPassword)) {
    throw usageError("AMBIGUOUS_CREDENTIALS", "a key and an account are both given", "give one of them");
  }
  if (!isAccount && (options.withPassword || options.bodyFields !== undefined)) {
    throw usageError("NO_EMAIL", "there is no e-mail address for the account", "give it with --email ADDRESS");
  }
  if (isAccount && options.keyName !== undefined) {
    throw usageError("INVALID_OPTION", "--key-name is for API keys, not for an account", "leave it out");
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
  const secret = await chooseSecret("API key", options.withKey, "--with-key", (answer) => void readKey(answer, "this"));
  return { kind: "key", key: readKey(secret, options.withKey ? "standard input" : "your input") };

  async function chooseSecret(
    what: string,
    isOnInput: true | undefined,
    flag: string,
    check: (answer: string) => void,
  ) {
    const given = await readSecret(what, isOnInput, flag, check);
    learnTyped(redactor, given.trim());
    return given;
  }

  async function readSecret(what: string, isOnInput: true | undefined, flag: string, check: (answer: string) => void) {
    if (isOnInput && !host.stdin.isTerminal()) return secretFromInput(host);
    if (prompter !== undefined) return prompter.askSecret(what, check);
    throw usageError(
      "NO_SECRET",
      "cannot prompt for the secret: not a terminal, or prompts are off",
      `give it on standard input with ${flag}; a CI job needs no login, but SMS_BASE_URL and SMS_API_KEY`,
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
      "--body-fields does not name two new fields",
      "give it as EMAILFIELD,PASSWORDFIELD",
    );
  }
  return { email, password };
}

/** Returns the defaults that flags set. Throws a usage error if one is invalid. */
export function readDefaults({ sender, country, tier, rate }: LoginOptions): Defaults {
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
